import { afterEach, beforeEach } from 'vitest';
import { failOnLeaks } from '../support/leak-check.ts';

type Closer = () => Promise<unknown>;

const closers: Closer[] = [];

/** The test runner reports its progress by a timer of 100 ms, which a leak check must not take for one of ours. */
const runnerTimerMs = 400;

/** Call it once at the top of a test file: closes what a test opened when it ends, then fails on what is left. */
export function closeAndFailOnLeaks(): void {
  failOnLeaks();
  let timersBefore = 0;
  beforeEach(() => {
    timersBefore = countTimers();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    const giveUpAt = performance.now() + runnerTimerMs;
    while (countTimers() > timersBefore && performance.now() < giveUpAt) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
}

/** Closes it when the test ends. */
export function closeLater(close: Closer): void {
  closers.push(close);
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
