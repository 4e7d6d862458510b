import { describe, expect, it } from 'vitest';
import { type Played, play } from './world.ts';

const seeds = 400;

describe('a company, a platform and workers that fail in every way a seed can think of', () => {
  it(`keep every promise of the design in ${seeds} seeds`, { timeout: 480_000 }, async () => {
    const all: Played[] = [];
    for (let seed = 1; seed <= seeds; seed += 1) {
      try {
        all.push(await play(seed));
      } catch (error) {
        throw new Error(`npm run simulate -- --seed ${seed}`, { cause: error });
      }
    }
    const sum = (count: (played: Played) => number): number => all.reduce((total, played) => total + count(played), 0);
    // The faults did happen, so the promises were put to the test.
    expect(sum(({ effects }) => effects)).toBeGreaterThan(seeds);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(seeds);
    expect(sum(({ stalls }) => stalls)).toBeGreaterThan(seeds / 4);
    expect(sum(({ unresolved }) => unresolved)).toBeGreaterThan(20);
    expect(sum(({ repeated }) => repeated)).toBeGreaterThan(10);
    expect(sum(({ held }) => held)).toBeGreaterThan(50);
    expect(sum(({ deltas }) => deltas)).toBeGreaterThan(seeds);
  });

  it('play the same story whenever a seed is played again', async () => {
    for (const seed of [3, 71, 204]) expect((await play(seed)).story).toBe((await play(seed)).story);
  });
});
