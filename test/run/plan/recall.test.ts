import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { LedgerEntry } from '../../../src/core/plan/ledger.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { endRun, openRun, sampleEntry } from '../../contracts/store-samples.ts';
import {
  account,
  all,
  decided,
  only,
  openPlanScene,
  type PlanScene,
  type PlanSceneOptions,
  row,
} from '../plan-scene.ts';

const deltas: Partial<SyncSettings> = { deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } };
const entry = (name: string, over: Partial<LedgerEntry> = {}) =>
  sampleEntry(name, { accountId: `9${name}`, hidden: { seniority: '' }, ...over });

/** A scene whose ledger holds these entries. */
async function knowing(ledger: readonly LedgerEntry[], options: PlanSceneOptions): Promise<PlanScene> {
  const scene = await openPlanScene(options);
  const owned = await openRun(scene.store, { id: 'run_0', sync: 'before' });
  await scene.store.ledger.put(owned, ledger);
  await endRun(scene.store, owned);
  return scene;
}

describe('users whom the ledger knows', () => {
  const options: PlanSceneOptions = {
    records: ['a1', 'b2'].map((id) => row(id)),
    users: ['a1', 'b2', 'old'].map((id) => account(id)),
    otherSyncs: ['other'],
  };

  it.each<{
    name: string;
    entries: readonly LedgerEntry[];
    user?: Partial<User>;
    managed: number;
    decided: number;
  }>([
    { name: 'ours', entries: [entry('a1'), entry('b2')], managed: 2, decided: 0 },
    { name: 'ours, with a disabled account', user: { enabled: false }, entries: [entry('a1')], managed: 1, decided: 2 },
    { name: 'ours, with another account', user: { id: 'new' }, entries: [entry('a1')], managed: 1, decided: 2 },
    {
      name: 'ours, with a date that the platform cannot show',
      user: { unreadable: ['birthDate'] },
      entries: [entry('a1')],
      managed: 1,
      decided: 2,
    },
    { name: 'ours, and named by no record', entries: [entry('a1'), entry('old')], managed: 2, decided: 2 },
    { name: 'removed', entries: [entry('a1', { removed: { at: 1, blacklist: false } })], managed: 0, decided: 2 },
    { name: 'another sync’s', entries: [entry('a1', { owner: 'other' })], managed: 0, decided: 2 },
    { name: 'left behind by a sync that is gone', entries: [entry('a1', { owner: 'gone' })], managed: 1, decided: 2 },
    {
      name: 'left behind, and named by no record',
      entries: [entry('old', { owner: 'gone' })],
      managed: 0,
      decided: 2,
    },
    { name: 'known in other letters', entries: [entry('A1')], managed: 1, decided: 2 },
    { name: 'another sync’s in other letters', entries: [entry('A1', { owner: 'other' })], managed: 0, decided: 2 },
    {
      name: 'of no known account',
      entries: [sampleEntry('a1', { hidden: { seniority: '' } })],
      managed: 1,
      decided: 2,
    },
    { name: 'unverified', entries: [entry('a1', { unverified: 1 })], managed: 1, decided: 2 },
    { name: 'disabled by us', entries: [entry('a1', { disabledAt: 1 })], managed: 1, decided: 2 },
    { name: 'gone for some time', entries: [entry('a1', { goneSince: 1 })], managed: 1, decided: 2 },
    {
      name: 'missed before',
      entries: [entry('a1', { misses: { count: 1, since: 1, stamp: 's0' } })],
      managed: 1,
      decided: 2,
    },
    {
      name: 'of other write-only fields',
      entries: [entry('a1', { hidden: { seniority: 'x' } })],
      managed: 1,
      decided: 2,
    },
  ])('$name: $managed are managed, and $decided need a decision', async (given) => {
    const { entries, user = {}, managed, decided: people } = given;
    for (const scope of [all, only('a1', 'b2')]) {
      const scene = await knowing(entries, options);
      scene.users.set('a1', account('a1', user));
      const { facts } = (await scene.show(scope)).plan;
      expect(facts.managedUsers).toBe(managed);
      if (scope === all) expect(decided(scene)).toBe(people);
    }
  });

  it('and that a sync is gone has left behind are named with their number, until a person leaves them', async () => {
    const gone = (name: string, over = {}) => entry(name, { owner: 'gone', ...over });
    const entries = [
      gone('x1'),
      gone('x2'),
      gone('x3', { disabledAt: 1 }),
      gone('a1'),
      entry('x4', { owner: 'other' }),
    ];
    const scene = await knowing(entries, options);
    const orphaned = async (scope = all) => {
      const { findings, facts } = (await scene.show(scope)).plan;
      return [facts.orphans, ...findings.filter(({ code }) => code === 'orphaned-users').map(({ message }) => message)];
    };
    const message = expect.stringMatching(/^2 enabled users belong to sync gone, which is not configured/);
    expect(await orphaned()).toEqual([{ gone: 2 }, message]);
    expect((await orphaned(only('a1'))).slice(1)).toEqual([]);
    const place = { connection: 'acme', sync: 'people' };
    const said = { action: 'decide-accounts', run: undefined, detail: undefined, ...place } as const;
    const told = { id: 'x1', at: 1, by: 'ana', reason: 'they are guests', ...said };
    await scene.store.standing.add({ way: 'leave', owner: 'gone', ...place }, told);
    expect((await orphaned()).slice(1)).toEqual([]);
  });

  it('as another sync’s are not touched', async () => {
    const entries = [entry('a1', { owner: 'other' })];
    const scene = await knowing(entries, { ...options, records: [row('a1', { status: 'left' }), row('b2')] });
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{}, ['owned-by-other-sync a1']]);
  });

  it.each([
    { since: 'the last full read', leftAt: 1, found: ['belongs to sync other since'] },
    { since: 'before the last full read', leftAt: 0, found: [] },
    { since: 'the last full read, in a delta', leftAt: 1, isDelta: true, found: [] },
    { since: 'this run began', cameAt: 2, found: ['taken over from sync other at'] },
    { since: 'this run began, where it is only shown', cameAt: 2, isShown: true, found: [] },
  ])('and that moved between syncs since $since: $found', async ({ leftAt = 0, cameAt = -1, found, ...how }) => {
    const scene = await openPlanScene({ ...options, settings: how.isDelta ? deltas : {} });
    await scene.plan();
    const now = scene.clock.now();
    const owned = await openRun(scene.store, { id: 'run_0', sync: 'before', now });
    const left = entry('a1', { owner: 'other', taken: { from: 'people', at: now + leftAt } });
    const came = entry('b2', { taken: { from: 'other', at: now + cameAt } });
    await scene.store.ledger.put(owned, [left, came]);
    await endRun(scene.store, owned);
    scene.clock.advance(2);
    const { plan } = await (how.isShown ? scene.show() : scene.plan());
    const told = plan.findings.filter(({ code }) => code === 'handed-over').map(({ message }) => message);
    expect(told).toEqual(found.map((part) => expect.stringContaining(part)));
  });

  it('of named people above a thousand are counted by reading the ledger through', async () => {
    const names = Array.from({ length: 1001 }, (_, i) => `p${String(i).padStart(4, '0')}`);
    for (const count of [1000, 1001]) {
      const named = names.slice(0, count);
      const entries = [
        ...named.map((name) => entry(name)),
        entry('old', { disabledAt: 1 }),
        entry('x1', { owner: 'gone' }),
      ];
      const scene = await knowing(entries, {
        records: named.map((name) => row(name)),
        users: named.map((name) => account(name)),
        otherSyncs: ['other'],
      });
      const { facts } = (await scene.show(only(...named))).plan;
      expect([count, facts.managedUsers]).toEqual([count, count + 1]);
    }
  });
});

describe('conflicts of the last full read', () => {
  const twice = [row('a1', {}, 'line 2'), row('a1', { area: 'Y' }, 'line 3'), row('b2'), row('c3')];
  const users = ['a1', 'b2', 'c3'].map((id) => account(id));

  async function afterConflict(settings: Partial<SyncSettings> = deltas): Promise<PlanScene> {
    const scene = await openPlanScene({ records: twice, users, settings });
    expect((await scene.plan()).findings).toEqual(['duplicate-key a1']);
    return scene;
  }

  it('keep a delta from changing the person, of whom it shows one record', async () => {
    const scene = await afterConflict();
    scene.source.changed = [row('a1', { area: 'Y' }), row('b2', { area: 'Y' })];
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ b2: 'update' }, ['duplicate-key a1', 'source-note']]);
    expect(scene.message(planned, 'duplicate-key')).toBe(
      'found by the last full read: line 2 and line 3 both have the identification a1, and the sync has no prefer rule that decides: the user is not changed',
    );
    expect(planned.plan.facts.needsFull).toBe(true);
  });
});

describe('e-mails and names of the last full read', () => {
  const mail = (id: string, email: string, over = {}) => row(id, { email, ...over });
  const records = [mail('a1', 'a@x.com'), mail('b2', 'b@x.com'), row('c3')];
  const users = [
    account('a1', { fields: { email: 'a@x.com' } }),
    account('b2', { fields: { email: 'b@x.com' } }),
    account('c3'),
  ];

  async function afterFull(settings: Partial<SyncSettings> = deltas): Promise<PlanScene> {
    const scene = await openPlanScene({ records, users, settings });
    expect((await scene.plan()).kinds).toEqual({});
    return scene;
  }

  /** Accounts that do not show the e-mail: only the roster knows whose it was. */
  function hide({ users: shown }: PlanScene): void {
    shown.set('b2', account('b2'));
  }

  it.each([{ scope: all }, { scope: only('c3') }])(
    'stop who claims the e-mail of another: $scope.kind',
    async (given) => {
      const scene = await afterFull();
      hide(scene);
      scene.source.changed = [mail('c3', 'B@x.com')];
      scene.source.records = [mail('c3', 'B@x.com')];
      const planned = await scene.plan(given.scope);
      expect(planned.kinds).toEqual({});
      expect(planned.plan.findings.filter(({ code }) => code === 'email-conflict')).toEqual([
        {
          code: 'email-conflict',
          identification: 'c3',
          message: 'in the last full read, another employee had the e-mail of c3: neither is changed',
        },
      ]);
    },
  );
});
