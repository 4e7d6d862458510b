/**
 * Ends a loop of 401, refresh, 401. Opens after two refreshes caused by a 401 without an accepted call between them,
 * and lets one more refresh through after a while.
 */
export interface Breaker {
  /** Returns how long the breaker stays open, in ms; 0 when a refresh may start. */
  openForMs(now: number): number;
  /** Records a refresh that followed a 401, and the generation that it returned. */
  refreshed(generation: number, now: number): void;
  /** Records an accepted call with this generation. An older token proves nothing about the newest one. */
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
