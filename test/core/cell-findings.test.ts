import { expect, it } from 'vitest';
import { causeOf, isAboutIdentity, openCellFindings } from '../../src/core/run/finding.ts';
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

it.each([
  ['collapsed', 'cell-collapsed', /line breaks or tabs in 1 row \(line 2\): each became a space$/],
  ['guarded', 'cell-collapsed', /mark of an exporter .* in 1 row \(line 2\): the value was read without it$/],
  ['invisible', 'cell-collapsed', /invisible characters in 1 row \(line 2\): the value was read without them$/],
  ['word', 'cell-suspect', /such as NULL or None in 1 row \(line 2\): .* list it in nulls$/],
] as const)('the note %s is %s', (note, code, message) => {
  const found = findingsOf({ notes: [{ column: 'dept', note }] });
  expect(found).toEqual([{ code, message: expect.stringMatching(message) }]);
});

it.each([
  [{ kind: 'status-and-date', field: 'leaveDate' }, 'these accounts stay until then'],
  [{ kind: 'far-date', field: 'leaveDate' }, 'these accounts stay, and none is created or enabled'],
  [{ kind: 'far-date', field: 'hireDate' }, 'no account is created or enabled for these people'],
  [{ kind: 'far-date', field: 'birthDate' }, 'birthDate keeps its value on the platform'],
] as const)('%j says: %s', (patch, words) => {
  expect(findingsOf({ troubles: [{ ...noDate, ...patch }] })[0]?.message).toContain(`: ${words}`);
});

it('the unreadable cells of a use are counted, of blank ones and notes none, and the worst cause is named', () => {
  const cells = openCellFindings();
  const odd: CellTrouble = { ...noDate, kind: 'wrong-encoding', reason: 'is odd' };
  for (const kind of ['blank', 'not-visible', 'no-value'] as const) {
    cells.see(person({ troubles: [{ ...tooLong, kind }] }));
  }
  cells.see(person({ troubles: [noDate], notes: [{ column: 'hired', note: 'word' }] }));
  for (let i = 0; i < 2; i += 1) cells.see(person({ troubles: [odd] }));
  expect(cells.unreadable()).toEqual({ orgEntryDate: { count: 3, cause: 'hired is not a date', misread: 2 } });
  expect(cells.worst('orgEntryDate')).toEqual({ cause: 'hired is odd', count: 2 });
  expect(cells.worst('email')).toBeUndefined();
});

it.each([
  [{ message: 'E1: has the e-mail of "x"', identification: 'E1' }, 'has the e-mail of "x"'],
  [
    { message: 'line 12: E1 and E2 (line 14) are one', identification: 'E1', other: 'E2', at: 'line 12' },
    '… and … are one',
  ],
  [{ message: 'E1 (line 3) is odd', identification: 'E1' }, 'is odd'],
  [{ message: 'it is: E1 (line 3) and E1', identification: 'E1' }, 'it is: … and …'],
  [{ message: 'Run "rollcall why people E1" or "rollcall adopt E1"' }, 'Run "rollcall …" or "rollcall …"'],
])('the cause of %j is: %s', (finding, cause) => {
  expect(causeOf({ code: 'row-rejected', ...finding })).toBe(cause);
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
