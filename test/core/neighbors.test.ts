import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/user.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { claimOf, type Neighbors, releaseOf, trustRoster } from '../../src/core/plan/neighbors.ts';
import { decide, type PlanRules, type SourceSays } from '../../src/core/plan/plan.ts';
import type { Roster, RosterEntry, RosterStanding } from '../../src/core/plan/roster.ts';
import { drawRuns } from '../support/drawn.ts';
import { day, entry, hour, now, rules, says, user } from './cases.ts';

function rosterOf(patch: Partial<Roster> = {}): Roster {
  return {
    sync: 'contractors',
    run: 'run_1',
    at: now - hour,
    fingerprint: 'f',
    salt: 's',
    rows: 1,
    pages: { people: 1, emails: 1 },
    people: async () => new Map(),
    claims: async () => new Map(),
    keyOf: (text) => text,
    async *entries() {},
    ...patch,
  };
}

const facts = { fingerprint: 'f', maxAgeMs: day, now };
const trusted = trustRoster(rosterOf(), facts) ?? expect.fail('a recent roster is trusted');
const exact = (standing: RosterStanding): RosterEntry[] => [{ standing, isExact: true }];
const release = (standing?: RosterStanding): Neighbors => {
  const found = releaseOf(trusted, standing === undefined ? [] : exact(standing));
  return found === undefined ? {} : { release: found };
};
const claim = (...fullReads: number[]): Neighbors => {
  return { claim: claimOf(trusted, exact('active'), fullReads) ?? expect.fail('an active person is claimed') };
};

describe('a roster', () => {
  it.each([
    ['that does not exist', undefined],
    ['of other settings', rosterOf({ fingerprint: 'g' })],
    ['that is older than handOver.maxAge', rosterOf({ at: now - day - 1 })],
  ])('%s hands nobody over', (_, roster) => {
    expect(trustRoster(roster, facts)).toBeUndefined();
  });

  it('is trusted until it is exactly handOver.maxAge old', () => {
    expect(trustRoster(rosterOf({ at: now - day }), facts)).toMatchObject({ sync: 'contractors', readAt: now - day });
  });

  it.each<[string, RosterEntry[], string | undefined]>([
    ['no record', [], 'missing'],
    ['a row out of scope', exact('out-of-scope'), 'out-of-scope'],
    ['a leaver', exact('leaver'), undefined],
    ['an active employee', exact('active'), undefined],
    ['a row that cannot be used, or a future hire', exact('other'), undefined],
    ['another spelling', [{ standing: 'out-of-scope', isExact: false }], undefined],
    ['two records', [...exact('out-of-scope'), ...exact('out-of-scope')], undefined],
  ])('with %s for the person: %s', (_, entries, standing) => {
    expect(releaseOf(trusted, entries)?.standing).toBe(standing);
  });

  it('claims only who is active, in one record of exactly this spelling', () => {
    expect(claimOf(trusted, undefined, [])).toBeUndefined();
    expect(claimOf(trusted, [{ standing: 'active', isExact: false }], [])).toBeUndefined();
    expect(claimOf(trusted, [...exact('active'), ...exact('active')], [])).toBeUndefined();
    for (const standing of ['leaver', 'out-of-scope', 'other'] as const)
      expect(claimOf(trusted, exact(standing), [])).toBeUndefined();
  });
});

const theirs = entry({ owner: 'contractors' });
const off = user({ enabled: false });
const twice = { count: 2, since: now - 2 * day, stamp: 'snapshot-1' };
const due = entry({ misses: twice });
const outOfScope = { outOfScope: 'disable' } as const;
const removing = { remove: { afterMs: 30 * day, blacklist: false } } as const;

interface Row {
  readonly name: string;
  readonly source: SourceSays;
  readonly user?: User;
  readonly ledger: LedgerEntry;
  readonly neighbors?: Neighbors;
  readonly rules?: Partial<PlanRules>;
  readonly decision: object;
}

const table: readonly Row[] = [
  {
    name: 'an active person whom the owner misses becomes ours',
    source: says.active(),
    user: user(),
    ledger: theirs,
    neighbors: release(),
    decision: { rule: 'active-equal', takenFrom: 'contractors' },
  },
  {
    name: 'an active person whom the owner disabled as missing is enabled',
    source: says.active(),
    user: off,
    ledger: { ...theirs, disabledAt: now - day, goneSince: now - day },
    neighbors: release('out-of-scope'),
    decision: { rule: 'active-enable', takenFrom: 'contractors', change: { kind: 'enable' } },
  },
  {
    name: 'one whom others disabled is not',
    source: says.active(),
    user: off,
    ledger: theirs,
    neighbors: release(),
    decision: { rule: 'active-foreign-disable', takenFrom: 'contractors', finding: { code: 'foreign-disable' } },
  },
  {
    name: 'a sync that may not enable takes over and leaves the account disabled',
    source: says.active(),
    user: off,
    ledger: { ...theirs, disabledAt: now - day },
    neighbors: release(),
    rules: { policy: 'create-only' },
    decision: { takenFrom: 'contractors', forbidden: 'enable' },
  },
  {
    name: 'without a release, the user stays the other sync’s',
    source: says.active(),
    user: user(),
    ledger: theirs,
    decision: { rule: 'owned-by-other', finding: { code: 'owned-by-other-sync' } },
  },
  {
    name: 'a release of a third sync does not count',
    source: says.active(),
    user: user(),
    ledger: entry({ owner: 'guests' }),
    neighbors: release(),
    decision: { rule: 'owned-by-other' },
  },
  {
    name: 'a leaver of ours is not taken over to be disabled',
    source: says.leaver(),
    user: user(),
    ledger: theirs,
    neighbors: release(),
    decision: { rule: 'owned-by-other' },
  },
  {
    name: 'the disable of a missing person waits for the sync that claims them',
    source: says.missing(),
    user: user(),
    ledger: due,
    neighbors: claim(),
    decision: {
      rule: 'hand-over-expected',
      expected: { kind: 'disable', classes: ['handOvers'] },
      finding: { code: 'hand-over-expected' },
      ledger: { handOverSince: now, misses: { count: 3 } },
    },
  },
  {
    name: 'so does the disable of a person out of scope',
    source: says.outOfScope(),
    user: user(),
    ledger: entry({ handOverSince: now - hour }),
    neighbors: claim(now - 2 * hour, now),
    rules: outOfScope,
    decision: { rule: 'hand-over-expected', ledger: { handOverSince: now - hour } },
  },
  {
    name: 'so does the remove of a person who is missing long enough',
    source: says.missing(),
    user: off,
    ledger: entry({ disabledAt: now - 40 * day, goneSince: now - 40 * day }),
    neighbors: claim(),
    rules: removing,
    decision: { rule: 'hand-over-expected', expected: { kind: 'remove' } },
  },
  {
    name: 'two full reads of that sync later, the disable is made',
    source: says.missing(),
    user: user(),
    ledger: { ...due, handOverSince: now - 3 * hour },
    neighbors: claim(now - hour, now - 2 * hour),
    decision: { rule: 'missing-disable', change: { kind: 'disable', classes: ['disables'] } },
  },
  {
    name: 'nothing waits where nothing is due',
    source: says.missing(),
    user: user(),
    ledger: entry(),
    neighbors: claim(),
    decision: { rule: 'missing-counted' },
  },
  {
    name: 'a leaver is disabled, whoever claims them',
    source: says.leaver(),
    user: user(),
    ledger: entry(),
    neighbors: claim(),
    decision: { rule: 'leaver-enabled', change: { kind: 'disable' } },
  },
  {
    name: 'what the policy forbids does not wait either',
    source: says.missing(),
    user: user(),
    ledger: due,
    neighbors: claim(),
    rules: { policy: 'upsert-only' },
    decision: { rule: 'missing-disable', forbidden: 'disable' },
  },
];

describe('the rows of the truth table about two syncs', () => {
  it.each(table)('$name', ({ source, user: account, ledger, neighbors, rules: patch, decision }) => {
    const subject = { identification: 'E1', source, user: account, ledger, ...(neighbors ? { neighbors } : {}) };
    const decided = decide(subject, { ...rules, ...patch }, now);
    expect(decided).toMatchObject(decision);
    if (!('takenFrom' in decision)) expect(decided.takenFrom).toBeUndefined();
    if (!('change' in decision)) expect(decided.change).toBeUndefined();
    if (!('expected' in decision) && decided.rule !== 'hand-over-expected') expect(decided.expected).toBeUndefined();
  });

  it('a person who is seen again is expected to move no more', () => {
    const known = entry({ handOverSince: now - hour });
    const decided = decide({ identification: 'E1', source: says.active(), user: user(), ledger: known }, rules, now);
    expect(decided.ledger).toEqual(entry());
  });
});

describe('whatever the sides and the neighbors say', () => {
  const neighbors = fc.constantFrom<Neighbors>({}, release(), release('out-of-scope'), claim(), claim(now, now - 1));
  const ledgers = fc.record({
    owner: fc.constantFrom('people', 'contractors', 'guests'),
    disabledAt: fc.constantFrom(undefined, now - 60 * day),
    handOverSince: fc.constantFrom(undefined, now - hour),
  });

  it('only active people move, only from the owner, and a claim only ever prevents a disable or remove', () => {
    const sources = fc.constantFrom(...Object.values(says)).map((make) => make());
    fc.assert(
      fc.property(sources, fc.boolean(), ledgers, neighbors, (source, enabled, known, facts) => {
        const { owner, disabledAt, handOverSince } = known;
        const ledger = entry({
          owner,
          misses: twice,
          ...(disabledAt === undefined ? {} : { disabledAt, goneSince: disabledAt }),
          ...(handOverSince === undefined ? {} : { handOverSince }),
        });
        const subject = { identification: 'E1', source, user: user({ enabled }), ledger };
        const alone = decide(subject, { ...rules, ...outOfScope, ...removing }, now);
        const decided = decide({ ...subject, neighbors: facts }, { ...rules, ...outOfScope, ...removing }, now);
        const moves = source.says === 'active' && facts.release?.from === owner;
        expect(decided.takenFrom).toBe(moves ? owner : undefined);
        if (moves) {
          expect(['disable', 'remove']).not.toContain(decided.change?.kind);
          return;
        }
        const isOver = handOverSince !== undefined && facts.claim?.fullReads.length === 2;
        const waits =
          facts.claim !== undefined && !isOver && ['missing', 'out-of-scope'].includes(source.says) && alone.change;
        expect(decided.change?.kind).toBe(waits ? undefined : alone.change?.kind);
        expect(decided.expected?.kind).toBe(waits ? alone.change?.kind : undefined);
      }),
      { numRuns: drawRuns(500) },
    );
  });
});
