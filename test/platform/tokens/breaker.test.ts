import { expect, it } from 'vitest';
import { openBreaker } from '../../../src/platform/tokens/open-token-manager.ts';

const minute = 60_000;

function refreshedTwice() {
  const breaker = openBreaker();
  breaker.refreshed(4, 0);
  expect(breaker.openForMs(0)).toBe(0);
  breaker.refreshed(5, 1000);
  return breaker;
}

it('opens for five minutes after the second refresh in vain', () => {
  const breaker = refreshedTwice();
  expect(breaker.openForMs(1000)).toBe(5 * minute);
  expect(breaker.openForMs(1000 + 2 * minute)).toBe(3 * minute);
  expect(breaker.openForMs(1000 + 5 * minute)).toBe(0);
  expect(breaker.openForMs(1000 + 9 * minute)).toBe(0);
});

it('is not open for longer when the clock is put back', () => {
  const breaker = refreshedTwice();
  expect(breaker.openForMs(1000 - 2 * minute)).toBe(3 * minute);
  expect(breaker.openForMs(1000 - 60 * minute)).toBe(0);
});

it.each([
  [4, 5 * minute],
  [5, 0],
  [6, 0],
])('after an accepted call with generation %i it is open for %i ms', (generation, openMs) => {
  const breaker = refreshedTwice();
  breaker.accepted(generation);
  expect(breaker.openForMs(1000)).toBe(openMs);
});

it('an accepted call begins the count anew', () => {
  const breaker = refreshedTwice();
  breaker.accepted(5);
  breaker.refreshed(6, 2000);
  expect(breaker.openForMs(2000)).toBe(0);
  breaker.refreshed(7, 2000);
  expect(breaker.openForMs(2000)).toBe(5 * minute);
});

it('one more refresh in vain opens it again for the whole time', () => {
  const breaker = refreshedTwice();
  breaker.refreshed(6, 10 * minute);
  expect(breaker.openForMs(10 * minute)).toBe(5 * minute);
});
