import { expect, it, onTestFinished } from 'vitest';
import type { EngineIo, Sync } from '../../src/engine/engine-io.ts';
import { blockedUsers } from '../../src/engine/unresolved.ts';
import { openStore } from '../../src/store/index.ts';
import { endRun, openRun, sampleBatch, sampleChange, writePlan } from '../contracts/store-samples.ts';
import { FakeClock, someInstant } from '../support/fake-clock.ts';

const waitMs = 1_000;
const sync = { settings: { name: 'people', connection: 'acme', settle: { unknownAfterMs: waitMs } } } as Sync;

it.each(['sent', 'unresolved'] as const)(
  'whoever an ended run left %s in an unresolved batch waits, and is planned anew after the wait',
  async (state) => {
    const store = await openStore('sqlite::memory:', { folder: '.' });
    onTestFinished(() => store.close());
    const owned = await openRun(store, { id: 'run_1' });
    const names = ['ana', 'eva', 'leo'];
    await writePlan(
      store,
      { id: 'run_1', owned },
      names.map((name) => sampleChange(name)),
    );
    const batch = sampleBatch(owned, 1, { size: 3, sentAt: someInstant });
    await store.batches.create(owned, [{ batch, identifications: names }]);
    const marks = [
      { identification: 'ana', state: 'applied' },
      { identification: 'eva', state },
      { identification: 'leo', state: 'unresolved' },
    ] as const;
    await store.batches.update(owned, batch.id, { state: 'unresolved' }, { marks });
    await endRun(store, owned);
    const lookAt = (now: number) =>
      blockedUsers(sync, {
        store,
        clock: new FakeClock(now),
        syncs: new Map([['people', sync]]),
      } as unknown as EngineIo);
    const waiting = new Set(['eva', 'leo']);
    expect(await lookAt(someInstant)).toEqual({ blocked: waiting, released: new Set() });
    expect(await lookAt(someInstant + waitMs)).toEqual({ blocked: new Set(), released: waiting });
  },
);
