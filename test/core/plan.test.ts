import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/fields.ts';
import type { Parking } from '../../src/core/plan/email-order.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { type Case, decide, type PlanRules, type SourceSays } from '../../src/core/plan/plan.ts';
import type { AccountDecision } from '../../src/core/plan/standing.ts';
import { day, entry, hour, now, rules, says, user, wanted } from './cases.ts';

const ours = entry();
const disabledByUs = entry({ disabledAt: now - 40 * day, goneSince: now - 40 * day });
const off = user({ enabled: false });
const removing = { remove: { afterMs: 30 * day, blacklist: false } } as const;
const others = entry({ owner: 'contractors' });
const parking: Parking = { email: 'e1@parked.example', why: 'left, and E9 needs the e-mail' };
const toDisable: AccountDecision = { way: 'disable', identification: 'E1', accountId: '1', by: 'ana', why: 'a test' };
const twice = { count: 1, since: now - 2 * day, stamp: 'snapshot-1' };
const removed = (blacklist: boolean) => ({ removed: { at: now - day, blacklist } });
const ignored = { email: { sent: parking.email, observed: off.fields.email ?? '', ignored: 3 } };

/** The words of the table below, and what they stand for. */
const words: Readonly<Record<string, Partial<Case> & { readonly rules?: Partial<PlanRules> }>> = {
  active: { source: says.active() },
  'active, no name': { source: says.active({ refusesCreate: 'last_name is blank', fields: { firstName: 'Eva' } }) },
  'active, no hire date': { source: says.active({ refusesEnable: 'hired is not a date' }) },
  leaver: { source: says.leaver() },
  'out of scope': { source: says.outOfScope() },
  missing: { source: says.missing() },
  unusable: { source: says.unusable() },
  nothing: { source: says.nothing() },
  'starts later': { source: { says: 'nothing', reason: 'starts later', isSeen: true } },
  enabled: { user: user() },
  disabled: { user: off },
  differs: { user: user({ fields: { ...wanted, lastName: 'Old' } }) },
  'another account': { user: user({ id: '2' }) },
  'disabled, without a last name': { user: user({ enabled: false, fields: { firstName: 'Ana', email: 'ana@x.org' } }) },
  ours: { ledger: ours },
  theirs: { ledger: others },
  'disabled by us': { ledger: disabledByUs },
  'disabled by us lately': { ledger: entry({ disabledAt: now - 29 * day, goneSince: now - 40 * day }) },
  'disabled by us, gone lately': { ledger: entry({ disabledAt: now - 40 * day, goneSince: now - day }) },
  'disabled by us, removed since': { ledger: { ...disabledByUs, ...removed(false) } },
  'disabled by us, e-mail ignored': { ledger: entry({ disabledAt: now - day, quirks: ignored }) },
  'removed by them': { ledger: entry({ owner: 'contractors', ...removed(false) }) },
  'removed by us': { ledger: entry(removed(false)) },
  blacklisted: { ledger: entry(removed(true)) },
  'missed before': { ledger: entry({ misses: twice }) },
  'missed before, within a day': { ledger: entry({ misses: { ...twice, since: now - 23 * hour } }) },
  'missed before, in this read': { ledger: entry({ misses: { ...twice, since: now - 9 * day, stamp: 'snapshot-2' } }) },
  claimed: { parking },
  'a stranger': { stranger: { words: 'E1 was Ana; HR now calls E1 Eva', nameDigest: 'x' } },
  taken: { stranger: { words: '', nameDigest: 'x', parted: { by: 'ana' } } },
  'seen enabled': { wasEnabled: true },
  'to disable': { toDisable },
  'outOfScope: disable': { rules: { outOfScope: 'disable' } },
  'foreignDisable: enable': { rules: { foreignDisable: 'enable' } },
  'missing: never': { rules: { missing: 'never' } },
  'remove after 30 days': { rules: removing },
  protected: { rules: { protected: ['E1'] } },
  'upsert-only': { rules: { policy: 'upsert-only' } },
};

/** What the source says; the account; what else counts → the rule: the change, or the code of the finding. */
const table: Readonly<Record<string, string>> = {
  'another sync owns the user, whatever the source says':
    'leaver; enabled; theirs → owned-by-other: owned-by-other-sync',
  'another sync owns the user, before an unusable row is looked at':
    'unusable; enabled; theirs → owned-by-other: owned-by-other-sync',
  'another sync owns a user who is in no record of ours': 'missing; enabled; theirs → owned-by-other',
  'another sync owns a user of whom this read proves nothing': 'nothing; enabled; theirs → owned-by-other',
  'a user whom another sync removed may be created by this one': 'active; removed by them → active-create: create',
  'an unusable row protects its person': 'unusable; enabled; ours → unusable: row-rejected',
  'nothing can be concluded without proof': 'nothing; enabled; ours → nothing',
  'a row without a readable name makes no account': 'active, no name → create-refused: create-refused',
  'a row that refuses a create still updates': 'active, no name; enabled; ours → active-update: update',
  'a row without a readable hire date enables nothing that we disabled':
    'active, no hire date; disabled; disabled by us → enable-refused: enable-refused',
  'nor what is disabled at first sight': 'active, no hire date; disabled → enable-refused: enable-refused',
  'nor what others disabled, even where that is configured':
    'active, no hire date; disabled; ours; foreignDisable: enable → enable-refused: enable-refused',
  'an account that others disabled is reported as that first':
    'active, no hire date; disabled; ours → active-foreign-disable: foreign-disable',
  'out of scope is ignored by default': 'out of scope; enabled; ours → out-of-scope',
  'out of scope disables where that is configured':
    'out of scope; enabled; ours; outOfScope: disable → out-of-scope: disable',
  'out of scope never touches what is not ours': 'out of scope; enabled; outOfScope: disable → out-of-scope',
  'a leaver is disabled, ours or not': 'leaver; enabled → leaver-enabled: disable',
  'a leaver whom we disabled long ago is removed where that is configured':
    'leaver; disabled; disabled by us; remove after 30 days → leaver-remove: remove',
  'a leaver disabled long ago is kept by default': 'leaver; disabled; disabled by us → leaver-settled',
  'a leaver whom we disabled too lately is kept':
    'leaver; disabled; disabled by us lately; remove after 30 days → leaver-settled',
  'a leaver who was seen active in between is kept':
    'leaver; disabled; disabled by us, gone lately; remove after 30 days → leaver-settled',
  'a leaver disabled by somebody else is never removed':
    'leaver; disabled; ours; remove after 30 days → leaver-settled',
  'a leaver whom we removed before, and whose disabled account is new, is never removed':
    'leaver; disabled; disabled by us, removed since; remove after 30 days → leaver-settled',
  'a leaver whose e-mail an employee is to get, and who is enabled, is disabled first':
    'leaver; enabled; ours; claimed → leaver-enabled: disable',
  'a disabled leaver of ours whose e-mail an employee is to get is given the parking address':
    'leaver; disabled; disabled by us; claimed → leaver-parked: update',
  'a disabled leaver is removed rather than parked':
    'leaver; disabled; disabled by us; claimed; remove after 30 days → leaver-remove: remove',
  'a disabled leaver who is not ours keeps the e-mail': 'leaver; disabled; claimed → leaver-settled',
  'a disabled leaver without a last name keeps the e-mail, because no write is possible':
    'leaver; disabled, without a last name; disabled by us; claimed → leaver-settled',
  'a disabled leaver whose new e-mail the platform ignored three times keeps the old one':
    'leaver; disabled; disabled by us, e-mail ignored; claimed → leaver-settled',
  'a leaver without an account needs nothing': 'leaver → leaver-settled',
  'an account that a person took from its record is disabled': 'active; enabled; ours; taken → another-person: disable',
  'and never enabled for the person of the record':
    'active; disabled; disabled by us; taken → another-person: another-person',
  'and given the parking address': 'active; disabled; disabled by us; taken; claimed → leaver-parked: update',
  'a record about another person updates, when that is approved': 'active; differs; a stranger → active-update: update',
  'an active person removed with blacklist is a conflict':
    'active; blacklisted → active-blacklisted: removed-with-blacklist',
  'an active person removed without blacklist is created again': 'active; removed by us → active-create: create',
  'an active person without an account is created': 'active → active-create: create',
  'an account that differs is updated': 'active; differs → active-update: update',
  'an account that is equal needs nothing': 'active; enabled; ours → active-equal',
  'a disabled account at first sight of an active person is enabled': 'active; disabled → active-enable: enable',
  'an account that we disabled is enabled for an active person':
    'active; disabled; disabled by us → active-enable: enable',
  'an account that is not ours, was seen enabled and is disabled now was disabled by somebody else':
    'active; disabled; seen enabled → active-foreign-disable: foreign-disable',
  'an account of ours that we disabled is enabled, although an earlier read saw it enabled':
    'active; disabled; disabled by us; seen enabled → active-enable: enable',
  'an account that somebody else disabled is reported':
    'active; disabled; ours → active-foreign-disable: foreign-disable',
  'an account that somebody else disabled is enabled where that is configured':
    'active; disabled; ours; foreignDisable: enable → active-foreign-disable: enable',
  'the first miss is only counted': 'missing; enabled; ours → missing-counted',
  'the second miss after a day disables': 'missing; enabled; missed before → missing-disable: disable',
  'two misses within a day are too few hours': 'missing; enabled; missed before, within a day → missing-counted',
  'a long absence seen once is too few reads': 'missing; enabled; missed before, in this read → missing-counted',
  'absence never disables where missing is never': 'missing; enabled; missed before; missing: never → missing-counted',
  'a missing person whom we disabled long ago is removed where that is configured':
    'missing; disabled; disabled by us; remove after 30 days → missing-remove: remove',
  'a missing person with a disabled account needs nothing': 'missing; disabled; ours → missing-settled',
  'a missing person who is not ours is left alone': 'missing; enabled → missing-unmanaged',
  'an account that no sync owns is disabled by a decision': 'missing; enabled; to disable → missing-decided: disable',
  'also one that was removed before, and is there again':
    'missing; enabled; removed by us; to disable → missing-decided: disable',
  'the decision ends with the account that it is about':
    'missing; another account; to disable → missing-unmanaged: decision-without-effect',
  'nothing is left to do for a decision about a disabled account': 'missing; disabled; to disable → missing-unmanaged',
  'the decision has no effect where HR has the person':
    'active; enabled; to disable → active-equal: decision-without-effect',
  'nor where the person is out of scope': 'out of scope; enabled; to disable → out-of-scope: decision-without-effect',
  'nor where the person starts later': 'starts later; enabled; to disable → nothing: decision-without-effect',
  'a leaver is disabled whatever was decided': 'leaver; enabled; to disable → leaver-enabled: disable',
  'the decision proves no absence: a read that may be incomplete disables no one':
    'nothing; enabled; to disable → nothing',
  'nor does a record that cannot be used': 'unusable; enabled; to disable → unusable: row-rejected',
  'the decision is over once the account is ours': 'missing; enabled; ours; to disable → missing-counted',
  'or belongs to another sync': 'missing; enabled; theirs; to disable → owned-by-other',
  'protection wins over the decision': 'missing; enabled; to disable; protected → missing-decided: protected-user',
  'and so does a policy without disables': 'missing; enabled; to disable; upsert-only → missing-decided',
};

describe('the truth table', () => {
  it.each(Object.entries(table))('%s', (_, row) => {
    const [given = '', expected] = row.split(' → ');
    const parts = given.split('; ').map((word) => words[word] ?? expect.unreachable(word));
    const { rules: patch, ...subject } = Object.assign({ source: says.nothing() }, ...parts);
    const bare = { identification: 'E1', user: undefined, ledger: undefined };
    const { rule, change, finding } = decide({ ...bare, ...subject }, { ...rules, ...patch }, now);
    expect([rule, change?.kind ?? finding?.code].filter((part) => part !== undefined).join(': ')).toBe(expected);
    expect(change === undefined || finding === undefined).toBe(true);
  });

  it('has a test for every rule', () => {
    const seen = Object.values(table).map((row) => row.split(' → ')[1]?.split(': ')[0]);
    expect(new Set(seen).size).toBe(23);
  });
});

describe('a record about another person than the account', () => {
  it('changes it in the class identity alone, and says who is who', () => {
    const shown = {
      identification: 'E1',
      source: says.active(),
      ledger: ours,
      stranger: words['a stranger']?.stranger,
    };
    const changed = user({ fields: { ...wanted, lastName: 'Old', email: 'o@example.com' } });
    expect(decide({ ...shown, user: changed } as Case, rules, now).change).toMatchObject({
      classes: ['identity'],
      reason: 'E1 was Ana; HR now calls E1 Eva: differs in email, lastName',
    });
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
      reason: 'new employee',
    });
  });

  it.each([
    [{ lastName: 'Old' }, {}, [['lastName'], ['updates'], 'differs in lastName']],
    [{ email: 'o@example.com' }, {}, [['email'], ['updates', 'emailChanges'], 'differs in email']],
    [{}, { job: 'Baker' }, [['job'], ['firstSight'], 'job sent for the first time']],
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
    [undefined, {}, [[], ['enables'], 'active employee, account disabled when first seen']],
    [disabledByUs, { email: 'o@example.com' }, [['email'], ['enables', 'emailChanges'], 'returned employee']],
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

  it('is noticed only by its id: an entry without one learns it from the account that is there', () => {
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
