import { hash } from 'node:crypto';

/** What the work of `measure` takes on an idle machine of two cores of 2024 (ms). */
const referenceMs = 60;

/** Returns how many times longer a fixed piece of work takes here and now than on an idle machine, at least 1 and at most 20. */
export function measureSlowness(): number {
  const from = performance.now();
  let text = '';
  for (let round = 0; round < 60_000; round += 1) text = hash('sha256', `${text} ${round}`);
  const measured = (performance.now() - from) / referenceMs;
  // Half as much again is noise on an idle machine. What a busy one does to us, it does unevenly.
  return measured < 1.5 ? 1 : Math.min(20, 2 * measured);
}

/**
 * Returns a time (ms) that is as long for a slow machine as `ms` is for an idle one: for a limit that only something that
 * hangs may reach. vitest.config.ts measures once for each run; TEST_SLOWNESS sets it.
 */
export function slowly(ms: number): number {
  return Math.ceil(ms * Number(process.env.TEST_SLOWNESS ?? 1));
}
