import type { FieldValues, User } from '../../src/core/person/fields.ts';
import type { Person } from '../../src/core/person/person.ts';
import type { Change } from '../../src/core/plan/change.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type { PlanRules, SourceSays } from '../../src/core/plan/plan.ts';
import { absentWithoutLookup, certifySnapshot } from '../../src/core/plan/snapshot.ts';

/** Builders for the planner's three sides: everything has a dull default, a test says what matters. */

export const now = Date.UTC(2026, 10, 21, 12);
export const hour = 3_600_000;
export const day = 24 * hour;

const proofs = certifySnapshot({
  kind: 'full',
  end: { complete: true, rows: 10, evidence: 'test', stamp: 'snapshot-2' },
  unreadable: 0,
  readAt: now,
  runAt: undefined,
});
if (proofs.leavers === undefined || proofs.missing === undefined) throw new Error('a complete full read proves both');
export const leaverProof = proofs.leavers;
export const missingProof = absentWithoutLookup(proofs.missing);

export const rules: PlanRules = {
  name: 'people',
  policy: 'sync',
  mapping: { fields: {} },
  missing: { afterReads: 2, minAgeMs: day },
  outOfScope: 'ignore',
  firstSight: 'write',
  foreignDisable: 'report',
  protected: [],
  remove: 'never',
};

export const wanted: FieldValues = { firstName: 'Ana', lastName: 'Díaz', email: 'ana@example.com' };

export function person(patch: Partial<Person> = {}): Person {
  return {
    kind: 'person',
    at: 'line 2',
    identification: 'E1',
    fields: wanted,
    standing: 'active',
    standingReason: 'status "active"',
    isInScope: true,
    unreadable: [],
    troubles: [],
    notes: [],
    ...patch,
  };
}

export function user(patch: Partial<User> = {}): User {
  return {
    id: '1',
    identification: 'E1',
    enabled: true,
    fields: wanted,
    unreadable: [],
    lastUpdate: '2026-01-01T00:00:00',
    ...patch,
  };
}

export function entry(patch: Partial<LedgerEntry> = {}): LedgerEntry {
  return { identification: 'E1', owner: 'people', accountId: '1', hidden: {}, quirks: {}, unverified: 0, ...patch };
}

export const says = {
  active: (patch?: Partial<Person>): SourceSays => ({ says: 'active', person: person(patch) }),
  leaver: (): SourceSays => ({ says: 'leaver', person: person({ standing: 'leaver' }), proof: leaverProof }),
  outOfScope: (): SourceSays => ({ says: 'out-of-scope', person: person({ isInScope: false }), proof: leaverProof }),
  missing: (): SourceSays => ({ says: 'missing', proof: missingProof }),
  unusable: (): SourceSays => ({ says: 'unusable', code: 'row-rejected', reason: 'line 2: bad' }),
  nothing: (): SourceSays => ({ says: 'nothing', reason: 'no proof' }),
};

export function draft(patch: Partial<Omit<Change, 'hash'>> = {}): Omit<Change, 'hash'> {
  return {
    identification: 'E1',
    kind: 'update',
    before: { userId: '1', enabled: true, fields: wanted, lastUpdate: '2026-01-01T00:00:00' },
    after: { ...wanted, lastName: 'Núñez' },
    changed: ['lastName'],
    classes: ['updates'],
    reason: 'differs in lastName',
    rule: 'active-update',
    episode: '0',
    ...patch,
  };
}
