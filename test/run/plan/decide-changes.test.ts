import { describe, expect, it } from 'vitest';
import { endRun, openRun, sampleBatch, sampleChange, writePlan } from '../../contracts/store-samples.ts';
import { openPlanScene, type PlanScene, row } from '../plan-scene.ts';

describe('people with a change of unknown outcome', () => {
  /** An earlier run whose change for `a1` and `b2` nobody has seen. */
  async function afterLost(sync = 'people', records = ['a1', 'b2', 'c3']): Promise<PlanScene> {
    const scene = await openPlanScene({ records: records.map((id) => row(id)), otherSyncs: ['guests'] });
    const { store } = scene;
    const owned = await openRun(store, { id: 'run_0', sync });
    const names = ['a1', 'b2'];
    const changes = names.map((name) => sampleChange(name, 'create', { after: { firstName: 'Ana', lastName: 'Li' } }));
    await writePlan(store, { id: 'run_0', owned, sync }, changes);
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
    const { unknownAfterMs } = scene.sync.settings.settle;
    const waitsFor = { runs: ['run_0'], until: scene.clock.now() + unknownAfterMs };
    expect(planned.plan.facts).toMatchObject({ blocked: { unresolved: 2 }, waitsFor });
    expect(planned.plan.facts.repeated).toBe(0);
  });

  it('by another sync get no other either, and count where the source has them', async () => {
    const scene = await afterLost('guests', ['A1', 'b2', 'c3']);
    const { kinds, plan } = await scene.plan();
    expect(kinds).toEqual({ A1: 'create', c3: 'create' });
    expect(plan.facts).toMatchObject({ blocked: { unresolved: 1 }, waitsFor: { runs: ['run_0'] } });
    expect(plan.facts.waitsFor).not.toHaveProperty('until');
  });

  it('get it again when settle.unknownAfter is over, and that is counted and reported', async () => {
    const scene = await afterLost();
    scene.clock.jumpTo(scene.clock.now() + scene.sync.settings.settle.unknownAfterMs);
    const shown = await scene.show();
    expect([shown.plan.facts.repeated, shown.findings]).toEqual([2, ['repeated a1', 'repeated b2']]);
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'create', b2: 'create', c3: 'create' });
    expect(planned.plan.facts.repeated).toBe(2);
    expect(scene.message(planned, 'repeated')).toBe(
      'create is sent again: the outcome of an earlier one stayed unknown',
    );
    expect(planned.plan.facts.blocked).toEqual({});
  });
});

describe('a sealed plan', () => {
  it('passes the places of a run where a kill matters, in order', async () => {
    const scene = await openPlanScene({ records: [row('a1')] });
    await scene.run();
    expect(scene.places.slice(0, 4)).toEqual(['source-read', 'unresolved-seen', 'ledger-written', 'plan-stored']);
  });
});
