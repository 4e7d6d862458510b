import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { followRun } from '../../src/app/request-ends.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { ProgressEvent } from '../../src/ports/runtime.ts';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import type { EngineIo } from '../../src/run/engine-io.ts';
import { openStore } from '../../src/store/index.ts';
import { endRun, openRun, sampleBatch, sampleTrigger, writePlan } from '../contracts/store-samples.ts';
import { FakeClock } from '../support/fake-clock.ts';

let store: Store;
let clock: FakeClock;
const progress: ProgressEvent[] = [];
const options = { signal: new AbortController().signal, progress: (event: ProgressEvent) => void progress.push(event) };
const trigger = sampleTrigger('trigger_run_1');

beforeEach(async () => {
  store = await openStore('sqlite::memory:', { folder: '.' });
  clock = new FakeClock();
  progress.length = 0;
});
afterEach(() => store.close());

/** The surroundings of a shell beside a deployment, which may be away. */
function shell(isDeployed: () => boolean, drive: AppIo['drive'] = async () => 'busy'): AppIo {
  const engine = { store, clock } as unknown as EngineIo;
  return {
    engine,
    isDeployed: async () => isDeployed(),
    drive,
    checkAlerts: async () => {},
    endOrphans: async () => [],
  } as unknown as AppIo;
}

async function running(): Promise<OwnedRun> {
  const owned = await openRun(store, { id: 'run_1', now: clock.now() });
  await writePlan(store, { id: 'run_1', owned }, []);
  const batches = [1, 2, 3].map((n) => ({ batch: sampleBatch(owned, n, { size: 50 }), identifications: [] }));
  await store.batches.create(owned, batches);
  await store.runs.update(owned, { phase: 'delivering' });
  return owned;
}

it('shows the batches of a run that another process drives, each number once, and reports its end', async () => {
  const owned = await running();
  const followed = followRun(
    trigger,
    options,
    shell(() => true),
  );
  await clock.advance(2000);
  await store.batches.update(owned, 'run_1_b1', { state: 'sent', sentAt: clock.now() });
  await clock.advance(3000);
  await store.batches.update(owned, 'run_1_b2', { state: 'sent', sentAt: clock.now() });
  await clock.advance(1000);
  await endRun(store, owned, clock.now());
  await clock.advance(1000);
  expect((await followed)?.run).toMatchObject({ id: 'run_1', outcome: 'succeeded' });
  const shown = { step: 'delivering', batches: 3, changes: 50 };
  expect(progress).toEqual([
    { ...shown, batch: 1 },
    { ...shown, batch: 2 },
  ]);
});

it('drives the run here when no deployment was there for a minute, and not when one was replaced', async () => {
  const owned = await running();
  let isDeployed = false;
  const driven: number[] = [];
  const began = clock.now();
  const io = shell(
    () => isDeployed,
    async () => {
      driven.push(clock.now() - began);
      await endRun(store, owned, clock.now());
      return 'ended';
    },
  );
  const followed = followRun(trigger, options, io).catch((error: unknown) => error);
  await clock.advance(59_000);
  isDeployed = true;
  await clock.advance(2000);
  isDeployed = false;
  await clock.advance(58_000);
  expect(driven).toEqual([]);
  await clock.advance(5000);
  await followed;
  expect(driven).toHaveLength(1);
});

it('waits for a store that is restarted, and says after ten minutes that the request stays', async () => {
  await running();
  const { triggers } = store;
  const state = triggers.state.bind(triggers);
  let isAway = true;
  Object.assign(triggers, {
    state: async (id: string) => {
      if (isAway) throw new RollcallError('the store cannot be reached', { code: 'STORE_INVALID', retry: 'backoff' });
      return state(id);
    },
  });
  const io = shell(() => true);
  const followed = followRun(trigger, options, io);
  await clock.advance(540_000);
  isAway = false;
  await clock.advance(2000);
  isAway = true;
  const refused = expect(followed).rejects.toThrow(
    /^the store cannot be reached\. The request trigger_run_1 stays, and a running deployment continues its run/,
  );
  await clock.advance(602_000);
  await refused;
  const waiting = { for: 'store', about: 'the store cannot be reached' };
  expect(progress[0]).toMatchObject({ step: 'waiting', waiting });
});

it('says that a request was canceled', async () => {
  await store.triggers.add(trigger);
  const followed = followRun(
    trigger,
    options,
    shell(() => true),
  );
  const refused = expect(followed).rejects.toThrow('the request for people was canceled before its run began');
  await store.triggers.cancel(trigger.id);
  await clock.advance(2000);
  await refused;
});
