import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/fields.ts';
import { readJson } from '../../src/drivers/http/json-text.ts';
import { readPlatformDate, readShown, readUser, readUserPage } from '../../src/platform/user-record.ts';

const record = { id: 7, identification: 'E7', enabled: true };

describe('a user record', () => {
  it('becomes a user with normal text, plain dates and the office by name', () => {
    const user = readShown(
      {
        ...record,
        uid: 'u-7',
        identification: '  E7 ',
        firstName: 'Jose\u0301 ',
        lastName: '',
        email: null,
        office: { name: ' Montevideo ' },
        orgEntryDate: 'Jan 5, 2021 12:00:00 AM',
        birthDate: '1990-02-28',
        customFields: { customField1: 'x', customField2: ' ', customField61: 'none such', job: 'no' },
        lastUpdate: '2026-11-21T10:00:00',
        locale: 'es',
      },
      ['en'],
    );

    expect(user).toEqual({
      id: '7',
      uid: 'u-7',
      identification: 'E7',
      rawIdentification: '  E7 ',
      enabled: true,
      fields: {
        firstName: 'Jos\u00e9',
        office: 'Montevideo',
        orgEntryDate: '2021-01-05',
        birthDate: '1990-02-28',
        customField1: 'x',
      },
      unreadable: [],
      lastUpdate: '2026-11-21T10:00:00',
    });
  });

  it.each([
    { identification: 'E7', raw: undefined },
    { identification: 7, raw: undefined },
    { identification: ' E7', raw: ' E7' },
    { identification: 'Jose\u0301', raw: 'Jose\u0301' },
    // No path can carry this one.
    { identification: 'E7\t', raw: undefined },
  ])('keeps the identification $identification as shown only where calls must carry it', ({ identification, raw }) => {
    expect((readShown({ ...record, identification }, ['en']) as User).rawIdentification).toBe(raw);
  });

  it('names what it cannot understand instead of calling it empty', () => {
    const user = readShown(
      { ...record, orgEntryDate: 'someday', birthDate: 'Feb 30, 1990 12:00:00 AM', area: { id: 3 }, office: 'Centro' },
      ['en'],
    );

    expect(user).toMatchObject({ fields: {}, unreadable: ['area', 'orgEntryDate', 'birthDate', 'office'] });
  });

  it('takes numbers for text', () => {
    expect(readShown({ ...record, identification: 12, customFields: { customField1: 3.5 } }, ['en'])).toMatchObject({
      identification: '12',
      fields: { customField1: '3.5' },
    });
  });

  it.each<[unknown, object]>([
    [null, { fault: 'is not a user record' }],
    [
      { ...record, id: null },
      { identification: 'E7', enabled: true, fault: 'has no id' },
    ],
    [
      { ...record, identification: ' ', email: 'a@x.test' },
      { id: '7', fields: { email: 'a@x.test' }, fault: 'has no identification' },
    ],
    [{ ...record, identification: undefined, id: '' }, { fault: 'has no identification' }],
    [
      { ...record, enabled: 'yes' },
      { id: '7', identification: 'E7', fault: 'has no enabled flag' },
    ],
    [
      { ...record, enabled: null },
      { id: '7', identification: 'E7', fault: 'has no enabled flag' },
    ],
  ])('%j is listed by what it has, beside the others', (damaged, unread) => {
    const page = (result: readonly unknown[]) =>
      readUserPage(readJson(new TextEncoder().encode(JSON.stringify({ result }))), ['en']);
    expect(page([record, damaged]).users).toMatchObject([{ id: '7', enabled: true }, unread]);
    expect(page([damaged]).users).toMatchObject([unread]);
    // A page of them alone is no page of users.
    expect(() => page([damaged, damaged, damaged, damaged])).toThrow(/^result\[0\]/);
  });

  it('keeps every digit of numbers beyond 2^53', () => {
    const one =
      '{"id":9007199254740993,"identification":12345678901234567891,"enabled":true,"customFields":{"customField1":90071992547409931}}';
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    const expected = {
      id: '9007199254740993',
      identification: '12345678901234567891',
      fields: { customField1: '90071992547409931' },
    };

    expect(readUser(readJson(bytes(`{"result":${one}}`)), ['en'])).toMatchObject(expected);
    expect(readUserPage(readJson(bytes(`{"result":[${one}],"page":{"totalElements":1}}`)), ['en'])).toMatchObject({
      users: [expected],
      total: 1,
    });
  });
});

describe('a date of the platform', () => {
  it.each([
    ['Jan 5, 2021 12:00:00 AM', '2021-01-05'],
    ['Jan 5, 2021, 12:00:00\u202fAM', '2021-01-05'],
    ['Dec 31, 1999 11:59:59 PM', '1999-12-31'],
    ['September 1, 2020 12:00 AM', '2020-09-01'],
    ['Sept 1, 2020', '2020-09-01'],
    ['Feb 29, 2024 12:00:00 AM', '2024-02-29'],
    ['2021-01-05', '2021-01-05'],
    ['2021-01-05T00:00:00', '2021-01-05'],
    ['2021-01-05T23:30:00.000-03:00', '2021-01-05'],
    ['2021-01-05 00:00:00', '2021-01-05'],
    ['Feb 29, 2023 12:00:00 AM', undefined],
    ['2021-13-01', undefined],
    ['2021-00-10', undefined],
    ['Mai 5, 2021 12:00:00 AM', undefined],
    ['Janu 5, 2021', undefined],
    ['05/01/2021', undefined],
    ['1609804800000', undefined],
    ['', undefined],
  ])('%j is %j', (text, expected) => {
    expect(readPlatformDate(text, ['en'])).toBe(expected);
  });

  it('is read back as the day it was written for', () => {
    const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (date) => {
          expect(readPlatformDate(format.format(date), ['en'])).toBe(date.toISOString().slice(0, 10));
        },
      ),
    );
  });

  it.each([
    ['5 ene 2021, 0:00:00', '2021-01-05'],
    ['5 ene. 2021, 12:00:00 a. m.', '2021-01-05'],
    ['ene. 5, 2021 12:00:00 a.m.', '2021-01-05'],
    ['5 de enero de 2021', '2021-01-05'],
    ['05-dic-2021 0:00:00', '2021-12-05'],
    ['5 set. 2021', '2021-09-05'],
    ['5 sept 2021, 0:00:00', '2021-09-05'],
    ['5 de setiembre de 2021 a las 12:00:00 a. m.', '2021-09-05'],
    ['5 de dez. de 2021, 00:00:00', '2021-12-05'],
    ['31 de março de 2021 às 00:00:00', '2021-03-31'],
    ['Dec 5, 2021 12:00:00 AM', '2021-12-05'],
    ['31 de abril de 2021', undefined],
    ['5 de brumaire de 2021', undefined],
  ])('with names of months in the languages of the dialect: %j is %j', (text, expected) => {
    expect(readPlatformDate(text, ['en', 'es', 'pt'])).toBe(expected);
  });

  it.each(['es', 'es-UY', 'pt', 'pt-BR', 'en'])('in %s is read back as the day it was written for', (locale) => {
    for (const dateStyle of ['medium', 'long'] as const) {
      const format = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'medium', timeZone: 'UTC' });
      for (let month = 0; month < 12; month++) {
        const date = new Date(Date.UTC(2021, month, 28));
        expect(readPlatformDate(format.format(date), ['en', 'es', 'pt'])).toBe(date.toISOString().slice(0, 10));
      }
    }
  });
});
