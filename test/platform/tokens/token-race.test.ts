import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graceMs } from '../../../src/platform/tokens/presentation.ts';
import { openStore } from '../../../src/store/index.ts';
import { drawRuns, drawSeeds } from '../../support/drawn.ts';
import { slowly } from '../../support/slowness.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { memoryTokenStore } from './memory-token-store.ts';
import { httpTimeoutMs, runWorld, type Seen, type WorldEnd, type WorldOptions } from './token-world.ts';

/** A call and the grace after it. One that began late in its lease ends with it: the next may follow after less than a lease. */
const longestCallMs = httpTimeoutMs + graceMs;

const calm = { processes: 4, steps: 25, crash: 0, stall: 0, fault: 0, refusal: 0.1 };
const wild = { processes: 3, steps: 15, crash: 0.004, stall: 0.002, fault: 0.15, refusal: 0.1 };

const onMemory = (options: Omit<WorldOptions, 'store'>) => runWorld({ ...options, store: memoryTokenStore() });

function byToken(end: WorldEnd): readonly (readonly Seen[])[] {
  const groups = new Map<string, Seen[]>();
  for (const seen of end.presentations) groups.set(seen.token, [...(groups.get(seen.token) ?? []), seen]);
  return [...groups.values()];
}

/** I6: never again once its answer arrived, and after an unknown outcome never while the call may be under way. */
function expectSafe(end: WorldEnd): void {
  for (const presentations of byToken(end)) {
    for (const [i, later] of presentations.entries()) {
      const before = presentations[i - 1];
      if (before === undefined) continue;
      expect(before.isInDoubt, `${before.token} was presented again although its answer was stored`).toBe(true);
      expect(later.at - before.at, `${before.token} was presented while it was under way`).toBeGreaterThanOrEqual(
        longestCallMs,
      );
    }
  }
  expect(end.usedTooEarly).toBe(0);
  if (end.presentations.every(({ isInDoubt }) => !isInDoubt)) expect(end.revokedFamilies).toBe(0);
}

describe('many processes over one pair', () => {
  it('without faults present every refresh token once and never lose the family', {
    timeout: slowly(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const end = await onMemory({ seed, ...calm });
        expectSafe(end);
        expect(end).toMatchObject({ revokedFamilies: 0, lockedOut: 0 });
        expect(end.handedOut).toBeGreaterThan(0);
        expect(byToken(end)).toHaveLength(end.presentations.length);
      }),
      { numRuns: drawRuns(60) },
    );
  });

  it('with crashes, stops and lost answers keep I6 in every order of events', {
    timeout: slowly(120_000),
  }, async () => {
    const runs = drawRuns(250);
    let crashes = 0;
    let repeats = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const end = await onMemory({ seed, ...wild });
        expectSafe(end);
        crashes += end.crashes;
        repeats += end.presentations.length - byToken(end).length;
      }),
      { numRuns: runs },
    );
    // The faults did happen, so the promise was put to the test.
    expect(crashes).toBeGreaterThan(runs / 5);
    expect(repeats).toBeGreaterThan(runs / 12);
  });

  it('keep I6 over the real store', { timeout: slowly(120_000) }, async () => {
    const folder = await temporaryFolder();
    for (const seed of drawSeeds(12, 4)) {
      const store = await openStore(`sqlite:./world-${seed}.db`, { folder });
      try {
        expectSafe(await runWorld({ seed, ...wild, store }));
      } finally {
        await store.close();
      }
    }
  });
});
