import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { pruneBeside, pruneOld } from '../../src/run/prune-old.ts';
import { openStore } from '../../src/store/index.ts';
import { dayMs, endRun, openRun, sampleChange, sampleEntry, writePlan } from '../contracts/store-samples.ts';
import { someInstant } from '../support/fake-clock.ts';
import { startPostgres } from '../support/services.ts';
import { openScene, type SceneOptions } from './run-in-store.ts';

const keptDays = { runs: 90, ledger: 400, shown: 7, grace: 30 };
const goneSince = { hidden: {}, disabledAt: someInstant, goneSince: someInstant };

async function withHistory(options: Partial<SceneOptions> = {}) {
  const scene = await openScene({ changes: [], run: 'run_9', settings: { name: 'guests' }, ...options });
  const owned = await openRun(scene.store, { id: 'run_1' });
  await writePlan(scene.store, { id: 'run_1', owned }, [sampleChange('ana')]);
  await writePlan(scene.store, { id: 'shown_1' }, [sampleChange('ana')]);
  await scene.store.ledger.put(owned, [sampleEntry('ana', goneSince)]);
  await endRun(scene.store, owned);
  const isKept = async () => ({
    run: (await scene.store.plans.page('run_1', { limit: 1 })).length === 1,
    shown: (await scene.store.plans.page('shown_1', { limit: 1 })).length === 1,
    ledger: (await Array.fromAsync(scene.store.ledger.all('acme'))).flat().length === 1,
  });
  const keptAfter = async (days: number) => {
    scene.clock.jumpTo(someInstant + days * dayMs);
    await pruneOld(scene.io);
    return isKept();
  };
  return { ...scene, keptAfter };
}

describe('what is older than its retention', () => {
  it('is deleted, each kind at its own age', async () => {
    const { keptAfter, log } = await withHistory();
    expect(await keptAfter(keptDays.shown)).toEqual({ run: true, shown: true, ledger: true });
    expect(log.messages('info')).toEqual([]);
    expect(await keptAfter(keptDays.shown + 1)).toEqual({ run: true, shown: false, ledger: true });
    expect(await keptAfter(keptDays.runs)).toEqual({ run: true, shown: false, ledger: true });
    expect(await keptAfter(keptDays.runs + 1)).toEqual({ run: false, shown: false, ledger: true });
    expect(await keptAfter(keptDays.ledger)).toMatchObject({ ledger: true });
    expect(await keptAfter(keptDays.ledger + 1)).toMatchObject({ ledger: false });
    expect(log.lines.map(({ message, fields }) => ({ message, ...fields }))).toEqual([
      { message: 'old runs pruned', dropped: 1 },
      { message: 'ledger entries of users who are gone were replaced by keyed hashes', forgotten: 1 },
    ]);
  });

  it('is kept in the ledger while a removal may still be due or wait for approval', async () => {
    const remove = { afterMs: 500 * dayMs, blacklist: false };
    const { keptAfter } = await withHistory({ settings: { name: 'guests', remove } });
    expect(await keptAfter(500 + keptDays.grace)).toMatchObject({ ledger: true });
    expect(await keptAfter(501 + keptDays.grace)).toMatchObject({ ledger: false });
  });

  it('is deleted beside another command, whose work goes on when that fails', async () => {
    const { io, log, store } = await withHistory();
    const prune = () => Promise.reject(new TypeError('the disk is full'));
    await pruneBeside({ ...io, store: { ...store, runs: { ...store.runs, prune } } });
    expect(log.lines).toMatchObject([
      { level: 'warn', message: 'old runs were not pruned', fields: { error: expect.stringMatching(/^TypeError/) } },
    ]);
  });
});

const postgres = await startPostgres();
const openers: readonly (readonly [string, (() => Promise<Store>) | undefined])[] = [
  ['SQLite', () => openStore('sqlite::memory:', { folder: '.' })],
  ['PostgreSQL', postgres && (async () => openStore(await postgres.newStore(), { folder: '.' }))],
];

/** A store with one run a day for so many days, each with two hundred changes. `pruneTo`: returns the days that are left. */
async function openDays(days: number, open: (() => Promise<Store>) | undefined) {
  if (open === undefined) throw new Error('skipped without a server');
  const store = await open();
  onTestFinished(() => store.close());
  const scene = await openScene({ changes: [], run: 'run_now', settings: { name: 'guests' } });
  const people = Array.from({ length: 200 }, (_, i) => sampleChange(`E${i}`));
  for (let day = 0; day < days; day += 1) {
    const [id, at] = [`run_${day}`, someInstant + day * dayMs];
    const owned = await openRun(store, { id, now: at });
    await writePlan(store, { id, owned, madeAt: at }, people);
    await endRun(store, owned, at + 1000);
  }
  scene.clock.jumpTo(someInstant + days * dayMs);
  const pruneTo = async (storeSize: number | undefined): Promise<readonly number[]> => {
    await pruneOld({ ...scene.io, store, retention: { ...scene.io.retention, storeSize } });
    const kept: number[] = [];
    for (let day = 0; day < days; day += 1) {
      if ((await store.plans.page(`run_${day}`, { limit: 1 })).length > 0) kept.push(day);
    }
    return kept;
  };
  return { store, log: scene.log, pruneTo };
}

it.each(openers.filter(([, open]) => open !== undefined))(
  'retention.storeSize in %s deletes nothing below it; above it one pass keeps the days of the next half',
  async (_, open) => {
    const { store, log, pruneTo } = await openDays(30, open);
    // PostgreSQL counts rows in its statistics, a moment after they were written.
    const bytesNow = async () => (await store.size()).bytes;
    await expect.poll(bytesNow, { timeout: 20_000, interval: 100 }).toBeGreaterThan(500_000);
    const bytes = await bytesNow();
    expect(await pruneTo(undefined)).toHaveLength(30);
    expect(await pruneTo(bytes * 2)).toHaveLength(30);
    expect(log.messages('warn')).toEqual([]);
    // Nothing is older than 90 or 45 days; some are older than 22.5.
    expect(await pruneTo(Math.floor(bytes * 0.8))).toEqual(Array.from({ length: 22 }, (_, i) => i + 8));
    expect(log.messages('warn')).toHaveLength(1);
    await expect.poll(bytesNow, { timeout: 20_000, interval: 100 }).toBeLessThan(bytes * 0.8);
    expect(await pruneTo(Math.floor(bytes * 0.8))).toHaveLength(22);
    // The runs themselves stay in the list.
    expect(await store.runs.list({ limit: 99 })).toHaveLength(30);
  },
);

it('retention.storeSize that nothing can keep leaves the details of one day', async () => {
  const { pruneTo, log } = await openDays(8, openers[0]?.[1]);
  expect(await pruneTo(1)).toEqual([7]);
  expect(log.messages('warn')).toHaveLength(3);
});
