import { expect, it } from 'vitest';
import { isAboutIdentity, openCellFindings } from '../../src/core/run/finding.ts';
import type { CellTrouble } from '../../src/core/run/refusal.ts';
import { person } from './cases.ts';

const tooLong: CellTrouble = {
  field: 'area',
  column: 'dept',
  kind: 'too-long',
  reason: 'is longer than 255 characters',
};
const noDate: CellTrouble = { field: 'orgEntryDate', column: 'hired', kind: 'not-a-date', reason: 'is not a date' };

function findingsOf(...people: readonly Parameters<typeof person>[0][]) {
  const cells = openCellFindings();
  for (const [i, patch] of people.entries()) cells.see(person({ at: `line ${i + 2}`, ...patch }));
  return cells.all();
}

it('healthy rows have none', () => {
  expect(findingsOf({}, {})).toEqual([]);
});

it('many rows with one kind of trouble in one column are one finding, with the first places', () => {
  expect(findingsOf(...Array.from({ length: 5 }, () => ({ troubles: [tooLong] })))).toEqual([
    {
      code: 'cell-unreadable',
      message:
        'dept is longer than 255 characters, in 5 rows (line 2, line 3, line 4, …): area keeps its value on the platform',
    },
  ]);
});

it('columns and kinds are told apart', () => {
  const control = { ...tooLong, kind: 'control-characters', reason: 'contains control characters' } as const;

  expect(
    findingsOf({ troubles: [tooLong, noDate] }, { troubles: [control] }).map(({ message }) => message.split(',')[0]),
  ).toEqual(['dept is longer than 255 characters', 'hired is not a date', 'dept contains control characters']);
});

it('a cell that is read for two purposes is one finding that says both', () => {
  expect(findingsOf({ troubles: [noDate, { ...noDate, field: 'hireDate' }] })[0]?.message).toBe(
    'hired is not a date, in 1 row (line 2): orgEntryDate keeps its value on the platform; no account is created or enabled for these people',
  );
});

it.each([
  ['email', 'no account is created'],
  ['firstName', 'no account is created'],
  ['leaveDate', 'created or enabled'],
  ['timezone', 'all time zones'],
] as const)('trouble with %s says: %s', (field, words) => {
  expect(findingsOf({ troubles: [{ ...tooLong, field }] })[0]?.message).toContain(words);
});

it('line breaks that became spaces are one note per column', () => {
  expect(
    findingsOf(
      {
        notes: [
          { column: 'title', note: 'collapsed' },
          { column: 'dept', note: 'collapsed' },
        ],
      },
      { notes: [{ column: 'title', note: 'collapsed' }] },
    ),
  ).toEqual([
    {
      code: 'cell-collapsed',
      message: 'title has line breaks or tabs in 2 rows (line 2, line 3): each became a space',
    },
    { code: 'cell-collapsed', message: 'dept has line breaks or tabs in 1 row (line 2): each became a space' },
  ]);
});

it('rows out of scope say nothing', () => {
  expect(findingsOf({ isInScope: false, troubles: [tooLong], notes: [{ column: 'dept', note: 'collapsed' }] })).toEqual(
    [],
  );
});

it.each([
  ['duplicate-key', true],
  ['case-conflict', true],
  ['email-conflict', true],
  ['rename-conflict', true],
  ['row-rejected', false],
  ['owned-by-other-sync', false],
] as const)('%s: does only a full read tell who is who? %s', (code, isIdentity) => {
  expect(isAboutIdentity({ code, message: 'what' })).toBe(isIdentity);
});
