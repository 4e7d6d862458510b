import { describe, expect, it } from 'vitest';
import { drawSeeds } from '../support/drawn.ts';
import { slowly } from '../support/slowness.ts';
import { type Played, play } from './world.ts';

const seeds = drawSeeds(400, 16);

describe('a company, a platform and workers that fail in every way a seed can think of', () => {
  it(`keep every promise of the design in ${seeds.length} seeds`, { timeout: slowly(480_000) }, async () => {
    const all: Played[] = [];
    for (const seed of seeds) {
      try {
        all.push(await play(seed));
      } catch (error) {
        throw new Error(`npm run simulate -- --seed ${seed}`, { cause: error });
      }
    }
    const sum = (count: (played: Played) => number): number => all.reduce((total, played) => total + count(played), 0);
    // The faults did happen, so the promises were put to the test.
    expect(sum(({ effects }) => effects)).toBeGreaterThan(seeds.length);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(seeds.length);
    expect(sum(({ stalls }) => stalls)).toBeGreaterThan(seeds.length / 4);
    expect(sum(({ unresolved }) => unresolved)).toBeGreaterThan(seeds.length / 20);
    expect(sum(({ repeated }) => repeated)).toBeGreaterThan(seeds.length / 40);
    expect(sum(({ held }) => held)).toBeGreaterThan(seeds.length / 8);
    expect(sum(({ deltas }) => deltas)).toBeGreaterThan(seeds.length);
  });

  it('play the same story whenever a seed is played again', async () => {
    for (const seed of seeds.slice(0, 2)) expect((await play(seed)).story).toBe((await play(seed)).story);
  });
});
