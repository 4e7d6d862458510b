import { expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { endRun, openRun, sampleBatch, sampleChange, writePlan } from '../contracts/store-samples.ts';

/** Counts while the changes go on. `wait`: time that passes before the second count (ms). */
const countsOf = async (people: number, wait = 0) => {
  let now = 1000;
  const store = await openStore('sqlite::memory:', { folder: '.', uptime: { boot: undefined, now: () => now } });
  const owned = await openRun(store, { id: 'run_1' });
  const names = Array.from({ length: people }, (_, i) => `E${i + 1}`);
  await writePlan(
    store,
    { id: 'run_1', owned },
    names.map((name) => sampleChange(name, 'create')),
  );
  await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: names }]);
  const states = async () => (await store.reports.batchStates('run_1')).map(({ state, count }) => [state, count]);
  const before = await states();
  await store.plans.setStates(
    owned,
    names.slice(0, 3).map((identification) => ({ identification, state: 'sent' })),
  );
  now += wait;
  const after = await states();
  await endRun(store, owned);
  const atEnd = await states();
  await store.close();
  return { before, after: after.sort(), atEnd: atEnd.sort() };
};

it('counts of a run by batch and state follow each change', async () => {
  const found = await countsOf(10);
  expect(found).toEqual({
    before: [['planned', 10]],
    after: [
      ['planned', 7],
      ['sent', 3],
    ],
    atEnd: [
      ['planned', 7],
      ['sent', 3],
    ],
  });
});

it.each([
  [0, 'reused', [['planned', 26_000]]],
  [1999, 'reused', [['planned', 26_000]]],
  [
    2000,
    'made again',
    [
      ['planned', 25_997],
      ['sent', 3],
    ],
  ],
])('counts of a large run are after %i ms %s, and made again after its end', async (wait, _, after) => {
  expect(await countsOf(26_000, wait)).toEqual({
    before: [['planned', 26_000]],
    after,
    atEnd: [
      ['planned', 25_997],
      ['sent', 3],
    ],
  });
});
