import type { FilePace } from '../../ports/run-facts.ts';
import type { Batch } from '../../ports/store.ts';

/** Files with at least so many rows are polled no sooner than `settle.every` until the run knows how long files take. */
const largeFileRows = 5000;
/** The shortest interval between two polls, as a part of `settle.every`. */
const smallestPart = 1 / 20;
const longestPollMs = 60_000;

/**
 * Returns the wait in ms before the first poll of a file: what the last files took. It is searched for between the
 * longest wait that was too short and the shortest that was enough.
 */
export function firstPollMs({ size }: Pick<Batch, 'size'>, everyMs: number, pace: FilePace | undefined): number {
  const least = everyMs * smallestPart;
  if (pace?.tookMs === undefined) return Math.round(Math.max(least, everyMs * Math.min(1, size / largeFileRows)));
  const { tookMs, tooSoonMs } = pace;
  const guess = tooSoonMs * 1.3 >= tookMs ? tookMs : (tookMs + tooSoonMs) / 2;
  return Math.round(Math.max(least, Math.min(guess, longest(everyMs))));
}

/** Returns the wait in ms before the next poll. It grows with the time that has passed, up to one minute. */
export function nextPollMs({ size }: Pick<Batch, 'size'>, everyMs: number, passedMs: number): number {
  const least = everyMs * Math.max(smallestPart, Math.min(1, size / largeFileRows));
  return Math.round(Math.min(Math.max(least, passedMs / 3), longest(everyMs)));
}

/** Returns the wait in ms before the next proof of changes that the platform does not show yet. */
export function nextProofMs(everyMs: number, passedMs: number): number {
  return Math.round(Math.min(Math.max(everyMs, passedMs / 2), longest(everyMs)));
}

/** Returns what a poll after `passedMs` adds to what the run knows. */
export function learnPace(known: FilePace | undefined, passedMs: number, isFinal: boolean): FilePace {
  const tooSoonMs = known?.tooSoonMs ?? 0;
  if (!isFinal) return { ...known, tooSoonMs: passedMs };
  // Files may become faster, so the lower bound falls a little with each file.
  return { tookMs: passedMs, tooSoonMs: Math.round(Math.min(tooSoonMs * 0.9, passedMs)) };
}

function longest(everyMs: number): number {
  return Math.max(longestPollMs, everyMs);
}
