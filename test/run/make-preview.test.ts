import { describe, expect, it } from 'vitest';
import type { Preview } from '../../src/ports/previews.ts';
import type { RunScope } from '../../src/ports/store.ts';
import { makePreview } from '../../src/run/make-preview.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { account, all, guards, only, openPlanScene, type PlanScene, row } from './plan-scene.ts';
import { second } from './run-in-store.ts';

failOnLeaks();

const id = 'preview_1';

async function request(scene: PlanScene, scope: RunScope = all, sync = scene.sync.settings.name): Promise<void> {
  const now = scene.clock.now();
  await scene.store.previews.add({ id, sync, scope, by: 'ana', requestedAt: now, expiresAt: now + 3600 * second });
}

async function make(scene: PlanScene): Promise<Preview> {
  await makePreview(id, scene.io, scene.stopping.signal);
  return (await scene.store.previews.get(id)) as Preview;
}

const newHires = (count: number) => Array.from({ length: count }, (_, i) => row(`new${i}`));

describe('a preview', () => {
  it('reports what a run would do, with the requests that it would make, and changes nothing else', async () => {
    const limit = { absolute: 0, percent: 0, cap: undefined };
    const scene = await openPlanScene({
      records: [row('E1', { area: 'Finance' }), ...newHires(2)],
      users: [account('E1')],
      settings: guards({ creates: limit }),
    });
    await request(scene);
    const preview = await make(scene);
    expect(preview).toMatchObject({ state: 'done', attempt: 1, endedAt: scene.clock.now(), reason: undefined });
    expect(preview.report).toMatchObject({
      id: 'plan_id1',
      sync: 'people',
      counts: { create: 2, update: 1, held: 2 },
      facts: { sourceRows: 3, budget: expect.anything(), budgetWithHeld: expect.anything() },
      holds: [{ class: 'creates' }],
    });
    expect(preview.report).not.toHaveProperty('failure');
    expect(preview.report?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await scene.store.holds.open(['people'], scene.clock.now())).toEqual(new Map());
    expect(await scene.store.ledger.countOwned('acme', 'people')).toMatchObject({ managed: 0 });
    expect(scene.sent).toEqual([]);
  });

  it('of named people is about them alone', async () => {
    const scene = await openPlanScene({ records: [row('E1'), row('E2')] });
    await request(scene, only('E2'));
    const { report } = await make(scene);
    expect(report?.counts).toMatchObject({ create: 1 });
  });

  it('of a read that no plan can be made from is done, and says why a run would fail', async () => {
    const scene = await openPlanScene({ records: [] });
    await request(scene);
    const { state, report } = await make(scene);
    expect([state, report?.failure]).toEqual(['done', expect.stringContaining('the source returned no employees')]);
    expect(report?.facts.budget).toBeUndefined();
  });

  it('keeps the first thousand findings', async () => {
    const scene = await openPlanScene({
      records: newHires(1100).map((one) => ({ ...one, fields: { ...one.fields, first: '' } })),
    });
    await request(scene);
    const { report } = await make(scene);
    expect(report?.findings).toHaveLength(1000);
  });

  it('stores its progress at most once a second, and tells the process all of it', async () => {
    const scene = await openPlanScene({ records: newHires(9) });
    const noted: unknown[] = [];
    const { previews } = scene.store;
    const tell = scene.io.progress;
    const io = {
      ...scene.io,
      store: {
        ...scene.store,
        previews: {
          ...previews,
          note: async (...[name, attempt, event]: Parameters<typeof previews.note>) => {
            noted.push(event);
            await previews.note(name, attempt, event);
          },
        },
      },
      progress: (event: Parameters<typeof tell>[0]) => {
        tell(event);
        // Half a second for each event.
        scene.clock.jumpTo(scene.clock.now() + second / 2);
      },
    };
    await request(scene);
    await makePreview(id, io, scene.stopping.signal);
    expect(scene.events.length).toBeGreaterThan(3);
    expect(noted).toEqual(scene.events.filter((_, i) => i % 2 === 0));
  });

  it('ends although its progress cannot be stored', async () => {
    const scene = await openPlanScene({ records: newHires(3) });
    const note = () => Promise.reject(new Error('the disk is full'));
    const io = { ...scene.io, store: { ...scene.store, previews: { ...scene.store.previews, note } } };
    await request(scene);
    await makePreview(id, io, scene.stopping.signal);
    expect((await scene.store.previews.get(id))?.state).toBe('done');
  });
});

describe('a preview fails, with the reason', () => {
  it('when its sync is no longer configured', async () => {
    const scene = await openPlanScene({ records: newHires(1) });
    await request(scene, all, 'gone');
    const reason = 'the sync gone is no longer configured';
    expect(await make(scene)).toMatchObject({ state: 'failed', reason, endedAt: scene.clock.now() });
    expect(scene.source.requests).toEqual([]);
  });

  it('when the platform cannot be read', async () => {
    const scene = await openPlanScene({ records: newHires(1) });
    scene.script.scanError = new TypeError('no directory');
    await request(scene);
    expect(await make(scene)).toMatchObject({
      state: 'failed',
      report: undefined,
      reason: expect.stringContaining('TypeError'),
    });
  });

  it('at the fourth attempt, because its read may be what ends the process', async () => {
    const scene = await openPlanScene({ records: newHires(1) });
    await request(scene);
    for (const _ of ['first', 'second']) await scene.store.previews.begin(id, scene.clock.now());
    expect((await make(scene)).state).toBe('done');

    const again = await openPlanScene({ records: newHires(1) });
    await request(again);
    for (const _ of ['first', 'second', 'third']) await again.store.previews.begin(id, again.clock.now());
    const reason = 'the work was interrupted 3 times: read the log of the workers';
    expect(await make(again)).toMatchObject({ state: 'failed', reason, attempt: 4 });
    expect(again.source.requests).toEqual([]);
  });
});

describe('a preview is left to another attempt', () => {
  it('when the process stops while it is made', async () => {
    const scene = await openPlanScene({ records: newHires(1) });
    await request(scene);
    scene.script.scanError = new Error('stopped');
    const stop = new Error('stopping');
    const io = { ...scene.io, checkpoint: () => scene.stopping.abort(stop) };
    await expect(makePreview(id, io, scene.stopping.signal)).rejects.toBe(stop);
    expect(await scene.store.previews.get(id)).toMatchObject({ state: 'working', reason: undefined });
  });

  it('and not made again when it has ended', async () => {
    const scene = await openPlanScene({ records: newHires(1) });
    await request(scene);
    await make(scene);
    await make(scene);
    expect(scene.source.requests).toHaveLength(1);
  });
});
