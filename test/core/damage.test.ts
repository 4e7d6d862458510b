import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import { importDamage, isRewritten, otherForms } from '../../src/core/guard/damage.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';

const cp1252 = new TextDecoder('windows-1252');
const misread = (text: string) => cp1252.decode(Buffer.from(text, 'utf8'));

describe('text that was decoded wrongly', () => {
  it.each([
    ...['José', 'MUÑOZ', 'Søren', 'Łukasz', 'Agnieszka Dębska'],
    ...['Иван Петров', 'Müller–Lüdenscheidt', 'O’Neil', '12 €', 'José\uFFFD', '\uFEFFAna', 'Año', 'ÑANDÚ', 'Ömer'],
    ...['Dvořák', 'Kovačić', 'São Paulo', 'Ação', 'Benoît'],
  ])('is noticed: %s read as Windows-1252', (text) => {
    expect(importDamage(misread(text))).toMatchObject({
      kind: 'wrong-encoding',
      reason: expect.not.stringContaining(text),
    });
  });

  it.each([
    ...['IRMÃ\u00a0SILVA', 'ANDRÉ–PAUL', 'CAFÉ’S', 'Groß’', '„Spaß“', 'Weiß–Blau'],
    ...['BLÅ”', 'JÄÄ–Å', 'DÎNER…', 'café…', 'Å«A»'],
  ])('is not seen in real text: %s', (text) => {
    expect(importDamage(text)).toBeUndefined();
  });

  it('is not seen in letters and spaces alone, whatever they are', () => {
    const letters = fc.stringMatching(/^[\p{L} .'-]{0,40}$/u).filter((text) => !/[\u00aa\u00ba]/.test(text));
    fc.assert(
      fc.property(letters, (text) => {
        expect(importDamage(text.replace(/[ƒˆŠŒŽšœžŸ]/g, ''))).toBeUndefined();
      }),
    );
  });
});

describe('a number that a spreadsheet shortened', () => {
  it.each(['5.99E+10', '5,99E+10', '1E+12', '+5.99E+10', '5.99e+10'])('is noticed: %s', (text) => {
    expect(importDamage(text)).toMatchObject({ kind: 'shortened-number', reason: expect.not.stringMatching(/\d/) });
  });

  it.each(['59899123456', '1E12', 'E+10', '+598 99 123 456', '1.5', 'A1E+10', '1E+10 B'])(
    'is not seen in %s',
    (text) => {
      expect(importDamage(text)).toBeUndefined();
    },
  );
});

it('keeps the field, whatever a transform would make of it', () => {
  const from = (path: string, transform: readonly 'digits'[] | readonly 'ascii'[] = []) =>
    ({ kind: 'from', path, transform, format: undefined, whenEmpty: 'keep' }) as const;
  const settings = {
    identification: from('id', ['digits']),
    fields: { firstName: from('first', ['ascii']), phoneNumber: from('phone', ['digits']) },
  };
  const { map } = compileMapping(settings, undefined, { scope: undefined }, { expressions: createExpressions() });

  expect(map({ at: 'line 2', fields: { id: '1', first: 'JosÃ©', phone: '5.99E+10' } }, 0)).toMatchObject({
    kind: 'person',
    fields: {},
    troubles: [
      { field: 'firstName', kind: 'wrong-encoding' },
      { field: 'phoneNumber', kind: 'shortened-number' },
    ],
    refusesCreate: expect.stringMatching(/^first was decoded wrongly before/),
  });
  expect(map({ at: 'line 3', fields: { id: '1.23E+15', first: 'Ana', phone: '' } }, 0)).toMatchObject({
    kind: 'unreadable',
    reason: expect.stringContaining('shortened to an exponent by a spreadsheet'),
  });
});

describe('identifications that are one number', () => {
  it.each([
    ...['00123 123', '0 000', '1001.0 1001', '1001 01001,00', "'01001 01001", '01001 ="01001"', '1,021 1021'],
    ...['1.234.567 1234567', "1'021 1021", '1.021,00 01021', 'A1; A1', '12.345.688-0 12345688-0', "O'Hara ohara"],
  ])('%s are one but for how they are written', (pair) => {
    const [one = '', other = ''] = pair.split(' ');
    expect([isRewritten(one, other), isRewritten(other, one)]).toEqual([true, true]);
  });

  it.each(['123 123', '123 1230', 'A1 A2', '1.5 5'])('%s are not two spellings of one', (pair) => {
    const [one = '', other = ''] = pair.split(' ');
    expect(isRewritten(one, other)).toBe(false);
  });

  it('are found from either of them', () => {
    expect(otherForms('00123')).toEqual(expect.arrayContaining(['123', '0000123', "'00123", '123.0']));
    expect(otherForms('1,021.00')).toEqual(expect.arrayContaining(['1021', '01021', '1021.0']));
    expect(otherForms("'A1")).toEqual(['A1']);
    expect(otherForms('A1')).toEqual([]);
  });

  it('are all that differ by at most nine zeros, where no width is known', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
    const zeros = fc.integer({ min: 0, max: 9 });
    const write = fc.constantFrom(
      (text: string) => text,
      (text: string) => `${text}.0`,
      (text: string) => `'${text}`,
      (text: string) => `="${text}"`,
    );
    fc.assert(
      fc.property(number, zeros, zeros, write, (bare, some, others, written) => {
        const one = bare.padStart(bare.length + some, '0');
        const other = written(bare.padStart(bare.length + others, '0'));
        expect(otherForms(other).includes(one)).toBe(one !== other);
        expect(isRewritten(one, other)).toBe(one !== other);
      }),
    );
  });
});
