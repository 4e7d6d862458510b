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

it('counts of a large run are reused for a while, but not after its end', async () => {
  const people = 26_000;
  const found = await countsOf(people);
  expect(found).toEqual({
    before: [['planned', people]],
    after: [['planned', people]],
    atEnd: [
      ['planned', people - 3],
      ['sent', 3],
    ],
  });
});

it('counts of a large run are made again after a while', async () => {
  const again = async (wait: number) => (await countsOf(26_000, wait)).after;
  expect(await again(1999)).toEqual([['planned', 26_000]]);
  expect(await again(2000)).toEqual([
    ['planned', 25_997],
    ['sent', 3],
  ]);
});
