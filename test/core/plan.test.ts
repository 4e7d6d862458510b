import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/user.ts';
import type { AccountDecision } from '../../src/core/plan/account-decision.ts';
import type { ChangeKind } from '../../src/core/plan/change.ts';
import type { Parking } from '../../src/core/plan/email-order.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { decide, type PlanRules, type Rule, type SourceSays } from '../../src/core/plan/plan.ts';
import { day, entry, hour, now, rules, says, user, wanted } from './cases.ts';

interface Row {
  readonly name: string;
  readonly source: SourceSays;
  readonly user?: User;
  readonly ledger?: LedgerEntry;
  readonly rules?: Partial<PlanRules>;
  readonly parking?: Parking;
  readonly wasEnabled?: boolean;
  readonly toDisable?: AccountDecision;
  readonly rule: Rule;
  readonly change?: ChangeKind;
  readonly finding?: string;
}

const ours = entry();
const disabledByUs = entry({ disabledAt: now - 40 * day, goneSince: now - 40 * day });
const off = user({ enabled: false });
const removing = { remove: { afterMs: 30 * day, blacklist: false } } as const;
const others = entry({ owner: 'contractors' });
const parking: Parking = { email: 'e1@parked.example', claimant: 'E9' };
const toDisable: AccountDecision = { way: 'disable', identification: 'E1', accountId: '1', by: 'ana', why: 'a test' };
const twice = { count: 1, since: now - 2 * day, stamp: 'snapshot-1' };

const table: readonly Row[] = [
  {
    name: 'another sync owns the user, whatever the source says',
    source: says.leaver(),
    user: user(),
    ledger: others,
    rule: 'owned-by-other',
    finding: 'owned-by-other-sync',
  },
  {
    name: 'another sync owns the user, before an unusable row is looked at',
    source: says.unusable(),
    user: user(),
    ledger: others,
    rule: 'owned-by-other',
    finding: 'owned-by-other-sync',
  },
  {
    name: 'another sync owns a user who is in no record of ours',
    source: says.missing(),
    user: user(),
    ledger: others,
    rule: 'owned-by-other',
  },
  {
    name: 'another sync owns a user of whom this read proves nothing',
    source: says.nothing(),
    user: user(),
    ledger: others,
    rule: 'owned-by-other',
  },
  {
    name: 'a user whom another sync removed may be created by this one',
    source: says.active(),
    ledger: entry({ owner: 'contractors', removed: { at: now - day, blacklist: false } }),
    rule: 'active-create',
    change: 'create',
  },
  {
    name: 'an unusable row protects its person',
    source: says.unusable(),
    user: user(),
    ledger: ours,
    rule: 'unusable',
    finding: 'row-rejected',
  },
  {
    name: 'nothing can be concluded without proof',
    source: says.nothing(),
    user: user(),
    ledger: ours,
    rule: 'nothing',
  },
  {
    name: 'a row without a readable name makes no account',
    source: says.active({ refusesCreate: 'last_name is blank' }),
    rule: 'create-refused',
    finding: 'create-refused',
  },
  {
    name: 'a row that refuses a create still updates',
    source: says.active({ refusesCreate: 'last_name is blank', fields: { firstName: 'Eva' } }),
    user: user(),
    ledger: ours,
    rule: 'active-update',
    change: 'update',
  },
  {
    name: 'a row without a readable hire date enables nothing that we disabled',
    source: says.active({ refusesEnable: 'hired is not a date' }),
    user: off,
    ledger: disabledByUs,
    rule: 'enable-refused',
    finding: 'enable-refused',
  },
  {
    name: 'nor what is disabled at first sight',
    source: says.active({ refusesEnable: 'hired is not a date' }),
    user: off,
    rule: 'enable-refused',
    finding: 'enable-refused',
  },
  {
    name: 'nor what others disabled, even where that is configured',
    source: says.active({ refusesEnable: 'hired is not a date' }),
    user: off,
    ledger: ours,
    rules: { foreignDisable: 'enable' },
    rule: 'enable-refused',
    finding: 'enable-refused',
  },
  {
    name: 'an account that others disabled is reported as that first',
    source: says.active({ refusesEnable: 'hired is not a date' }),
    user: off,
    ledger: ours,
    rule: 'active-foreign-disable',
    finding: 'foreign-disable',
  },
  {
    name: 'out of scope is ignored by default',
    source: says.outOfScope(),
    user: user(),
    ledger: ours,
    rule: 'out-of-scope',
  },
  {
    name: 'out of scope disables where that is configured',
    source: says.outOfScope(),
    user: user(),
    ledger: ours,
    rules: { outOfScope: 'disable' },
    rule: 'out-of-scope',
    change: 'disable',
  },
  {
    name: 'out of scope never touches what is not ours',
    source: says.outOfScope(),
    user: user(),
    rules: { outOfScope: 'disable' },
    rule: 'out-of-scope',
  },
  {
    name: 'a leaver is disabled, ours or not',
    source: says.leaver(),
    user: user(),
    rule: 'leaver-enabled',
    change: 'disable',
  },
  {
    name: 'a leaver whom we disabled long ago is removed where that is configured',
    source: says.leaver(),
    user: off,
    ledger: disabledByUs,
    rules: removing,
    rule: 'leaver-remove',
    change: 'remove',
  },
  {
    name: 'a leaver disabled long ago is kept by default',
    source: says.leaver(),
    user: off,
    ledger: disabledByUs,
    rule: 'leaver-settled',
  },
  {
    name: 'a leaver whom we disabled too lately is kept',
    source: says.leaver(),
    user: off,
    ledger: entry({ disabledAt: now - 29 * day, goneSince: now - 40 * day }),
    rules: removing,
    rule: 'leaver-settled',
  },
  {
    name: 'a leaver who was seen active in between is kept',
    source: says.leaver(),
    user: off,
    ledger: entry({ disabledAt: now - 40 * day, goneSince: now - day }),
    rules: removing,
    rule: 'leaver-settled',
  },
  {
    name: 'a leaver disabled by somebody else is never removed',
    source: says.leaver(),
    user: off,
    ledger: ours,
    rules: removing,
    rule: 'leaver-settled',
  },
  {
    name: 'a leaver whom we removed before, and whose disabled account is new, is never removed',
    source: says.leaver(),
    user: off,
    ledger: entry({
      disabledAt: now - 40 * day,
      goneSince: now - 40 * day,
      removed: { at: now - day, blacklist: false },
    }),
    rules: removing,
    rule: 'leaver-settled',
  },
  {
    name: 'a leaver whose e-mail an employee is to get, and who is enabled, is disabled first',
    source: says.leaver(),
    user: user(),
    ledger: ours,
    parking,
    rule: 'leaver-enabled',
    change: 'disable',
  },
  {
    name: 'a disabled leaver of ours whose e-mail an employee is to get is given the parking address',
    source: says.leaver(),
    user: off,
    ledger: disabledByUs,
    parking,
    rule: 'leaver-parked',
    change: 'update',
  },
  {
    name: 'a disabled leaver is removed rather than parked',
    source: says.leaver(),
    user: off,
    ledger: disabledByUs,
    rules: removing,
    parking,
    rule: 'leaver-remove',
    change: 'remove',
  },
  {
    name: 'a disabled leaver who is not ours keeps the e-mail',
    source: says.leaver(),
    user: off,
    parking,
    rule: 'leaver-settled',
  },
  {
    name: 'a disabled leaver without a last name keeps the e-mail, because no write is possible',
    source: says.leaver(),
    user: user({ enabled: false, fields: { firstName: 'Ana', email: 'ana@example.com' } }),
    ledger: disabledByUs,
    parking,
    rule: 'leaver-settled',
  },
  {
    name: 'a disabled leaver whose new e-mail the platform ignored three times keeps the old one',
    source: says.leaver(),
    user: off,
    ledger: entry({
      disabledAt: now - day,
      quirks: { email: { sent: parking.email, observed: off.fields.email ?? '', ignored: 3 } },
    }),
    parking,
    rule: 'leaver-settled',
  },
  { name: 'a leaver without an account needs nothing', source: says.leaver(), rule: 'leaver-settled' },
  {
    name: 'an active person removed with blacklist is a conflict',
    source: says.active(),
    ledger: entry({ removed: { at: now - day, blacklist: true } }),
    rule: 'active-blacklisted',
    finding: 'removed-with-blacklist',
  },
  {
    name: 'an active person removed without blacklist is created again',
    source: says.active(),
    ledger: entry({ removed: { at: now - day, blacklist: false } }),
    rule: 'active-create',
    change: 'create',
  },
  {
    name: 'an active person without an account is created',
    source: says.active(),
    rule: 'active-create',
    change: 'create',
  },
  {
    name: 'an account that differs is updated',
    source: says.active(),
    user: user({ fields: { ...wanted, lastName: 'Old' } }),
    rule: 'active-update',
    change: 'update',
  },
  {
    name: 'an account that is equal needs nothing',
    source: says.active(),
    user: user(),
    ledger: ours,
    rule: 'active-equal',
  },
  {
    name: 'a disabled account at first sight of an active person is enabled',
    source: says.active(),
    user: off,
    rule: 'active-enable',
    change: 'enable',
  },
  {
    name: 'an account that we disabled is enabled for an active person',
    source: says.active(),
    user: off,
    ledger: disabledByUs,
    rule: 'active-enable',
    change: 'enable',
  },
  {
    name: 'an account that is not ours, was seen enabled and is disabled now was disabled by somebody else',
    source: says.active(),
    user: off,
    wasEnabled: true,
    rule: 'active-foreign-disable',
    finding: 'foreign-disable',
  },
  {
    name: 'an account of ours that we disabled is enabled, although an earlier read saw it enabled',
    source: says.active(),
    user: off,
    ledger: disabledByUs,
    wasEnabled: true,
    rule: 'active-enable',
    change: 'enable',
  },
  {
    name: 'an account that somebody else disabled is reported',
    source: says.active(),
    user: off,
    ledger: ours,
    rule: 'active-foreign-disable',
    finding: 'foreign-disable',
  },
  {
    name: 'an account that somebody else disabled is enabled where that is configured',
    source: says.active(),
    user: off,
    ledger: ours,
    rules: { foreignDisable: 'enable' },
    rule: 'active-foreign-disable',
    change: 'enable',
  },
  {
    name: 'the first miss is only counted',
    source: says.missing(),
    user: user(),
    ledger: ours,
    rule: 'missing-counted',
  },
  {
    name: 'the second miss after a day disables',
    source: says.missing(),
    user: user(),
    ledger: entry({ misses: twice }),
    rule: 'missing-disable',
    change: 'disable',
  },
  {
    name: 'two misses within a day are too few hours',
    source: says.missing(),
    user: user(),
    ledger: entry({ misses: { ...twice, since: now - 23 * hour } }),
    rule: 'missing-counted',
  },
  {
    name: 'a long absence seen once is too few reads',
    source: says.missing(),
    user: user(),
    ledger: entry({ misses: { count: 1, since: now - 9 * day, stamp: 'snapshot-2' } }),
    rule: 'missing-counted',
  },
  {
    name: 'absence never disables where missing is never',
    source: says.missing(),
    user: user(),
    ledger: entry({ misses: twice }),
    rules: { missing: 'never' },
    rule: 'missing-counted',
  },
  {
    name: 'a missing person whom we disabled long ago is removed where that is configured',
    source: says.missing(),
    user: off,
    ledger: disabledByUs,
    rules: removing,
    rule: 'missing-remove',
    change: 'remove',
  },
  {
    name: 'a missing person with a disabled account needs nothing',
    source: says.missing(),
    user: off,
    ledger: ours,
    rule: 'missing-settled',
  },
  {
    name: 'a missing person who is not ours is left alone',
    source: says.missing(),
    user: user(),
    rule: 'missing-unmanaged',
  },
  {
    name: 'an account that no sync owns is disabled by a decision',
    source: says.missing(),
    user: user(),
    toDisable,
    rule: 'missing-decided',
    change: 'disable',
  },
  {
    name: 'also one that was removed before, and is there again',
    source: says.missing(),
    user: user(),
    ledger: entry({ removed: { at: now - day, blacklist: false } }),
    toDisable,
    rule: 'missing-decided',
    change: 'disable',
  },
  {
    name: 'the decision ends with the account that it is about',
    source: says.missing(),
    user: user({ id: '2' }),
    toDisable,
    rule: 'missing-unmanaged',
    finding: 'decision-without-effect',
  },
  {
    name: 'nothing is left to do for a decision about a disabled account',
    source: says.missing(),
    user: off,
    toDisable,
    rule: 'missing-unmanaged',
  },
  {
    name: 'the decision has no effect where HR has the person',
    source: says.active(),
    user: user(),
    toDisable,
    rule: 'active-equal',
    finding: 'decision-without-effect',
  },
  {
    name: 'nor where the person is out of scope',
    source: says.outOfScope(),
    user: user(),
    toDisable,
    rule: 'out-of-scope',
    finding: 'decision-without-effect',
  },
  {
    name: 'nor where the person starts later',
    source: { says: 'nothing', reason: 'starts later', isSeen: true },
    user: user(),
    toDisable,
    rule: 'nothing',
    finding: 'decision-without-effect',
  },
  {
    name: 'a leaver is disabled whatever was decided',
    source: says.leaver(),
    user: user(),
    toDisable,
    rule: 'leaver-enabled',
    change: 'disable',
  },
  {
    name: 'the decision proves no absence: a read that may be incomplete disables no one',
    source: says.nothing(),
    user: user(),
    toDisable,
    rule: 'nothing',
  },
  {
    name: 'nor does a record that cannot be used',
    source: says.unusable(),
    user: user(),
    toDisable,
    rule: 'unusable',
    finding: 'row-rejected',
  },
  {
    name: 'the decision is over once the account is ours',
    source: says.missing(),
    user: user(),
    ledger: ours,
    toDisable,
    rule: 'missing-counted',
  },
  {
    name: 'or belongs to another sync',
    source: says.missing(),
    user: user(),
    ledger: others,
    toDisable,
    rule: 'owned-by-other',
  },
  {
    name: 'protection wins over the decision',
    source: says.missing(),
    user: user(),
    toDisable,
    rules: { protected: ['E1'] },
    rule: 'missing-decided',
    finding: 'protected-user',
  },
  {
    name: 'and so does a policy without disables',
    source: says.missing(),
    user: user(),
    toDisable,
    rules: { policy: 'upsert-only' },
    rule: 'missing-decided',
  },
];

describe('the truth table', () => {
  it.each(table)('$name', (row) => {
    const decision = decide(
      {
        identification: 'E1',
        source: row.source,
        user: row.user,
        ledger: row.ledger,
        ...(row.parking === undefined ? {} : { parking: row.parking }),
        ...(row.wasEnabled === undefined ? {} : { wasEnabled: row.wasEnabled }),
        ...(row.toDisable === undefined ? {} : { toDisable: row.toDisable }),
      },
      { ...rules, ...row.rules },
      now,
    );

    expect({ rule: decision.rule, change: decision.change?.kind, finding: decision.finding?.code }).toEqual({
      rule: row.rule,
      change: row.change,
      finding: row.finding,
    });
  });

  it('has a test for every rule', () => {
    const rulesSeen = new Set(table.map(({ rule }) => rule));
    expect([...rulesSeen].sort()).toHaveLength(22);
  });
});

describe('a person whose absence is counted', () => {
  const waitOf = (over: Partial<PlanRules> = {}, misses?: LedgerEntry['misses']) => {
    const ledger = misses === undefined ? ours : entry({ misses });
    const subject = { identification: 'E1', source: says.missing(), user: user(), ledger };
    return decide(subject, { ...rules, missing: { afterReads: 2, minAgeMs: day }, ...over }, now).wait;
  };

  it('is disabled after so many reads, a day after the first of them at the earliest', () => {
    expect(waitOf()).toEqual({ afterReads: 2, from: now + day });
    expect(waitOf({}, { count: 1, since: now - 5 * hour, stamp: 'snapshot-1' })).toEqual({
      afterReads: 2,
      from: now + 19 * hour,
    });
  });

  it.each<{ name: string; over: Partial<PlanRules> }>([
    { name: 'missing is never', over: { missing: 'never' } },
    { name: 'the policy has no disables', over: { policy: 'upsert-only' } },
    { name: 'the person is protected', over: { protected: ['E1'] } },
  ])('is never disabled where $name', ({ over }) => {
    expect(waitOf(over)).toBeUndefined();
  });
});

describe('to the millisecond', () => {
  const decided = (source: SourceSays, shown: User, ledger: LedgerEntry) =>
    decide({ identification: 'E1', source, user: shown, ledger }, { ...rules, ...removing }, now);

  it('absence disables from the very age on', () => {
    const missedFor = (ms: number) =>
      decided(says.missing(), user(), entry({ misses: { count: 1, since: now - ms, stamp: 'snapshot-1' } })).rule;
    expect([day - 1, day].map(missedFor)).toEqual(['missing-counted', 'missing-disable']);
  });

  it.each(['disabledAt', 'goneSince'] as const)('%s alone decides when it is the later one', (late) => {
    const removedAfter = (ms: number) =>
      decided(says.leaver(), off, entry({ disabledAt: now - 90 * day, goneSince: now - 90 * day, [late]: now - ms }))
        .rule;
    expect([30 * day - 1, 30 * day].map(removedAfter)).toEqual(['leaver-settled', 'leaver-remove']);
  });
});

describe('a change carries', () => {
  const changeOf = (source: SourceSays, shown: User | undefined, ledger?: LedgerEntry) =>
    decide({ identification: 'E1', source, user: shown, ledger }, { ...rules, ...removing }, now).change;
  const before = { userId: '1', enabled: true, fields: wanted, lastUpdate: '2026-01-01T00:00:00' };

  it('of a create, every field that is not blank as changed', () => {
    const fields = { ...wanted, area: '' };
    expect(changeOf(says.active({ fields }), undefined)).toEqual({
      identification: 'E1',
      kind: 'create',
      before: undefined,
      after: fields,
      changed: ['firstName', 'lastName', 'email'],
      classes: ['creates'],
      reason: 'active, and not on the platform',
    });
  });

  it.each([
    [{ lastName: 'Old' }, {}, [['lastName'], ['updates'], 'differs in lastName']],
    [{ email: 'o@example.com' }, {}, [['email'], ['updates', 'emailChanges'], 'differs in email']],
    [{}, { job: 'Baker' }, [['job'], ['firstSight'], 'first write of job, not shown by the platform']],
    [
      { lastName: 'Old' },
      { job: 'Baker' },
      [['lastName', 'job'], ['updates', 'firstSight'], 'differs in lastName, job'],
    ],
  ] as const)('of an update from %j with %j, what differs and why', (shown, more, [changed, classes, reason]) => {
    const fields = { ...wanted, ...shown };
    const after = { ...wanted, ...more };
    expect(changeOf(says.active({ fields: after }), user({ fields }))).toEqual({
      identification: 'E1',
      kind: 'update',
      before: { ...before, fields },
      after,
      changed,
      classes,
      reason,
    });
  });

  it.each([
    [undefined, {}, [[], ['enables'], 'active, and disabled when first seen']],
    [
      disabledByUs,
      { email: 'o@example.com' },
      [['email'], ['enables', 'emailChanges'], 'active again, and disabled by us before'],
    ],
  ] as const)('of an enable, its update', (ledger, shown, [changed, classes, reason]) => {
    const fields = { ...wanted, ...shown };
    expect(changeOf(says.active(), user({ enabled: false, fields }), ledger)).toEqual({
      identification: 'E1',
      kind: 'enable',
      before: { ...before, enabled: false, fields },
      after: wanted,
      changed,
      classes,
      reason,
    });
  });

  it('of a user without a last update, none', () => {
    const { lastUpdate: _, ...shown } = user();
    const { lastUpdate: __, ...expected } = before;
    expect(changeOf(says.leaver(), shown)?.before).toStrictEqual(expected);
  });

  it.each([
    [says.leaver(), undefined, 'left: status "active"'],
    [says.missing(), entry({ misses: twice }), 'missing in 2 complete reads since 2026-11-19T12:00:00.000Z'],
  ] as const)('of a disable, the user as it was: %#', (source, ledger, reason) => {
    const expected = { identification: 'E1', kind: 'disable', before, after: {}, changed: [], classes: ['disables'] };
    expect(changeOf(source, user(), ledger)).toEqual({ ...expected, reason });
  });

  it('of a remove, the user as it was and since when it is disabled and gone', () => {
    const ledger = entry({ disabledAt: now - 40 * day, goneSince: now - 50 * day });
    expect(changeOf(says.leaver(), off, ledger)).toEqual({
      identification: 'E1',
      kind: 'remove',
      before: { ...before, enabled: false },
      after: {},
      changed: [],
      classes: ['removes'],
      reason: 'disabled and gone since 2026-10-12T12:00:00.000Z',
    });
  });
});

describe('a finding', () => {
  const findingOf = (source: SourceSays, shown?: User, ledger?: LedgerEntry) =>
    decide({ identification: 'E1', source, user: shown, ledger }, rules, now).finding;

  it('names the record that it is about, where there is one', () => {
    expect(findingOf(says.active(), off, ours)).toMatchObject({ identification: 'E1', at: 'line 2' });
    expect(findingOf({ says: 'unusable', code: 'duplicate-key', reason: 'twice', at: 'line 9' })).toEqual({
      code: 'duplicate-key',
      identification: 'E1',
      message: 'twice',
      at: 'line 9',
    });
    expect(findingOf(says.unusable())).not.toHaveProperty('at');
  });

  it('tells of a field that the platform ignores, once it is not sent any more', () => {
    const quirk = (ignored: number) => entry({ quirks: { area: { sent: 'Sales', observed: '', ignored } } });
    const source = says.active({ fields: { ...wanted, area: 'Sales' } });
    expect(findingOf(source, user(), quirk(2))).toBeUndefined();
    expect(findingOf(source, user(), quirk(3))).toMatchObject({
      code: 'ignored-field',
      message: expect.stringContaining('ignored area 3 times'),
    });
  });
});

describe('policy and protection only take away', () => {
  it.each([
    { policy: 'upsert-only', source: says.leaver(), user: user(), kind: undefined },
    { policy: 'upsert-only', source: says.active(), user: off, kind: 'enable' },
    { policy: 'create-only', source: says.active(), user: off, kind: undefined },
    { policy: 'create-only', source: says.active(), user: undefined, kind: 'create' },
    { policy: 'sync', source: says.leaver(), user: user(), kind: 'disable' },
    { policy: 'upsert-only', source: says.active(), user: user({ fields: {} }), kind: 'update' },
    { policy: 'create-only', source: says.active(), user: user({ fields: {} }), kind: undefined },
  ] as const)('$policy: $source.says gives $kind', ({ policy, source, user: account, kind }) => {
    const decision = decide(
      { identification: 'E1', source, user: account, ledger: undefined },
      { ...rules, policy },
      now,
    );
    expect(decision.change?.kind).toBe(kind);
  });

  it.each([
    { kind: 'disable' as const, enabled: true, ledger: undefined },
    { kind: 'remove' as const, enabled: false, ledger: entry({ disabledAt: 0, goneSince: 0 }) },
  ])('leaves the $kind of a protected user out, and says so', ({ kind, enabled, ledger }) => {
    const subject = { identification: 'E1', source: says.leaver(), user: user({ enabled }), ledger };
    const removing: PlanRules = { ...rules, remove: { afterMs: day, blacklist: false } };
    expect(decide(subject, removing, now).change?.kind).toBe(kind);
    const decision = decide(subject, { ...removing, protected: ['E1'] }, now);
    expect(decision.change).toBeUndefined();
    expect(decision).toMatchObject({ forbidden: kind, finding: { code: 'protected-user' } });
  });

  it('leaves a protected leaver the e-mail', () => {
    const subject = { identification: 'E1', source: says.leaver(), user: off, ledger: disabledByUs, parking };
    const decision = decide(subject, { ...rules, protected: ['E1'] }, now);
    expect(decision).toMatchObject({ forbidden: 'update', finding: { code: 'protected-user' } });
    expect(decision).not.toHaveProperty('change');
  });

  it('writes the parking address, both names as shown, and what a write would clear', () => {
    const ledger = entry({ disabledAt: now - day, hidden: { job: 'Baker' } });
    const subject = { identification: 'E1', source: says.leaver(), user: off, ledger, parking };
    const { change } = decide(subject, { ...rules, carried: ['job'] }, now);
    const { firstName, lastName } = off.fields;
    expect(change).toMatchObject({
      after: { firstName, lastName, email: 'e1@parked.example', job: 'Baker' },
      changed: ['email'],
      classes: ['updates', 'emailChanges'],
      reason: 'left, and E9 needs the e-mail, so the account gets its parking address',
      before: { enabled: false },
    });
  });

  it('never removes a protected user, and lets one be enabled', () => {
    const patch = { ...rules, ...removing, protected: ['E1'] };
    const gone = { identification: 'E1', source: says.leaver(), user: off, ledger: disabledByUs };
    expect(decide(gone, patch, now)).toMatchObject({ forbidden: 'remove', finding: { code: 'protected-user' } });
    const back = { ...gone, source: says.active() };
    expect(decide(back, patch, now)).toMatchObject({ change: { kind: 'enable' } });
    expect(decide(back, patch, now)).not.toHaveProperty('forbidden');
  });

  it('keeps what the ledger learns of a change that is forbidden', () => {
    const subject = { identification: 'E1', source: says.missing(), user: user(), ledger: entry({ misses: twice }) };
    const decision = decide(subject, { ...rules, policy: 'upsert-only' }, now);
    expect(decision).toMatchObject({ rule: 'missing-disable', forbidden: 'disable', ledger: { misses: { count: 2 } } });
    expect(decision).not.toHaveProperty('change');
  });
});

describe('what the ledger learns', () => {
  const learn = (
    source: SourceSays,
    account: User | undefined,
    ledger: LedgerEntry | undefined,
    patch: Partial<PlanRules> = {},
  ) => decide({ identification: 'E1', source, user: account, ledger }, { ...rules, ...patch }, now).ledger;

  it('an equal user becomes ours', () => {
    expect(learn(says.active(), user(), undefined)).toEqual(entry());
  });

  it('nothing, when nothing changed', () => {
    expect(learn(says.active(), user(), ours)).toBeUndefined();
    expect(learn(says.unusable(), user(), ours)).toBeUndefined();
    expect(learn(says.outOfScope(), user(), ours)).toBeUndefined();
  });

  it('a person who is seen again is no longer missing', () => {
    expect(learn(says.active(), user(), entry({ misses: twice }))).toEqual(entry());
    expect(learn(says.unusable(), user(), entry({ misses: twice }))).toEqual(entry());
  });

  it.each<{ name: string; source: SourceSays; patch: Partial<PlanRules>; kind: string | undefined }>([
    { name: 'a leaver who is disabled', source: says.leaver(), patch: {}, kind: 'disable' },
    {
      name: 'a leaver whose disable is forbidden',
      source: says.leaver(),
      patch: { policy: 'upsert-only' },
      kind: undefined,
    },
    {
      name: 'a person out of scope who is disabled',
      source: says.outOfScope(),
      patch: { outOfScope: 'disable' },
      kind: 'disable',
    },
  ])('the absences of $name are void, whatever becomes of the change', ({ source, patch, kind }) => {
    const ledger = entry({ misses: twice, goneSince: now - day });
    const decision = decide({ identification: 'E1', source, user: user(), ledger }, { ...rules, ...patch }, now);
    expect(decision.change?.kind).toBe(kind);
    expect(decision.ledger).toEqual(entry({ goneSince: now - day }));
  });

  it('the absences of a leaver whose account is disabled are void', () => {
    expect(learn(says.leaver(), off, entry({ misses: twice }))).toEqual(entry());
    const disabled = { disabledAt: now - 2 * day, goneSince: now - day };
    expect(learn(says.leaver(), off, entry({ misses: twice, ...disabled }))).toEqual(entry(disabled));
  });

  it('a miss of the same snapshot is not counted twice', () => {
    const counted = learn(says.missing(), user(), ours);
    expect(counted?.misses).toEqual({ count: 1, since: now, stamp: 'snapshot-2' });
    expect(learn(says.missing(), user(), counted)).toBeUndefined();
  });

  it('a person who is gone while disabled by us starts the clock towards removal', () => {
    expect(learn(says.leaver(), off, entry({ disabledAt: now - day }))?.goneSince).toBe(now);
  });

  it('a user who is gone from both sides is ours no more', () => {
    const removed = { at: now, blacklist: false };
    expect(learn(says.leaver(), undefined, ours)).toEqual(entry({ removed }));
    expect(learn(says.missing(), undefined, ours)).toEqual(entry({ removed }));
    expect(learn(says.leaver(), undefined, entry({ removed: { at: 1, blacklist: true } }))).toBeUndefined();
  });

  it('nothing of a person who is gone, whom somebody else disabled or whose clock runs already', () => {
    expect(learn(says.leaver(), off, ours)).toBeUndefined();
    expect(learn(says.leaver(), off, disabledByUs)).toBeUndefined();
    expect(learn(says.missing(), off, entry({ disabledAt: now - day }), removing)?.goneSince).toBe(now);
  });

  it('a record that names the person ends the count, though nothing can be concluded from it', () => {
    const missed = entry({ misses: twice });
    expect(learn({ says: 'nothing', reason: 'hired for later', isSeen: true }, user(), missed)).toEqual(entry());
    expect(learn(says.nothing(), user(), missed)).toBeUndefined();
    expect(learn(says.outOfScope(), user(), missed)).toEqual(entry());
  });

  it('nothing of an entry that is not ours', () => {
    const removed = entry({ misses: twice, removed: { at: now - day, blacklist: false } });
    expect(learn(says.unusable(), user(), removed)).toBeUndefined();
    expect(learn(says.missing(), user(), removed)).toBeUndefined();
  });

  it('an equal user whom we removed before becomes ours from nothing', () => {
    const removed = entry({ hidden: { job: 'Baker' }, removed: { at: now - day, blacklist: true } });
    expect(learn(says.active(), user(), removed)).toEqual(entry());
  });

  it('nothing of what was known of a user before we removed it', () => {
    const removed = entry({ hidden: { job: 'Baker' }, removed: { at: now - day, blacklist: false } });
    const source = says.active({ fields: { ...wanted, job: 'Baker' } });
    const decision = decide({ identification: 'E1', source, user: user(), ledger: removed }, rules, now);
    expect(decision.change).toMatchObject({ kind: 'update', changed: ['job'], classes: ['firstSight'] });
  });

  it('what is assumed of write-only fields', () => {
    const source = says.active({ fields: { ...wanted, job: 'Baker' } });
    expect(learn(source, user(), undefined, { firstSight: 'assume' })).toEqual(entry({ hidden: { job: 'Baker' } }));
    expect(learn(source, user(), ours, { firstSight: 'assume' })).toEqual(entry({ hidden: { job: 'Baker' } }));
  });

  it('an account that somebody enabled again is no longer disabled by us', () => {
    expect(learn(says.active(), user(), entry({ disabledAt: now - day }))).toEqual(entry());
  });
});

describe('an account that was deleted and created again', () => {
  const again = (patch: Partial<User> = {}) => user({ id: '2', ...patch });
  const known = entry({
    disabledAt: now - 40 * day,
    goneSince: now - 40 * day,
    hidden: { job: 'Baker' },
    misses: twice,
  });
  const job = { ...wanted, job: 'Baker' };

  it.each([
    [
      'of an active employee is enabled, also if disabled elsewhere',
      [says.active(), again({ enabled: false }), ours],
      'enable',
    ],
    ['gets write-only fields at first sight', [says.active({ fields: job }), again(), known], 'update'],
    ['of a leaver is disabled', [says.leaver(), again(), others], 'disable'],
    [
      'is enabled, although the earlier one was another sync’s',
      [says.active(), again({ enabled: false }), others],
      'enable',
    ],
    ['is not removed for the earlier one', [says.leaver(), again({ enabled: false }), known], undefined],
    ['of a missing employee is not ours', [says.missing(), again(), known], undefined],
  ] as const)('%s', (_, [source, account, ledger], kind) => {
    const decision = decide({ identification: 'E1', source, user: account, ledger }, { ...rules, ...removing }, now);
    expect(decision.change?.kind).toBe(kind);
    expect(decision.finding).toBeUndefined();
    expect(decision.ledger).toBeUndefined();
  });

  it.each([
    ['ours', known],
    ['another sync’s', others],
  ])('becomes ours anew when it is equal, though the earlier one was %s', (_, ledger) => {
    const decision = decide({ identification: 'E1', source: says.active(), user: again(), ledger }, rules, now);
    expect(decision).toEqual({ rule: 'active-equal', ledger: entry({ accountId: '2' }) });
  });

  it('is noticed only by its id: an entry of an earlier version learns it from the account that is there', () => {
    const { accountId: _, ...old } = known;
    const learnt = (source: SourceSays, account: User) =>
      decide({ identification: 'E1', source, user: account, ledger: old }, rules, now).ledger?.accountId;
    expect(learnt(says.active(), again())).toBe('2');
    expect(learnt(says.leaver(), again({ enabled: false }))).toBe('2');
    expect(learnt(says.missing(), again())).toBe('2');
    for (const source of [says.unusable(), says.nothing(), says.outOfScope()])
      expect(learnt(source, again())).toBeUndefined();
  });
});

describe('whatever the sides say', () => {
  const sources = fc.constantFrom(...Object.values(says)).map((make) => make());
  const users = fc.option(fc.record({ enabled: fc.boolean(), lastName: fc.constantFrom('Díaz', 'Old') }), {
    nil: undefined,
  });
  const ledgers = fc.option(
    fc.record({
      owner: fc.constantFrom('people', 'contractors'),
      disabledAt: fc.option(fc.constant(now - 60 * day), { nil: undefined }),
      misses: fc.option(fc.constant(twice), { nil: undefined }),
    }),
    { nil: undefined },
  );
  const patches: fc.Arbitrary<Partial<PlanRules>> = fc.record({
    policy: fc.constantFrom('sync', 'upsert-only', 'create-only'),
    outOfScope: fc.constantFrom('ignore', 'disable'),
    foreignDisable: fc.constantFrom('report', 'enable'),
    remove: fc.constantFrom<PlanRules['remove'][]>('never', { afterMs: 30 * day, blacklist: true }),
  });

  it('nobody active is disabled or removed, nobody gone is created or enabled, and others’ users stay untouched', () => {
    fc.assert(
      fc.property(sources, users, ledgers, patches, (source, account, known, patch) => {
        const { disabledAt, misses, owner } = known ?? { owner: 'people' };
        const ledger =
          known &&
          entry({
            owner,
            ...(disabledAt === undefined ? {} : { disabledAt }),
            ...(misses === undefined ? {} : { misses }),
          });
        const subject = {
          identification: 'E1',
          source,
          user: account && user({ enabled: account.enabled, fields: { ...wanted, lastName: account.lastName } }),
          ledger,
        };
        const { change } = decide(subject, { ...rules, ...patch }, now);
        const kind = change?.kind;
        if (source.says === 'active') expect(['disable', 'remove']).not.toContain(kind);
        else expect(['create', 'update', 'enable']).not.toContain(kind);
        if (ledger?.owner === 'contractors' || source.says === 'nothing' || source.says === 'unusable')
          expect(kind).toBeUndefined();
      }),
    );
  });
});

describe('somebody who is seen again', () => {
  const missed = { misses: { count: 1, since: now - 2 * day, stamp: 'snapshot-0' } };
  const gone = { disabledAt: now - 40 * day, goneSince: now - 40 * day };
  it.each([
    { name: 'and differs', ledger: entry(missed), user: user({ fields: {} }) },
    { name: 'and is to be created anew', ledger: entry(missed), user: undefined },
    { name: 'and was disabled by somebody else', ledger: entry(missed), user: off },
    { name: 'and is to be enabled', ledger: entry({ ...gone, ...missed }), user: off },
  ])('$name starts anew to be missing and gone, even if the change never lands', ({ ledger, user: shown }) => {
    const decided = decide({ identification: 'E1', source: says.active(), user: shown, ledger }, rules, now).ledger;
    expect(decided).toBeDefined();
    expect(decided).not.toHaveProperty('misses');
    expect(decided).not.toHaveProperty('goneSince');
    expect(decided?.disabledAt).toBe(ledger.disabledAt);
  });
});
