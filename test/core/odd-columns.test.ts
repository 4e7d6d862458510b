import { expect, it } from 'vitest';
import { oddColumns } from '../../src/core/setup/drift.ts';

const from = (path: string) => ({ kind: 'from', path, transform: [], format: undefined, whenEmpty: 'keep' }) as const;
const settings = {
  mapping: {
    identification: from('id'),
    fields: { firstName: from('first'), lastName: from('last'), email: from('mail'), orgEntryDate: from('hired') },
  },
  lifecycle: {
    status: 'status',
    active: ['active'],
    leaver: ['left'],
    hireDate: 'hired',
    leaveDate: undefined,
    leavesBy: undefined,
    dateFormat: undefined,
    timezone: undefined,
  },
};

const right = {
  id: '1',
  first: 'Ana',
  last: 'Ñíguez',
  mail: 'ana@example.com',
  hired: '04-mar-2019',
  status: 'active',
};
const told = (patch: (i: number) => Readonly<Record<string, string>>, count = 12) =>
  oddColumns(
    Array.from({ length: count }, (_, i) => ({ at: `line ${i + 2}`, fields: { ...right, ...patch(i) } })),
    settings,
  );

it.each([
  [
    'a first name of digits',
    () => ({ first: '4711' }),
    ['first (for firstName): 12 of 12 cells are not like names, first at line 2: "9999"'],
  ],
  [
    'a last name of e-mails',
    () => ({ last: 'ana@example.com' }),
    ['last (for lastName): 12 of 12 cells are not like names, first at line 2: "xxx@xxxxxxx.xxx"'],
  ],
  [
    'an e-mail without @',
    () => ({ mail: 'Ñíguez 7' }),
    ['mail (for email): 12 of 12 cells are without @, first at line 2: "xxxxxx 9"'],
  ],
  [
    'a date that is none',
    () => ({ hired: 'Sales' }),
    [
      'hired (for orgEntryDate): 12 of 12 cells are no dates, first at line 2: "xxxxx"',
      'hired (for lifecycle.hireDate): 12 of 12 cells are no dates, first at line 2: "xxxxx"',
    ],
  ],
  [
    'a status for each row',
    (i: number) => ({ status: `s${i}` }),
    ['status (for lifecycle.status): as many values as rows (12), first at line 2: "x9"'],
  ],
])('%s is named with its first place and shape, without a value', (_, patch, sentences) => {
  expect(told(patch)).toEqual(sentences);
});

it.each([
  ['columns that are right', () => ({}), 12],
  ['few odd cells among many', (i: number) => (i < 6 ? { first: '1', mail: 'none', hired: 'soon' } : {}), 12],
  ['blank columns', () => ({ first: '', last: '', mail: '', hired: '', status: '' }), 12],
  ['one record', () => ({ first: '1', mail: 'none', hired: 'soon' }), 1],
  ['few people with a status of their own', (i: number) => ({ status: `s${i}` }), 9],
] as const)('%s are not', (_, patch, count) => {
  expect(told(patch, count)).toEqual([]);
});
