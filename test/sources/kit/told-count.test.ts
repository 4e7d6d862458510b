import { expect, it } from 'vitest';
import { countDoubts, countIn } from '../../../src/sources/kit/pages.ts';

it.each([
  [12, 12],
  ['12', 12],
  [0, 0],
])('a count %j is %j', (value, count) => {
  expect([countIn(value), countDoubts(value, 'total')]).toEqual([count, []]);
});

it.each([undefined, null])('%j tells no count', (value) => {
  expect([countIn(value), countDoubts(value, 'total')]).toEqual([undefined, []]);
});

it.each(['many', '', '-1', -1, 1.5, '1e3', Number.NaN, {}, [12], true])('%j is doubted', (value) => {
  expect([countIn(value), countDoubts(value, 'meta.total')]).toEqual([
    undefined,
    ['meta.total is not a whole number, so it does not show how many people there are'],
  ]);
});
