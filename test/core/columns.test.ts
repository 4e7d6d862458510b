import { describe, expect, it } from 'vitest';
import {
  type ColumnFacts,
  doubtColumns as doubtAll,
  type FilledColumns,
  openOrders,
} from '../../src/core/guard/columns.ts';
import { doubtDeciding, hashOf, openDecidingColumn } from '../../src/core/guard/deciding-columns.ts';
import type { Person } from '../../src/core/person/person.ts';
import { person } from './cases.ts';

const before = { rows: 100, cells: {} };
const formats = { leaveDate: 'dd/MM/yyyy', orgEntryDate: 'dd/MM/yyyy', birthDate: 'yyyy-MM-dd' };
const plain = { filled: {}, mayFall: 20, untold: [] };
const doubtColumns = (facts: Pick<ColumnFacts, 'people' | 'unreadable' | 'previous' | 'formats'>) =>
  doubtAll({ ...plain, ...facts });
const bad = (count: number, misread = 0) => ({ count, cause: 'left is not a date', misread });
const doubt = (unreadable: ColumnFacts['unreadable'], previous: ColumnFacts['previous'] = before) =>
  doubtColumns({ people: 100, unreadable, previous, formats });

describe('a column', () => {
  it('is in doubt where more than two cells and two in a hundred became unreadable', () => {
    expect(doubt({ leaveDate: bad(3) })).toMatchObject({
      leaveDate: expect.stringMatching(/left is not a date, in 3 rows/),
    });
    expect(doubt({ leaveDate: bad(2) })).toEqual({ fields: [] });
    expect(doubtColumns({ people: 1000, unreadable: { leaveDate: bad(20) }, previous: before, formats })).toEqual({
      fields: [],
    });
  });

  it('is not in doubt where the last accepted read was the same, or there is none', () => {
    expect(doubt({ leaveDate: bad(3) }, { rows: 100, cells: { leaveDate: 3 } })).toEqual({ fields: [] });
    expect(doubtColumns({ people: 100, unreadable: { leaveDate: bad(3) }, previous: undefined, formats })).toEqual({
      fields: [],
    });
  });

  it('of text shows only the trouble of each cell', () => {
    expect(doubt({ area: bad(9) })).toEqual({ fields: [] });
  });

  it.each([
    [{ hireDate: bad(3) }, [], undefined],
    [{ leaveDate: bad(3) }, [], 'left'],
    [{ birthDate: bad(3) }, ['birthDate'], undefined],
    [{ orgEntryDate: bad(3) }, ['orgEntryDate'], 'left'],
  ])('%j holds the updates of %j, and the leave dates for: %s', (unreadable, fields, leaveDate) => {
    const found = doubt(unreadable);
    expect(found.fields.map(({ field }) => field)).toEqual(fields);
    expect(found.leaveDate?.slice(0, 4)).toBe(leaveDate);
  });

  it('speaks for the dates that are written in the same order, and for its own updates', () => {
    expect(doubt({ orgEntryDate: bad(3) })).toMatchObject({
      leaveDate: expect.stringMatching(/3 rows/),
      fields: [{ field: 'orgEntryDate' }],
    });
    expect(doubt({ birthDate: bad(3) })).not.toHaveProperty('leaveDate');
  });

  it('that was read in another encoding speaks for all texts, at the first read too', () => {
    const unreadable = { lastName: bad(3, 3) };
    expect(doubtColumns({ people: 100, unreadable, previous: undefined, formats })).toEqual({
      fields: [],
      encoding: 'left is not a date',
    });
  });
});

describe('the order of day and month', () => {
  const untold = (people: readonly Partial<Person>[], formats: ColumnFacts['formats']) => {
    const orders = openOrders(formats);
    for (const one of people) orders.see(person(one));
    return orders.untold();
  };
  const both = { hireDate: 'dd/MM/yyyy', leaveDate: 'dd/MM/yyyy' };

  it.each<[string, readonly Partial<Person>[], ColumnFacts['formats'], readonly string[]]>([
    ['no day is above 12', [{ hires: '2026-03-05', leaves: '2026-03-12' }], both, ['hireDate', 'leaveDate']],
    ['a column of one format speaks for the others', [{ hires: '2026-03-13', leaves: '2026-03-12' }], both, []],
    ['a column is empty', [{ hires: '2026-03-05' }], both, ['hireDate']],
    [
      'a mapped date shows it',
      [{ leaves: '2026-03-05', fields: { birthDate: '1990-01-31' } }],
      { ...both, birthDate: 'dd/MM/yyyy' },
      [],
    ],
    [
      'another format shows nothing',
      [{ leaves: '2026-03-05', fields: { birthDate: '1990-01-31' } }],
      { ...both, birthDate: 'yyyy-MM-dd' },
      ['leaveDate'],
    ],
    ['a year that comes first', [{ leaves: '2026-03-05' }], { leaveDate: 'yyyy/MM/dd' }, []],
    ['a month by name', [{ leaves: '2026-03-05' }], { leaveDate: 'dd-MMM-yyyy' }, []],
    ['digits without marks between them', [{ leaves: '2026-03-05' }], { leaveDate: 'ddMMyyyy' }, ['leaveDate']],
  ])('%s', (_, people, formats, expected) => {
    expect(untold(people, formats)).toEqual(expected);
  });

  it('holds nothing by itself, and says why the dates are in doubt', () => {
    const doubts = doubtAll({ ...plain, people: 9, unreadable: {}, previous: before, formats, untold: ['leaveDate'] });
    expect(doubts).toEqual({ fields: [], leaveOrder: expect.stringMatching(/dd\/MM\/yyyy has a day above 12/) });
  });
});

describe('a column that shows who works here', () => {
  const fill = (was: FilledColumns, filled: FilledColumns) =>
    doubtAll({ ...plain, people: 100, unreadable: {}, previous: { ...before, filled: was }, formats, filled });

  it('is in doubt when it is filled for far fewer people', () => {
    expect(fill({ hireDate: 1 }, { hireDate: 0.7 })).toEqual({
      fields: [],
      emptied: expect.stringMatching(/^lifecycle.hireDate is filled for 70 % of the people, down from 100 %/),
    });
    expect(fill({ hireDate: 1, leaveDate: 0.3 }, { hireDate: 0.8, leaveDate: 0.1 })).toEqual({ fields: [] });
    expect(fill({}, { hireDate: 0 })).toEqual({ fields: [] });
  });
});

describe('a column that decides who works here', () => {
  const column = (cells: readonly string[], isScope = true) => {
    const watch = openDecidingColumn(isScope);
    for (const [i, cell] of cells.entries()) {
      const isOutside = cell === 'guest' || cell === 'l';
      watch.see(cell, hashOf(`E${i}`), { isOutside, works: !isOutside });
    }
    return watch.result();
  };
  const before = column(['staff', 'staff', 'staff', 'guest', 'guest', 'guest', 'staff', 'staff', 'staff', 'staff']);
  const damages: readonly (readonly [string, readonly string[], RegExp | undefined])[] = [
    ['the same values', [...'sssgggssss'], undefined],
    ['one more guest', [...'ssggggssss'], undefined],
    ['one person more', [...'sssgggsssss'], undefined],
    ['other people', [...'gggsssssss'], /the same values as before, but for other people/],
    ['new values that decide nothing', [...'XXXgggssss'], undefined],
    ['new values', [...'XXXggggsss'], /has values in 3 rows that it never had before/],
    ['few new values', [...'XXsgggssss'], undefined],
    ['one value', [...'ssssssssss'], /has one value in every row now/],
    ['blank cells', ['s', 's', 's', '', '', '', 's', 's', 's', 's'], /is filled for 70 % of the rows, down from 100 %/],
  ];
  it.each(damages)('is judged by what it looked like: %s', (_, letters, reason) => {
    const words: Readonly<Record<string, string>> = { s: 'staff', g: 'guest' };
    const now = column(letters.map((letter) => words[letter] ?? letter));
    const told = doubtDeciding('type', now, before, 20);
    expect(told === undefined || reason === undefined ? told : reason.test(told)).toEqual(reason && true);
    expect(doubtDeciding('type', now, undefined, 20)).toBeUndefined();
  });

  it('may get new words of a status, and lose all but one, which the lifecycle judges', () => {
    const status = column([...'aaaaalllll'], false);
    for (const same of ['aaaaaaaaaa', 'XXXXXXXXXX']) {
      expect(doubtDeciding('status', column([...same], false), status, 20)).toBeUndefined();
    }
    expect(doubtDeciding('status', column([...'lllllaaaaa'], false), status, 20)).toMatch(/for other people/);
    // One leaves and one comes back.
    expect(doubtDeciding('status', column([...'laaaallla'.padEnd(10, 'l')], false), status, 20)).toBeUndefined();
  });
});
