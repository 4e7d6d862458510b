import { beforeEach, onTestFinished } from 'vitest';

/** Kinds of handles that a test must give back (names of `process.getActiveResourcesInfo`). */
const watched = ['TCPServerWrap', 'TCPSocketWrap', 'PipeWrap', 'ProcessWrap', 'FSEventWrap', 'Timeout', 'MessagePort'];

/**
 * Handles close a turn or two later. Timers of connections that an earlier file of the same process closed, and those of
 * the test runner, take longer on a busy machine. A timer that repeats, or a server, never goes away.
 */
const closedWithinMs = 30_000;

/** Call it once at the top of a test file: a test that leaves a server, socket, timer or watcher open fails. */
export function failOnLeaks(): void {
  beforeEach(() => {
    const before = countHandles();
    // The first to ask is the last to be called: after whatever the test itself closes when it is finished.
    onTestFinished(() => expectNoMoreThan(before));
  });
}

async function expectNoMoreThan(before: ReadonlyMap<string, number>): Promise<void> {
  let leaked = newHandles(before);
  const giveUpAt = performance.now() + closedWithinMs;
  while (leaked.length > 0 && performance.now() < giveUpAt) {
    await new Promise((resolve) => setImmediate(resolve));
    leaked = newHandles(before);
  }
  if (leaked.length > 0) throw new Error(`the test left open: ${leaked.join(', ')}`);
}

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function newHandles(before: ReadonlyMap<string, number>): string[] {
  const now = countHandles();
  return watched
    .map((kind) => ({ kind, more: (now.get(kind) ?? 0) - (before.get(kind) ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} ${kind}`);
}
