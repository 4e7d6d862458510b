import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/core/plan/ledger.ts';
import { endRun, openRun, sampleEntry } from '../../contracts/store-samples.ts';
import { account, guards, openPlanScene, type PlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

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

const ledgerOf = (scene: PlanScene, name: string) => scene.store.ledger.get('acme', name);

describe('users of a sync that is no longer configured', () => {
  it('become ours where the source has them as active, and are counted by former owner', async () => {
    const names = ['equal', 'changed', 'left', 'ours', 'second'];
    const owners: Readonly<Record<string, string>> = { ours: 'people', second: 'older' };
    const scene = await knowing(
      names.map((name) => entry(name, { owner: owners[name] ?? 'gone' })),
      {
        records: names.map((name) => row(name, name === 'left' ? { status: 'left' } : {})),
        users: names.map((name) => account(name, name === 'changed' ? { fields: { area: 'Old' } } : {})),
      },
    );
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ changed: 'update', left: 'disable' });
    expect(planned.plan.findings.map(({ message }) => message).toSorted()).toEqual([
      '1 user of sync older, which is no longer configured on this connection, become users of people',
      '2 users of sync gone, which is no longer configured on this connection, become users of people',
    ]);
    const now = await Promise.all(names.map(async (name) => (await ledgerOf(scene, name))?.owner));
    expect(now).toEqual(['people', 'gone', 'gone', 'people', 'people']);
  });
});

describe('the ledger entries of decisions', () => {
  const options = {
    records: [row('a1'), row('b2', { status: 'odd' })],
    users: ['a1', 'old'].map((name) => account(name)),
  };

  it('count an absence, and adopt a user who is equal', async () => {
    const scene = await knowing([entry('old')], options);
    expect((await scene.plan()).kinds).toEqual({});
    expect((await ledgerOf(scene, 'old'))?.misses?.count).toBe(1);
    expect((await ledgerOf(scene, 'a1'))?.owner).toBe('people');
  });

  it('are left out for an absence, and only for that, while the source has too few rows', async () => {
    const names = ['a1', 'b2', 'old', 'new'];
    const settings = { ...guards({ rowsDownPercent: 10 }), missing: { afterReads: 1, minAgeMs: 0 } };
    const users = names.map((name) => account(name));
    const scene = await openPlanScene({ records: ['a1', 'b2', 'old'].map((name) => row(name)), users, settings });
    await scene.plan();
    scene.source.records = [row('a1'), row('new')];
    expect((await scene.plan()).kinds).toEqual({ b2: 'disable held', old: 'disable held' });
    expect((await ledgerOf(scene, 'old'))?.misses).toBeUndefined();
    expect((await ledgerOf(scene, 'new'))?.owner).toBe('people');
  });
});

describe('the people to decide', () => {
  it('are all whom the platform does not show, except leavers whom the ledger does not know', async () => {
    const gone = row('left', { status: 'left' });
    const scene = await knowing([entry('known')], {
      records: [row('new'), gone, row('known', { status: 'left' }), row('guest', { type: 'guest' })],
    });
    expect((await scene.plan()).kinds).toEqual({ new: 'create' });
    const planning = scene.events.filter(({ step }) => step === 'planning');
    expect(planning).toEqual([{ step: 'planning', decided: 3, total: 0 }]);
  });
});
