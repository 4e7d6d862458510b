import { expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { endRun, openPlanned, sampleBatch, sampleChange } from '../contracts/store-samples.ts';

it.each([
  ['10 people follow each change', 10, []],
  ['26,000 people are reused for two seconds, and made again after its end', 26_000, [0, 1999]],
])('counts by batch and state of a run about %s', async (_, people, reusedAt) => {
  let now = 1000;
  const store = await openStore('sqlite::memory:', { folder: '.', uptime: { boot: undefined, now: () => now } });
  const names = Array.from({ length: people }, (_, i) => `E${i + 1}`);
  const owned = await openPlanned(
    store,
    { id: 'run_1' },
    names.map((name) => sampleChange(name, 'create')),
  );
  await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: names }]);
  const states = async () =>
    (await store.reports.batchStates('run_1')).map(({ state, count }) => `${state} ${count}`).sort();
  const send = (some: readonly string[]) =>
    store.plans.setStates(
      owned,
      some.map((identification) => ({ identification, state: 'sent' })),
    );
  expect(await states()).toEqual([`planned ${people}`]);
  await send(names.slice(0, 3));
  for (const at of reusedAt) {
    now = 1000 + at;
    expect(await states()).toEqual([`planned ${people}`]);
  }
  if (reusedAt.length > 0) now = 3000;
  expect(await states()).toEqual([`planned ${people - 3}`, 'sent 3']);
  await send(names.slice(3, 5));
  await endRun(store, owned);
  expect(await states()).toEqual([`planned ${people - 5}`, 'sent 5']);
  await store.close();
});
