import { expect, it } from 'vitest';
import type { StoreSample } from '../../src/ports/store.ts';
import { storeOutlook } from '../../src/store/db/store-sizes.ts';

const day = 86_400_000;
const days = (bytes: readonly number[], room?: (index: number) => number): StoreSample[] =>
  bytes.map((one, index) => ({ at: index * day, bytes: one, ...(room === undefined ? {} : { room: room(index) }) }));

it('a store that grows by ten bytes a day is full when the rest of its limit is used up', () => {
  const grown = storeOutlook(days([10, 20, 30, 40]), { bytes: 40 }, 100);

  expect(grown).toEqual({ bytes: 40, room: 60, daysUntilFull: 6 });
});

it('a disk that others fill counts too, and what ends first is the answer', () => {
  const samples = days([10, 20, 30, 40], (index) => 100 - index * 25);

  expect(storeOutlook(samples, { bytes: 40, room: 25 }, 100)).toEqual({ bytes: 40, room: 25, daysUntilFull: 1 });
  expect(storeOutlook(samples, { bytes: 95, room: 25 }, 100)).toEqual({ bytes: 95, room: 5, daysUntilFull: 0 });
});

it.each([
  ['no limit and no known disk', days([1, 2, 3]), undefined, undefined],
  ['two samples, which show a single day', days([10, 20]), 100, 80],
  ['a size that stays', days([20, 20, 20]), 100, 80],
  ['a store that shrinks', days([30, 25, 20]), 100, 80],
])('says no day with %s', (_, samples, limit, room) => {
  expect(storeOutlook(samples, { bytes: 20 }, limit)).toEqual({ bytes: 20, ...(room === undefined ? {} : { room }) });
});
