import { expect, it } from 'vitest';
import { advanceRun } from '../../jobs/advance-run.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { type Waiting, waitFor, waitingWords } from '../../src/core/run/waiting.ts';
import { keepRaw, notingProblem, tellWaiting } from '../../src/run/run-notes.ts';
import type { JobContext } from '../../src/run/work.ts';
import { sampleChange } from '../contracts/store-samples.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { openScene, trouble } from './run-in-store.ts';

failOnLeaks();

it('a temporary problem of a step is stored with the run, so that every process can show it', async () => {
  const scene = await openScene({ changes: [sampleChange('ana')] });
  const error = trouble('PLATFORM_FAILED');
  scene.script.find = () => {
    throw error;
  };
  const context: Pick<JobContext, 'withRun' | 'engine'> = {
    engine: { ...scene.io, countRequests: (_count, work) => work() },
    withRun: async (_id, work) => work(await scene.context()),
  };
  await expect(advanceRun.run(context, { run: 'run_1' })).rejects.toBe(error);
  const { problem } = await scene.run();
  expect(problem).toEqual({ at: scene.clock.now(), reason: 'the platform is in trouble' });
});

it.each<[what: string, error: Error, stored: object]>([
  ['that ends the run', new RollcallError('no', { code: 'CONFIG_INVALID', retry: 'never' }), {}],
  ['of the store itself', new RollcallError('locked', { code: 'STORE_INVALID', retry: 'backoff' }), {}],
  ['that is no error of ours', new TypeError('a bug'), {}],
  [
    'of the HR system',
    new RollcallError('away.', { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' }),
    { reason: 'away.' },
  ],
])('a problem %s is thrown, and noted only where the process tries again', async (_, error, stored) => {
  const scene = await openScene({ changes: [] });
  await expect(notingProblem(await scene.context(), scene.io, () => Promise.reject(error))).rejects.toBe(error);
  const { problem, waiting } = await scene.run();
  const isNoted = 'reason' in stored;
  expect(problem).toEqual(isNoted ? { at: scene.clock.now(), ...stored } : undefined);
  expect(waiting?.for).toBe(isNoted ? 'source' : undefined);
});

it('a run waits since the first of the problems of one kind, and a note that cannot be stored changes nothing', async () => {
  const scene = await openScene({ changes: [] });
  const since = scene.clock.now();
  const fail = async (code: 'SOURCE_UNAVAILABLE' | 'TOKEN_UNAVAILABLE', io = scene.io) => {
    const error = new RollcallError('away', { code, retry: 'backoff' });
    await expect(notingProblem(await scene.context(), io, () => Promise.reject(error))).rejects.toBe(error);
    scene.clock.jumpTo(scene.clock.now() + 1000);
    const { waiting } = await scene.run();
    return [waiting?.for, (waiting?.since ?? 0) - since];
  };
  expect(await fail('SOURCE_UNAVAILABLE')).toEqual(['source', 0]);
  expect(await fail('SOURCE_UNAVAILABLE')).toEqual(['source', 0]);
  expect(await fail('TOKEN_UNAVAILABLE')).toEqual(['token', 2000]);
  const update = () => Promise.reject(new TypeError('the disk is full'));
  const io = { ...scene.io, store: { ...scene.store, runs: { ...scene.store.runs, update } } };
  expect(await fail('SOURCE_UNAVAILABLE', io)).toEqual(['token', 2000]);
  const message = 'problem not stored';
  expect(scene.log.lines).toMatchObject([
    { level: 'debug', message, fields: { run: 'run_1', error: expect.any(String) } },
  ]);
});

it('a wait is told each time, and logged and stored once; that it is over is stored', async () => {
  const scene = await openScene({ changes: [] });
  const { owned } = await scene.context();
  const knowing = (waiting?: Waiting) => ({ owned: { ...owned, run: { ...owned.run, waiting } } });
  const wait = waitFor('turn', 'it sends', { about: 'one', since: 1 });
  expect(tellWaiting(knowing(), wait, scene.io)).toEqual({ waiting: wait });
  expect(tellWaiting(knowing(wait), { ...wait, since: 2 }, scene.io)).toBeUndefined();
  expect(tellWaiting(knowing(wait), undefined, scene.io)).toEqual({ waiting: undefined });
  expect(tellWaiting(knowing(), undefined, scene.io)).toBeUndefined();
  expect(scene.events.map((event) => event.step)).toEqual(['waiting', 'waiting']);
  const fields = { run: 'run_1', sync: 'people', waitsFor: 'turn' };
  expect(scene.log.lines).toEqual([{ level: 'info', message: waitingWords(wait), fields }]);
});

it('no raw text is kept where there is none', async () => {
  const scene = await openScene({ changes: [] });
  const { owned } = await scene.context();
  for (const text of [undefined, '', 'no right']) await keepRaw(owned, { about: 'batch 1', text }, scene.io);
  expect(await scene.rawTexts()).toEqual(['batch 1: no right']);
});
