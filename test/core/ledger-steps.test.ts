import { describe, expect, it } from 'vitest';
import { sealChange } from '../../src/core/plan/change.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import {
  afterChange,
  countMiss,
  leftBehind,
  type MissingUser,
  seenInSource,
  takenOver,
  usersAtStake,
} from '../../src/core/plan/ledger-steps.ts';
import { day, draft, entry, missingProof, now, wanted } from './cases.ts';

describe('an entry', () => {
  const misses = { count: 2, since: now - 3 * day, stamp: 'snapshot-1' };

  it('counts a miss of a new snapshot from where the first one began, and each snapshot once', () => {
    const counted = entry({ misses: { count: 3, since: now - 3 * day, stamp: 'snapshot-1\nsnapshot-2' } });
    expect(countMiss(entry({ misses }), missingProof, now)).toEqual(counted);
    expect(countMiss(counted, missingProof, now + day)).toBe(counted);
  });

  it('of a user whom another sync takes over tells from whom, and starts anew', () => {
    const gone = entry({ misses, goneSince: now - day, handOverSince: now - day, disabledAt: now });
    expect(takenOver(gone, 'staff', now)).toEqual(
      entry({ owner: 'staff', taken: { from: 'people', at: now }, disabledAt: now }),
    );
  });

  it('of a user whom a removed sync left tells from whom, and keeps all it knows', () => {
    const gone = entry({ misses, goneSince: now - day });
    expect(leftBehind(gone, 'staff', now)).toEqual({ ...gone, owner: 'staff', taken: { from: 'people', at: now } });
  });

  it.each([
    ['nothing to forget', {}, false],
    ['disabled by us, and the platform shows no more', { disabledAt: now }, false],
    ['the assumed value is known', { hidden: { job: 'Baker' } }, true],
  ] as const)('of a person who is seen stays the same object: %s', (_, patch, isEnabled) => {
    const known = entry(patch);
    expect(seenInSource(known, isEnabled, 'hidden' in patch ? patch.hidden : {})).toBe(known);
  });

  it.each([
    ['misses', { misses }, false, {}],
    ['since when the person is gone', { goneSince: now }, false, {}],
    ['that we disabled the account, which is enabled', { disabledAt: now }, true, {}],
  ] as const)('of a person who is seen forgets %s', (_, patch, isEnabled, rest) => {
    expect(seenInSource(entry(patch), isEnabled)).toStrictEqual(entry(rest));
  });

  it('learns what is assumed of write-only fields and keeps the others', () => {
    const known = entry({ hidden: { job: 'Baker', phoneNumber: '1' } });
    expect(seenInSource(known, true, { job: 'Cook' })).toEqual(entry({ hidden: { job: 'Cook', phoneNumber: '1' } }));
  });
});

describe('the ledger after a change', () => {
  const update = sealChange(draft());
  const misses = { count: 2, since: now - 3 * day, stamp: 'snapshot-1' };
  const facts = { owner: 'people', now, blacklist: false, accountId: '1', mapping: { fields: {} } };
  const applied = { kind: 'applied', quirks: {} } as const;

  const disable = { kind: 'disable', after: {}, changed: [] } as const;
  const wasOff = { userId: '1', enabled: false, fields: {} };
  const hidden = { job: 'Baker', birthDate: '1990-02-03' };
  const gone = { disabledAt: now - day, goneSince: now - 9 * day };

  it.each<
    [what: string, change: Parameters<typeof draft>[0], known: LedgerEntry | undefined, after: Partial<LedgerEntry>]
  >([
    ['of a user who was not ours makes it ours', {}, undefined, {}],
    ['of a user of another sync makes it ours', {}, entry({ owner: 'contractors' }), {}],
    [
      'ends absences, and keeps that we disabled the account',
      {},
      entry({ ...gone, misses }),
      { disabledAt: now - day },
    ],
    ['of a disabled account leaves it disabled by us and gone', { before: wasOff }, entry(gone), gone],
    ['that enables forgets both', { kind: 'enable', changed: [] }, entry({ ...gone, misses }), {}],
    [
      'that disables keeps since when the person is gone',
      disable,
      entry({ goneSince: 5 }),
      { goneSince: 5, disabledAt: now },
    ],
    ['that disables is from then on', disable, entry(), { goneSince: now, disabledAt: now }],
    [
      'forgets how the platform kept the old value of its fields',
      {},
      entry({ quirks: { lastName: { sent: 'A', observed: 'a' }, area: { sent: 'B', observed: 'b' } } }),
      { quirks: { area: { sent: 'B', observed: 'b' } } },
    ],
    [
      'that creates a removed user again starts from nothing',
      { kind: 'create', before: undefined, after: wanted },
      entry({ hidden, removed: { at: now, blacklist: false } }),
      {},
    ],
    [
      'inherits nothing of an earlier account',
      {},
      entry({ accountId: '0', hidden, disabledAt: now - day, misses }),
      {},
    ],
    [
      'remembers only what the platform does not show, and dates, which it may show in any form',
      { after: { ...wanted, ...hidden, office: 'Lima', customField31: 'x' } },
      entry({ hidden: { seniority: '3' } }),
      { hidden: { seniority: '3', ...hidden } },
    ],
  ])('a write %s', (...[, patch, known, after]) => {
    expect(afterChange(sealChange(draft(patch)), applied, known, facts)).toStrictEqual(
      entry({ ...after, writtenAt: now }),
    );
  });

  it('a remove keeps the account that it was about', () => {
    const remove = sealChange(draft({ kind: 'remove', after: {}, changed: [] }));
    expect(afterChange(remove, applied, entry(), { ...facts, accountId: undefined }).accountId).toBe('1');
  });

  it('unverified sends are counted while the values stay, and from anew when they change', () => {
    const send = (job: string) => sealChange(draft({ after: { job }, changed: ['job'] }));
    const once = afterChange(send('Baker'), { kind: 'unverified' }, entry(), facts);
    const twice = afterChange(send('Baker'), { kind: 'unverified' }, once, facts);
    const other = afterChange(send('Cook'), { kind: 'unverified' }, twice, facts);
    expect([once.unverified, twice.unverified, other.unverified]).toEqual([1, 2, 1]);
  });

  it('a remove is remembered with what was known, and whether it is for ever', () => {
    const remove = sealChange(draft({ kind: 'remove', after: {}, changed: [] }));
    const known = entry({ hidden: { job: 'Baker' }, disabledAt: now - day, goneSince: now - day });
    for (const blacklist of [true, false]) {
      expect(afterChange(remove, applied, known, { ...facts, blacklist })).toEqual({
        ...known,
        removed: { at: now, blacklist },
        writtenAt: now,
      });
    }
  });

  it('an unverified write keeps the known quirks, and a verified one ends the count', () => {
    const quirks = { lastName: { sent: 'Núñez', observed: 'Nunez' } };
    const known = entry({ quirks, unverified: 2 });
    expect(afterChange(update, { kind: 'unverified' }, known, facts)).toMatchObject({ quirks, unverified: 3 });
    const found = { area: { sent: 'B', observed: 'b' } };
    const ignored = { kind: 'ignored', fields: ['area'], quirks: found } as const;
    expect(afterChange(update, ignored, known, facts)).toMatchObject({ quirks: found, unverified: 0 });
  });
});

describe('the users whom their absence may get disabled or removed', () => {
  const rules = {
    missing: { afterReads: 3, minAgeMs: day },
    policy: 'sync',
    protected: ['boss'],
    remove: { afterMs: 5 * day, blacklist: false },
  } as const;
  const absent = (identification: string, count: number, over: Partial<MissingUser> = {}): MissingUser => ({
    identification,
    isEnabled: true,
    entry: entry({ misses: { count, since: now - day, stamp: 's' } }),
    decided: undefined,
    ...over,
  });
  const order = (users: readonly MissingUser[], over: Partial<Parameters<typeof usersAtStake>[1]> = {}) =>
    usersAtStake(users, { ...rules, ...over }, now).map(({ identification }) => identification);
  const gone = (days: number): Partial<MissingUser> => ({
    isEnabled: false,
    entry: entry({ disabledAt: now - days * day, goneSince: now - days * day }),
  });

  it('come by the decision, then the reads that are left, then the time, then the oldest read, then by name', () => {
    const young = entry({ misses: { count: 2, since: now, stamp: 's' } });
    const older = entry({ misses: { count: 2, since: now - day, stamp: 'r' } });
    const users = [
      absent('rejected', 2, { decided: 'rejected' }),
      absent('never counted', 0, { entry: entry() }),
      absent('one read', 1),
      absent('young', 2, { entry: young }),
      absent('b', 2),
      absent('a', 5),
      absent('c', 2, { entry: older }),
      absent('approved', 0, { decided: 'approved' }),
    ];
    const expected = ['approved', 'c', 'a', 'b', 'young', 'one read', 'never counted', 'rejected'];
    expect(order(users)).toEqual(expected);
    expect(order(users.toReversed())).toEqual(expected);
  });

  it('are none who are protected, and none under another policy', () => {
    expect(order([absent('boss', 2), absent('clerk', 2)])).toEqual(['clerk']);
    expect(order([absent('clerk', 2)], { policy: 'upsert-only' })).toEqual([]);
  });

  it('are, of the disabled, those whose removal is due, also where absence disables nobody', () => {
    const users = [absent('due', 0, gone(5)), absent('soon', 0, gone(4)), absent('enabled', 2)];
    expect(order(users)).toEqual(['due', 'enabled']);
    expect(order(users, { missing: 'never' })).toEqual(['due']);
    expect(order(users, { remove: 'never' })).toEqual(['enabled']);
  });
});
