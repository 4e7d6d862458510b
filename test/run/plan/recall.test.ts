import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/core/plan/ledger.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { endRun, openRun, sampleEntry } from '../../contracts/store-samples.ts';
import {
  account,
  all,
  decided,
  guards,
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

  it.each<{ name: string; entries: readonly LedgerEntry[]; managed: number; decided: number }>([
    { name: 'ours', entries: [entry('a1'), entry('b2')], managed: 2, decided: 0 },
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
  ])('$name: $managed are managed, and $decided need a decision', async ({ entries, managed, decided: people }) => {
    for (const scope of [all, only('a1', 'b2')]) {
      const scene = await knowing(entries, options);
      const { facts } = (await scene.show(scope)).plan;
      expect(facts.managedUsers).toBe(managed);
      if (scope === all) expect(decided(scene)).toBe(people);
    }
  });

  it('and whom a complete read does not name are missing', async () => {
    const settings = { missing: { afterReads: 1, minAgeMs: 0 } };
    const scene = await knowing([entry('a1'), entry('old')], { ...options, settings });
    expect((await scene.plan()).kinds).toEqual({ b2: undefined, old: 'disable' });
  });

  it('whom a sync that is gone left behind become ours, or their leaver is disabled', async () => {
    const entries = [entry('a1', { owner: 'gone' }), entry('b2', { owner: 'gone' })];
    const scene = await knowing(entries, { ...options, records: [row('a1'), row('b2', { status: 'left' })] });
    expect((await scene.plan()).kinds).toEqual({ b2: 'disable' });
    expect(await scene.store.ledger.get('acme', 'a1')).toMatchObject({ owner: 'people' });
    expect(await scene.store.ledger.get('acme', 'b2')).toMatchObject({ owner: 'gone' });
  });

  it('as another sync’s are not touched', async () => {
    const entries = [entry('a1', { owner: 'other' })];
    const scene = await knowing(entries, { ...options, records: [row('a1', { status: 'left' }), row('b2')] });
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{}, ['owned-by-other-sync a1']]);
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

describe('the enabled users that guards count for named people', () => {
  const ids = ['p1', 'p2', 'p3', 'p4'];
  const half = { absolute: 0, percent: 50, cap: undefined };
  const settings = { ...guards({ updates: half }), firstSight: 'write' as const };

  it.each([
    { disabled: 0, owner: 'people', state: 'update' },
    { disabled: 1, owner: 'people', state: 'update held' },
    { disabled: 0, owner: 'gone', state: 'update' },
    { disabled: 1, owner: 'gone', state: 'update held' },
  ])('are those that we have not disabled: $disabled of four, of $owner', async ({ disabled, owner, state }) => {
    const ledger = ids.map((id, i) => entry(id, { owner, ...(i < disabled ? { disabledAt: 1 } : {}) }));
    const scene = await knowing(ledger, {
      records: ids.map((id, i) => row(id, i < 2 ? {} : { area: 'X' })),
      users: ids.map((id, i) => account(id, { enabled: i >= disabled })),
      settings,
    });
    const { kinds } = await scene.show(only(...ids));
    expect([kinds.p3, kinds.p4]).toEqual([state, state]);
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
      'found by the last full read: line 2 and line 3 both have the identification a1, and the sync has no prefer rule that decides which one counts: the user is not changed',
    );
    expect(planned.plan.facts.needsFull).toBe(true);
  });

  it('are not said twice, nor of people whom the delta does not show', async () => {
    const scene = await afterConflict();
    scene.source.changed = [row('b2', { area: 'Y' })];
    expect((await scene.plan()).findings).toEqual([]);
    scene.source.changed = [row('a1'), row('a1')];
    expect((await scene.plan()).findings).toEqual(['duplicate-key a1', 'source-note']);
  });

  it.each([
    { name: 'gone', record: row('a1', { status: 'left' }), kinds: {}, findings: ['duplicate-key a1'] },
    { name: 'out of scope', record: row('a1', { type: 'guest' }), kinds: {}, findings: ['duplicate-key a1'] },
    { name: 'active', record: row('a1', { area: 'Z' }), kinds: { a1: 'update' }, findings: [] },
  ])('stop a look-up by name only where it finds the person $name', async ({ record, kinds, findings }) => {
    const scene = await afterConflict({ outOfScope: 'disable' });
    scene.source.records = [record, row('b2')];
    const planned = await scene.plan(only('a1'));
    expect([planned.kinds, planned.findings]).toEqual([kinds, findings]);
    expect(planned.plan.facts).not.toHaveProperty('needsFull');
  });

  it('end with the next full read', async () => {
    const scene = await afterConflict({});
    scene.source.records = [row('a1', { area: 'Z' }), row('b2'), row('c3')];
    expect(await scene.plan()).toMatchObject({ kinds: { a1: 'update' }, findings: [] });
  });

  it('that say nothing about who is who stop nobody', async () => {
    const scene = await openPlanScene({ records: [row('a1', { born: 'x' }), row('b2')], users, settings: deltas });
    expect((await scene.plan()).findings).toEqual(['cell-unreadable']);
    scene.source.changed = [row('a1', { area: 'Y' })];
    expect(await scene.plan()).toMatchObject({ kinds: { a1: 'update' }, findings: [] });
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

  it('stop nobody who had the e-mail before', async () => {
    const scene = await afterFull();
    hide(scene);
    scene.source.changed = [mail('b2', 'b@x.com', { area: 'Y' })];
    expect(await scene.plan()).toMatchObject({ kinds: { b2: 'update' }, findings: [] });
  });

  it('stop nobody when the one who had the e-mail is in this read too, and has another', async () => {
    const scene = await afterFull();
    hide(scene);
    scene.source.changed = [mail('c3', 'b@x.com'), mail('b2', 'new@x.com')];
    expect((await scene.plan()).changes.map(({ identification }) => identification)).toEqual(['b2', 'c3']);
  });

  it('stop no new hire', async () => {
    const scene = await afterFull();
    scene.source.changed = [mail('d4', 'd@x.com')];
    expect(await scene.plan()).toMatchObject({ kinds: { d4: 'create' }, findings: [] });
  });

  it('stop nobody whose letters have changed when all are read', async () => {
    const scene = await afterFull({});
    scene.source.records = [...records.slice(0, 2), row('C3')];
    scene.users.delete('c3');
    expect((await scene.plan()).kinds.C3).toBe('create');
  });

  it('stop who is written in other letters now', async () => {
    const scene = await afterFull();
    scene.source.changed = [row('C3', { area: 'Y' }), row('a1', { email: 'a@x.com', area: 'Y' })];
    scene.users.delete('c3');
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'update' });
    expect(scene.message(planned, 'case-conflict')).toBe(
      'the last full read had an identification that looks like C3 (other case or characters): nothing is changed',
    );
  });

  it('are not asked of another configuration', async () => {
    const scene = await afterFull({ match: ['identification'] });
    Object.assign(scene.sync, { fingerprint: 'f2' });
    scene.source.records = [row('C3', { area: 'Y' })];
    scene.users.delete('c3');
    expect(await scene.plan(only('C3'))).toMatchObject({ kinds: { C3: 'create' }, findings: [] });
  });

  it('are of the last read alone when all are read', async () => {
    const scene = await afterFull({});
    hide(scene);
    scene.source.records = [mail('a1', 'a@x.com'), mail('c3', 'b@x.com'), row('b2')];
    expect(await scene.plan()).toMatchObject({ kinds: { c3: 'update' }, findings: [] });
  });
});
