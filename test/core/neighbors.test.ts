import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimOf, type Neighbors, releaseOf, trustRoster } from '../../src/core/plan/neighbors.ts';
import { type Case, decide, type PlanRules } from '../../src/core/plan/plan.ts';
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
const claimIn = (entries: RosterEntry[], fullReads: number[]): Neighbors => {
  return { claim: claimOf(trusted, entries, fullReads) ?? expect.fail('the person is claimed') };
};
const claim = (...fullReads: number[]): Neighbors => claimIn(exact('active'), fullReads);
const undecided = (standing: RosterStanding, [now, before]: [boolean, boolean], isExact = true): RosterEntry[] => {
  return [{ standing, isExact, undecided: { now, before } }];
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

  it('claims who is undecided, in any spelling, and tells of the read before', () => {
    expect(claimOf(trusted, undecided('other', [true, false], false), [])?.undecided).toBe('now');
    expect(claimOf(trusted, undecided('active', [false, true]), [])?.undecided).toBe('before');
    expect(claimOf(trusted, undecided('leaver', [false, true]), [])).toBeUndefined();
  });
});

const theirs = entry({ owner: 'contractors' });
const twice = { count: 2, since: now - 2 * day, stamp: 'snapshot-1' };
const due = entry({ misses: twice });
const outOfScope = { outOfScope: 'disable' } as const;
const removing = { remove: { afterMs: 30 * day, blacklist: false } } as const;

/** The words of the table below, and what they stand for. */
const words: Readonly<Record<string, Partial<Case> & { readonly rules?: Partial<PlanRules> }>> = {
  active: { source: says.active() },
  leaver: { source: says.leaver() },
  missing: { source: says.missing() },
  'out of scope': { source: says.outOfScope() },
  enabled: { user: user() },
  disabled: { user: user({ enabled: false }) },
  ours: { ledger: entry() },
  theirs: { ledger: theirs },
  'theirs, disabled by them': { ledger: { ...theirs, disabledAt: now - day, goneSince: now - day } },
  'of a third sync': { ledger: entry({ owner: 'guests' }) },
  due: { ledger: due },
  'due, waiting': { ledger: { ...due, handOverSince: now - 3 * hour } },
  waiting: { ledger: entry({ handOverSince: now - hour }) },
  'disabled by us': { ledger: entry({ disabledAt: now - 40 * day, goneSince: now - 40 * day }) },
  released: { neighbors: release() },
  'released, out of scope': { neighbors: release('out-of-scope') },
  claimed: { neighbors: claim() },
  'claimed, one read since': { neighbors: claim(now - 2 * hour, now) },
  'undecided there, two reads since': {
    neighbors: claimIn(undecided('active', [true, true]), [now - hour, now - 2 * hour]),
  },
  'decided there once, two reads since': {
    neighbors: claimIn(undecided('active', [false, true]), [now - hour, now - 2 * hour]),
  },
  'claimed, two reads since': { neighbors: claim(now - hour, now - 2 * hour) },
  'create-only': { rules: { policy: 'create-only' } },
  'upsert-only': { rules: { policy: 'upsert-only' } },
  'outOfScope: disable': { rules: outOfScope },
  'remove after 30 days': { rules: removing },
};

/** What the source says; the account; what else counts → the rule; what is decided. */
const table: Readonly<Record<string, string>> = {
  'an active person whom the owner misses becomes ours': 'active; enabled; theirs; released → active-equal; taken',
  'an active person whom the owner disabled as missing is enabled':
    'active; disabled; theirs, disabled by them; released, out of scope → active-enable; taken; enable',
  'one whom others disabled is not':
    'active; disabled; theirs; released → active-foreign-disable; taken; foreign-disable',
  'a sync that may not enable takes over and leaves the account disabled':
    'active; disabled; theirs, disabled by them; released; create-only → active-enable; taken; forbidden enable',
  'without a release, the user stays the other sync’s': 'active; enabled; theirs → owned-by-other; owned-by-other-sync',
  'a release of a third sync does not count':
    'active; enabled; of a third sync; released → owned-by-other; owned-by-other-sync',
  'a leaver of ours is not taken over to be disabled':
    'leaver; enabled; theirs; released → owned-by-other; owned-by-other-sync',
  'the disable of a missing person waits for the sync that claims them':
    'missing; enabled; due; claimed → hand-over-expected; expected disable; hand-over-expected; since now; 3 misses',
  'so does the disable of a person out of scope':
    'out of scope; enabled; waiting; claimed, one read since; outOfScope: disable → hand-over-expected; expected disable; hand-over-expected; since 1 h',
  'so does the remove of a person who is missing long enough':
    'missing; disabled; disabled by us; claimed; remove after 30 days → hand-over-expected; expected remove; hand-over-expected; since now',
  'two full reads of that sync later, the disable is made':
    'missing; enabled; due, waiting; claimed, two reads since → missing-disable; disable; since 3 h; 3 misses',
  'full reads of that sync that could not decide about the person do not count':
    'missing; enabled; due, waiting; undecided there, two reads since → hand-over-expected; expected disable; hand-over-expected; since 3 h; 3 misses',
  'nor does the one that decided alone':
    'missing; enabled; due, waiting; decided there once, two reads since → hand-over-expected; expected disable; hand-over-expected; since 3 h; 3 misses',
  'nothing waits where nothing is due': 'missing; enabled; ours; claimed → missing-counted; 1 misses',
  'a leaver is disabled, whoever claims them': 'leaver; enabled; ours; claimed → leaver-enabled; disable',
  'what the policy forbids does not wait either':
    'missing; enabled; due; claimed; upsert-only → missing-disable; forbidden disable; 3 misses',
};

describe('the rows of the truth table about two syncs', () => {
  it.each(Object.entries(table))('%s', (_, row) => {
    const [given = '', expected = ''] = row.split(' → ');
    const parts = given.split('; ').map((word) => words[word] ?? expect.unreachable(word));
    const { rules: patch, ...subject } = Object.assign({ source: says.nothing() }, ...parts);
    const bare = { identification: 'E1', user: undefined, ledger: undefined };
    const decided = decide({ ...bare, ...subject }, { ...rules, ...patch }, now);
    const { rule, takenFrom, change, forbidden, expected: waits, finding, ledger } = decided;
    const since = ledger?.handOverSince;
    const told = [
      rule,
      takenFrom === 'contractors' ? 'taken' : takenFrom,
      change?.kind,
      forbidden && `forbidden ${forbidden}`,
      waits && `expected ${waits.kind}`,
      finding?.code,
      since && (since === now ? 'since now' : `since ${(now - since) / hour} h`),
      ledger?.misses && `${ledger.misses.count} misses`,
    ];
    expect(told.filter((word) => word !== undefined)).toEqual(expected.split('; '));
    if (waits !== undefined) expect(waits.classes).toEqual(['handOvers']);
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
