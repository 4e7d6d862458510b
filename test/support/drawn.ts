/**
 * What this run draws of the random tests. `npm run test:long` plays all of their seeds and places; every other run plays
 * a part, which `TEST_SEED` decides. vitest.config.ts chooses that seed and prints it.
 */
export const isLong = process.env.TEST_LONG !== undefined;

/** Undefined outside of vitest: a script plays all. */
const { TEST_SEED: seed } = process.env;
const playsAll = isLong || seed === undefined;

/** Returns which of the places 1, 2, 3 … of a sweep this run plays: each one, or one in `share`. */
export function drawPlaces(share: number): { readonly first: number; readonly step: number } {
  return playsAll ? { first: 1, step: 1 } : { first: 1 + (Number(seed) % share), step: share };
}

/** Returns the inputs of a matrix that this run plays: all of them, or one in `share`. */
export function drawFrom<T>(all: readonly T[], share: number): readonly T[] {
  const { first, step } = drawPlaces(share);
  return all.filter((_, index) => (index + 1 - first) % step === 0);
}

/** Returns the seeds 1 to `all`, or `part` of them. */
export function drawSeeds(all: number, part: number): readonly number[] {
  const { first, step } = drawPlaces(Math.floor(all / part));
  const seeds = Array.from({ length: all }, (_, i) => i + 1);
  return seeds.filter((one) => (one - first) % step === 0).slice(0, playsAll ? all : part);
}

/** Returns how many runs of a property are played. fast-check draws its own seed and prints it when one fails. */
export function drawRuns(all: number): number {
  return playsAll ? all : Math.ceil(all / 8);
}
