import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { Person, RejectedPerson } from '../../../src/core/person/person.ts';
import type { Decision, SourceSays } from '../../../src/core/plan/plan.ts';
import { certifySnapshot, type ReadKind } from '../../../src/core/plan/snapshot.ts';
import type { CellTrouble } from '../../../src/core/run/refusal.ts';
import { accessTrouble, blockedPerson, sayOf } from '../../../src/run/read/source-says.ts';
import { person, user } from '../../core/cases.ts';

function read(kind: ReadKind, isComplete: boolean, unreadable = 0) {
  const end = isComplete
    ? ({ complete: true, rows: 3, evidence: 'all', stamp: 's' } as const)
    : ({ complete: false, rows: 3, reasons: ['it stopped'] } as const);
  return certifySnapshot({ kind, end, unreadable, readAt: 1, runAt: undefined });
}
const full = read('full', true);
const delta = read('delta', true);
const broken = read('full', false);
const rejected: RejectedPerson = {
  kind: 'rejected',
  at: 'line 2',
  identification: 'E1',
  column: 'scope',
  reason: 'no',
};
const guest = person({ isInScope: false });

describe('a read says of', () => {
  it.each<{ name: string; of: Person | RejectedPerson | undefined; snapshot: typeof full; says: object }>([
    { name: 'an active employee, always', of: person(), snapshot: broken, says: { says: 'active' } },
    {
      name: 'a leaver, where it is complete',
      of: person({ standing: 'leaver' }),
      snapshot: delta,
      says: { says: 'leaver' },
    },
    {
      name: 'a leaver nothing, where it is not',
      of: person({ standing: 'leaver' }),
      snapshot: broken,
      says: { says: 'nothing', isSeen: false, reason: 'status "active"; but the read was not complete' },
    },
    {
      name: 'an employee out of scope, where it is complete',
      of: guest,
      snapshot: delta,
      says: { says: 'out-of-scope' },
    },
    {
      name: 'an employee out of scope nothing but the sight, where it is not',
      of: guest,
      snapshot: broken,
      says: { says: 'nothing', isSeen: true },
    },
    {
      name: 'a future hire the sight alone',
      of: person({ standing: 'future' }),
      snapshot: full,
      says: { says: 'nothing', isSeen: true, reason: 'status "active"' },
    },
    {
      name: 'an absent person that they are missing, where it proves that',
      of: undefined,
      snapshot: full,
      says: { says: 'missing', proof: full.missing },
    },
    ...[delta, broken, read('full', true, 1)].map((snapshot) => ({
      name: 'an absent person nothing, where it does not',
      of: undefined,
      snapshot,
      says: { says: 'nothing', isSeen: false, reason: 'not in this read, which cannot prove that a person is missing' },
    })),
    {
      name: 'a refused row where it lies',
      of: rejected,
      snapshot: full,
      says: { says: 'unusable', code: 'row-rejected', reason: 'line 2, scope: no', at: 'line 2' },
    },
    {
      name: 'an unknown status where it lies',
      of: person({ standing: 'unknown' }),
      snapshot: full,
      says: { says: 'unusable', code: 'status-unknown', reason: 'line 2: status "active"', at: 'line 2' },
    },
  ])('$name', ({ of, snapshot, says }) => {
    expect(sayOf(of, snapshot)).toMatchObject(says);
  });

  const wait = { reason: 'not known until noon' };

  it.each([person(), person({ standing: 'leaver' }), rejected, undefined])(
    'a user with a change of unknown outcome nothing that could be used',
    (of) => {
      expect(sayOf(of, full, wait)).toEqual({ says: 'unusable', code: 'unresolved', ...wait });
    },
  );
});

const trouble = (field: CellTrouble['field'], column: string): CellTrouble => {
  return { field, column, kind: 'not-a-date', reason: 'is not a date' } as CellTrouble;
};

describe('a person is blocked', () => {
  const unusable = { rule: 'unusable' } as const;
  const odd = person({ standing: 'unknown' });
  const says = (of: Person | RejectedPerson, wait?: { readonly reason: string }) => sayOf(of, full, wait);

  const outside = person({ standing: 'unknown', isInScope: false });
  const undated = person({
    standing: 'unknown',
    troubles: [trouble('area', 'dept'), trouble('leaveDate', 'leaves'), trouble('hireDate', 'later')],
  });
  const bad = person({ troubles: [trouble('firstName', 'name'), trouble('area', 'dept')] });
  const conflict = { says: 'unusable', code: 'duplicate-key', reason: 'twice' } as const;
  const absent = { kind: 'absent', identification: 'E1' } as const;
  const cell = { kind: 'row-rejected', at: 'line 2', reason: 'is not a date' };
  const nameless = { ...cell, column: '', reason: 'cannot be used' };
  type Of = Parameters<typeof blockedPerson>[0];

  it.each<[what: string, of: Of, source: SourceSays, rule: string, blocked: object | undefined]>([
    [
      'by a status that the lifecycle does not name',
      odd,
      says(odd),
      'unusable',
      { kind: 'status-unknown', at: 'line 2' },
    ],
    [
      'by a date of the lifecycle before any other cell',
      undated,
      says(undated),
      'unusable',
      { ...cell, column: 'leaves' },
    ],
    ['by a refused row', rejected, says(rejected), 'unusable', { ...cell, column: 'scope', reason: 'no' }],
    ['by a refused create, with its first cell', bad, says(bad), 'create-refused', { ...cell, column: 'name' }],
    ['by a refused enable', person(), says(person()), 'enable-refused', nameless],
    ['by another record, or another user', person(), conflict, 'unusable', { kind: 'identity-conflict', at: 'line 2' }],
    ['not where no record names them', absent, conflict, 'unusable', undefined],
    ['not by an unknown outcome', person(), says(person(), { reason: 'not known' }), 'unusable', undefined],
    ['not where a decision was possible', odd, says(odd), 'active-update', undefined],
    ['not where another sync owns the user', odd, says(odd), 'owned-by-other', undefined],
    ['not by a usable record', person(), says(person()), 'unusable', undefined],
  ])('%s', (...[, of, source, rule, blocked]) => {
    expect(blockedPerson(of, source, { rule } as Pick<Decision, 'rule'>, true)).toEqual(blocked);
  });

  it('by a status out of scope only where the ledger knows the person', () => {
    expect(blockedPerson(outside, says(outside), unusable, false)).toBeUndefined();
    expect(blockedPerson(outside, says(outside), unusable, true)).toMatchObject({ kind: 'status-unknown' });
  });
});

describe('trouble with a record', () => {
  const on = user();
  const off = user({ enabled: false });
  const dated = person({ troubles: [trouble('area', 'dept'), trouble('leaveDate', 'leaves')] });
  const conflict = { says: 'unusable', code: 'duplicate-key', reason: 'twice' } as const;
  const waits = { ...conflict, code: 'unresolved' } as const;
  const leaver = person({ standing: 'leaver' });
  const odd = person({ standing: 'unknown' });
  const works = { says: 'active', person: dated } as const;

  it.each<[string, [Person | RejectedPerson, SourceSays, User | undefined], string]>([
    ['keeps nothing from one who works', [person(), conflict, on], 'neither'],
    ['lacks the account of one who works', [person(), conflict, off], 'lack'],
    ['lacks the account that one who works never had', [person(), conflict, undefined], 'lack'],
    ['keeps nothing from a future hire', [person({ standing: 'future' }), conflict, on], 'neither'],
    ['keeps the account of a leaver', [leaver, conflict, on], 'keep'],
    ['keeps what a leaver may have under another name', [leaver, conflict, undefined], 'keep'],
    ['keeps nothing from a leaver whose account is disabled', [leaver, conflict, off], 'neither'],
    ['keeps the account of an unknown standing', [odd, conflict, on], 'keep'],
    ['lacks the account of an unknown standing', [odd, conflict, off], 'lack'],
    ['keeps the account of a refused row', [rejected, conflict, on], 'keep'],
    ['is none where an outcome is awaited', [rejected, waits, on], 'neither'],
    ['keeps an account whose last day is not known', [dated, works, on], 'keep'],
    ['keeps no disabled account by its last day', [dated, works, off], 'neither'],
    ['keeps no account by another cell', [person({ troubles: [trouble('area', 'dept')] }), works, on], 'neither'],
    ['keeps no leaver by the last day', [{ ...dated, standing: 'leaver' }, works, on], 'neither'],
    ['keeps nobody out of scope by the last day', [{ ...dated, isInScope: false }, works, on], 'neither'],
    ['keeps no refused row by the last day', [rejected, works, on], 'neither'],
  ])('%s', (_, [of, source, account], end) => {
    const decision = { rule: 'unusable' } as const;
    expect(accessTrouble(of, { source, user: account }, decision, true) ?? 'neither').toBe(end);
  });

  it('counts two records of one person as an unknown standing', () => {
    expect(accessTrouble(person(), { source: conflict, user: on }, { rule: 'unusable' }, false)).toBe('keep');
    expect(accessTrouble(dated, { source: works, user: on }, { rule: 'unusable' }, false)).toBeUndefined();
  });
});
