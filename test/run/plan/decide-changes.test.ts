import { describe, expect, it } from 'vitest';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { endRun, openRun, sampleBatch, sampleChange, sampleEntry, writePlan } from '../../contracts/store-samples.ts';
import { account, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const ids = (count: number) => Array.from({ length: count }, (_, i) => `p${String(i).padStart(4, '0')}`);

describe('people with a change of unknown outcome', () => {
  /** An earlier run whose change for `a1` and `b2` nobody has seen. */
  async function afterLost(): Promise<PlanScene> {
    const scene = await openPlanScene({ records: ['a1', 'b2', 'c3'].map((id) => row(id)) });
    const { store } = scene;
    const owned = await openRun(store, { id: 'run_0' });
    const names = ['a1', 'b2'];
    const changes = names.map((name) => sampleChange(name, 'create', { after: { firstName: 'Ana', lastName: 'Li' } }));
    await writePlan(store, { id: 'run_0', owned }, changes);
    const batch = sampleBatch(owned, 1, { size: 2, sentAt: scene.clock.now() });
    await store.batches.create(owned, [{ batch, identifications: names }]);
    const marks = names.map((identification) => ({ identification, state: 'unresolved' }) as const);
    await store.batches.update(owned, batch.id, { state: 'unresolved' }, { marks });
    await endRun(store, owned);
    return scene;
  }

  it('get no other, and are counted and reported', async () => {
    const scene = await afterLost();
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ c3: 'create' }, ['unresolved a1', 'unresolved b2']]);
    expect(planned.plan.facts.blocked).toEqual({ unresolved: 2 });
    expect(planned.plan.repeated).toBe(0);
  });

  it('get it again when settle.unknownAfter is over, and that is counted and reported', async () => {
    const scene = await afterLost();
    scene.clock.jumpTo(scene.clock.now() + scene.sync.settings.settle.unknownAfterMs);
    const shown = await scene.show();
    expect([shown.plan.repeated, shown.findings]).toEqual([2, ['repeated a1', 'repeated b2']]);
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'create', b2: 'create', c3: 'create' });
    expect(planned.plan.repeated).toBe(2);
    expect(scene.message(planned, 'repeated')).toBe(
      'create is sent again: the outcome of an earlier one stayed unknown',
    );
    expect(planned.plan.facts.blocked).toEqual({});
  });

  it('wait in a shown plan too, which settles nothing', async () => {
    const scene = await afterLost();
    for (const name of ['a1', 'b2']) scene.users.set(name, account(name));
    expect((await scene.show()).findings).toEqual(['unresolved a1', 'unresolved b2']);
    expect(await scene.store.batches.get('run_0_b1')).toMatchObject({ state: 'unresolved' });
    expect((await scene.plan()).findings).toEqual([]);
    expect(await scene.store.batches.get('run_0_b1')).toMatchObject({ state: 'settled' });
  });
});

describe('a sealed plan', () => {
  it('has a digest of its open changes, the same whenever it is made', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2')] });
    const shown = await scene.show();
    const planned = await scene.plan();
    expect(planned.plan.digest).toBe(shown.plan.digest);
    expect(await scene.store.plans.findByDigest('people', planned.plan.digest)).toMatchObject({ run: undefined });
    scene.source.records = [row('a1'), row('b2', { area: 'X' })];
    expect((await scene.show()).plan.digest).not.toBe(shown.plan.digest);
  });

  it('passes the places of a run where a kill matters, in order', async () => {
    const scene = await openPlanScene({ records: [row('a1')] });
    await scene.run();
    expect(scene.places.slice(0, 4)).toEqual(['source-read', 'unresolved-seen', 'ledger-written', 'plan-stored']);
  });

  it('is stored with its findings, its age and its holds', async () => {
    const none = { absolute: 0, percent: 0, cap: undefined };
    const first = await openPlanScene({ records: [] });
    const guards = { ...first.sync.settings.guards, creates: none };
    const scene = await openPlanScene({ records: [row('a1'), row('b2', { status: 'odd' })], settings: { guards } });
    const { run, findings } = await scene.run();
    expect(run).toMatchObject({ outcome: 'held', facts: { plannedAt: scene.clock.now(), repeated: 0 } });
    expect(findings).toEqual(['held', 'status-unknown b2']);
    const [hold] = await scene.store.holds.ofRun(run.id);
    expect(hold).toMatchObject({
      class: 'creates',
      state: 'open',
      digest: run.digest,
      heldAt: scene.clock.now(),
      expiresAt: scene.clock.now() + 86_400_000,
      size: 1,
    });
    const [change] = await scene.store.plans.page(run.id, { limit: 1 });
    expect(await Array.fromAsync(scene.store.holds.hashes(hold?.id ?? ''))).toEqual([[change?.hash]]);
  });
});

describe('the batches of a plan', () => {
  const batches = async (scene: PlanScene) =>
    (await scene.store.batches.ofRun((await scene.run()).run.id)).map(({ kind, size }) => `${kind} ${size}`);

  it.each([
    { count: 20, expected: ['direct 20'] },
    { count: 21, expected: ['csv 21'] },
  ])('of $count creates are $expected with delivery: auto', async ({ count, expected }) => {
    expect(await batches(await openPlanScene({ records: ids(count).map((id) => row(id)) }))).toEqual(expected);
  });

  it('have at most batchRows rows, in order of identification', async () => {
    const settings: Partial<SyncSettings> = { delivery: 'csv', batchRows: 2 };
    const scene = await openPlanScene({
      records: ids(5)
        .map((id) => row(id))
        .reverse(),
      settings,
    });
    expect(await batches(scene)).toEqual(['csv 2', 'csv 2', 'csv 1']);
    expect(scene.sent.flat()).toEqual(ids(5));
  });

  it('are files apart for disables, and for rows that write other columns that cannot be read back', async () => {
    const settings: Partial<SyncSettings> = { delivery: 'csv', firstSight: 'write' };
    const records = [row('a1', { job: 'Boss' }), row('b2'), row('c3', { job: 'Clerk' }), row('d4', { status: 'left' })];
    const scene = await openPlanScene({ records, users: [account('d4')], settings });
    await scene.run();
    expect(scene.sent.toSorted((a, b) => (`${a}` < `${b}` ? -1 : 1))).toEqual([['a1', 'c3'], ['b2'], ['d4']]);
  });

  it('are files for a few creates too where a disable needs one', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('z9', { status: 'left' })], users: [account('z9')] });
    expect(await batches(scene)).toEqual(['csv 1', 'csv 1']);
  });

  it('are direct calls for removes, which do not count, beside direct creates', async () => {
    const gone = ids(21);
    const others = ids(100).slice(21);
    const scene = await openPlanScene({
      records: [...gone.map((id) => row(id, { status: 'left' })), ...others.map((id) => row(id)), row('q1')],
      users: [...gone.map((id) => account(id, { enabled: false })), ...others.map((id) => account(id))],
      settings: { remove: { afterMs: 0, blacklist: false } },
    });
    const owned = await openRun(scene.store, { id: 'run_0', sync: 'before' });
    const ours = (name: string, over = {}) => sampleEntry(name, { accountId: `9${name}`, ...over });
    await scene.store.ledger.put(owned, [
      ...gone.map((name) => ours(name, { disabledAt: 1, goneSince: 1 })),
      ...others.map((name) => ours(name)),
    ]);
    await endRun(scene.store, owned);
    expect(await batches(scene)).toEqual(['direct 22']);
    expect(scene.users.size).toBe(others.length + 1);
  });
});
