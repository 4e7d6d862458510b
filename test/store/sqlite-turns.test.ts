import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { openPlanned, openRun, sampleBatch, writePlan } from '../contracts/store-samples.ts';

const total = 20_000;
const names = Array.from({ length: total }, (_, i) => `e${String(i).padStart(5, '0')}`);

const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe('a store in a SQLite file', () => {
  it('lets other work go on while it writes, reads and counts what is large', async () => {
    const store = await openHere();
    const owned = await openRun(store, { id: 'run_1' });
    const write = () => writePlan(store, { id: 'run_1', owned }, names);
    const batch = sampleBatch(owned, 1);
    const marks = names.map((identification) => ({ identification, state: 'sent' as const }));
    const works: [string, () => Promise<unknown>][] = [
      ['writing a plan', write],
      ['counting', () => store.plans.count('run_1')],
      ['looking for few', () => store.plans.page('run_1', { limit: 10, states: ['held'] })],
      ['making a batch', () => store.batches.create(owned, [{ batch, identifications: names }])],
      ['marking', () => store.batches.update(owned, batch.id, { state: 'sending' }, { marks })],
    ];
    for (const [what, work] of works) expect([what, await turnsDuring(work)]).toEqual([what, expect.toSatisfy(isMany)]);
    // A hold of a class is one row, so nothing has to wait for it.
    expect(await turnsDuring(() => store.plans.hold(owned, 'run_1', ['creates'], 'too many'))).toBe(0);
  });

  it('shows what is committed, at once, to whoever reads while a transaction is open', async () => {
    const store = await openHere();
    const owned = await openPlanned(store, { id: 'run_1' }, names);
    const batch = sampleBatch(owned, 1);
    let isOver = false;
    const creating = store.batches.create(owned, [{ batch, identifications: names }]).then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await store.plans.page('run_1', { limit: 1, batch: batch.id })).toEqual([]);
    expect(await store.batches.ofRun('run_1')).toEqual([]);
    expect(isOver).toBe(false);
    await creating;
    expect(await store.plans.page('run_1', { limit: 1, batch: batch.id })).toHaveLength(1);
  });

  it('does writes that are asked for at once one after the other, also after one that fails', async () => {
    const store = await openHere();
    const owned = await openRun(store, { id: 'run_1' });
    const lost = { ...owned, lease: { ...owned.lease, fence: owned.lease.fence + 1 } };
    const results = await Promise.allSettled([
      store.runs.update(owned, { phase: 'planning' }),
      store.runs.update(lost, { phase: 'done' }),
      store.runs.requestCancel('run_1'),
      store.runs.update(owned, { phase: 'delivering' }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await store.runs.get('run_1')).toMatchObject({ phase: 'delivering', isCancelRequested: true });
  });
});

const isMany = (turns: number): boolean => turns >= 5;

/** How often the event loop turned meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

async function openHere(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-turns-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const store = await openStore('sqlite:rollcall.db', { folder });
  undo.push(() => store.close());
  return store;
}
