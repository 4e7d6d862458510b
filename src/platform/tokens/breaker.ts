/**
 * Ends a loop of 401, refresh, 401: it opens after two refreshes that a 401 called for without one accepted call in
 * between, and lets one more refresh through when it has been open for a while.
 */
export interface Breaker {
  /** How long it stays open, in ms; 0 when a refresh may go through. */
  openForMs(now: number): number;
  /** A 401 was answered by a refresh, which gave this generation. */
  refreshed(generation: number, now: number): void;
  /** A call with this generation was accepted. An older token says nothing about the newest one. */
  accepted(generation: number): void;
}

const maxFruitless = 2;
const openMs = 5 * 60_000;

export function openBreaker(): Breaker {
  let fruitless = 0;
  let newest = 0;
  let lastAt = 0;
  return {
    openForMs: (now) => (fruitless < maxFruitless ? 0 : Math.max(0, openMs - Math.abs(now - lastAt))),
    refreshed(generation, now) {
      fruitless++;
      newest = generation;
      lastAt = now;
    },
    accepted(generation) {
      if (generation >= newest) fruitless = 0;
    },
  };
}
