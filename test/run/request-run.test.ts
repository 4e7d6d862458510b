import { expect, it } from 'vitest';
import { openRun, requestRun } from '../../src/run/request-run.ts';
import { endRun } from '../contracts/store-samples.ts';
import { someInstant } from '../support/fake-clock.ts';
import { openScene } from './run-in-store.ts';

const request = { sync: 'people', kind: 'manual', scope: { kind: 'all' } } as const;

/** No run is in progress, and `people` and `leavers` are configured. */
async function idle() {
  const scene = await openScene({ changes: [] });
  await openScene({ changes: [], settings: { name: 'leavers' }, beside: scene, run: 'run_2' });
  await endRun(scene.store, (await scene.context()).owned);
  return scene;
}

it('a request is stored with its time, under its own id where it has no key', async () => {
  const { io, places } = await idle();
  const { trigger, isNew } = await requestRun(request, io);
  expect([trigger, isNew]).toEqual([
    { ...request, id: 'trigger_id1', key: 'trigger_id1', requestedAt: someInstant },
    true,
  ]);
  expect(places).toContain('trigger-stored');
});

it('a request with a known key is the same request', async () => {
  const { io } = await idle();
  const ids = ['a', 'b'].values();
  const own = { ...io, newId: () => ids.next().value ?? '' };
  expect(await requestRun({ ...request, key: 'slot 1' }, own)).toMatchObject({ isNew: true });
  expect(await requestRun({ ...request, key: 'slot 1' }, own)).toMatchObject({ isNew: false });
});

it('the run that was requested is opened once', async () => {
  const { io, places } = await idle();
  await requestRun(request, io);
  const own = { ...io, newId: () => 'run_7' };
  expect(await openRun('people', own)).toMatchObject({
    run: { id: 'run_7', sync: 'people', connection: 'acme', startedAt: someInstant },
    isNew: true,
  });
  expect(places.filter((place) => place === 'run-opened')).toHaveLength(1);
  expect(await openRun('people', own)).toMatchObject({ run: { id: 'run_7' }, isNew: false });
  expect(places.filter((place) => place === 'run-opened')).toHaveLength(1);
});

it('no run is opened without a request, or for a sync that is not configured', async () => {
  const { io, places } = await idle();
  expect(await openRun('people', io)).toBeUndefined();
  expect(await openRun('gone', io)).toBeUndefined();
  expect(places).not.toContain('run-opened');
});
