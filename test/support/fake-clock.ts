import type { Clock, Uptime } from '../../src/ports/runtime.ts';

interface Sleeper {
  readonly wakeAt: number;
  readonly order: number;
  readonly wake: () => void;
}

/** An instant to start from when the test does not care: 2026-11-21T12:00:00Z. */
export const someInstant = Date.UTC(2026, 10, 21, 12);

/**
 * Time that moves only when the test says so. Sleepers wake in order of their time; between two of them all work that
 * needs no real waiting is done, so that `await clock.advance(1000)` returns to a quiet program.
 */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  #jumpedMs = 0;
  readonly #rounds: number;
  readonly #sleepers = new Set<Sleeper>();

  /** @param rounds how often pending work is let run between two sleepers; 1 is enough where nothing does real I/O */
  constructor(startAt: number = someInstant, rounds = 5) {
    this.#now = startAt;
    this.#rounds = rounds;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        wakeAt: this.#now + Math.max(0, ms),
        order: this.#order++,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Time of the same machine that no jump moves. */
  get uptime(): Uptime {
    return { boot: 'one boot', now: () => this.#now - this.#jumpedMs };
  }

  /** How many sleeps have not ended. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Milliseconds until the next sleeper wakes; undefined when nobody sleeps. */
  get nextWakeInMs(): number | undefined {
    const next = this.#next();
    return next && next.wakeAt - this.#now;
  }

  /** Moves time on by `ms`, waking sleepers on the way, also those that begin to sleep meanwhile. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await idle(this.#rounds);
    for (let next = this.#next(); next !== undefined && next.wakeAt <= until; next = this.#next()) {
      this.#now = Math.max(this.#now, next.wakeAt);
      next.wake();
      await idle(this.#rounds);
    }
    this.#now = until;
    await idle(this.#rounds);
  }

  /** Sets the clock without waking anybody: a machine that slept, or a wrong clock put right. */
  jumpTo(instant: number): void {
    this.#jumpedMs += instant - this.#now;
    this.#now = instant;
  }

  /**
   * Moves time on from sleeper to sleeper until `work` has ended, and gives its result. Real I/O in between is waited
   * for. Fails when the work would need more than `limitMs` of this clock.
   */
  async drive<T>(work: Promise<T>, limitMs = 24 * 3_600_000): Promise<T> {
    const until = this.#now + limitMs;
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    await idle(this.#rounds);
    while (!ended) {
      const next = this.#next();
      if (next === undefined) {
        await idle(this.#rounds);
        continue;
      }
      if (next.wakeAt > until) throw new Error(`the work still sleeps after ${limitMs} ms of the fake clock`);
      this.#now = Math.max(this.#now, next.wakeAt);
      next.wake();
      await idle(this.#rounds);
    }
    return work;
  }

  #next(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of this.#sleepers) {
      if (
        first === undefined ||
        one.wakeAt < first.wakeAt ||
        (one.wakeAt === first.wakeAt && one.order < first.order)
      ) {
        first = one;
      }
    }
    return first;
  }
}

/** A clock that stands still, for code that must not wait: sleeping is a failure. */
export function fixedClock(at: number = someInstant): Clock {
  return {
    now: () => at,
    sleep: (ms) => Promise.reject(new Error(`nothing here may sleep, but something wanted ${ms} ms`)),
  };
}

/** Lets promises and I/O that is ready run; several rounds, because one may start the next. */
export async function idle(rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}
