import { describe, expect, it } from 'vitest';
import { pruneBeside, pruneOld } from '../../src/run/prune-old.ts';
import { dayMs, endRun, openRun, sampleChange, sampleEntry, writePlan } from '../contracts/store-samples.ts';
import { someInstant } from '../support/fake-clock.ts';
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
