import type { Clock, Uptime } from '../../src/ports/runtime.ts';

/**
 * The most real time (ms) that passes at once. What is longer is a stall: the machine gave this process no turn, and so
 * nothing that runs in it could renew a lease or answer. Such time does not count.
 */
const longestStepMs = 10;

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

/**
 * A clock that runs faster than the world and can jump: for tests in which several real parts (servers, store, client)
 * of one process wait for each other. Rates and deadlines keep their proportions; a minute takes half a second.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #sleepers = new Set<Sleeper>();
  #seenAt = performance.now();
  #now: number;
  /** What sleepers go by: no jump moves it. */
  #awake = 0;
  #setMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(startAt: number, speed = 120) {
    this.#now = startAt;
    this.#speed = speed;
  }

  now(): number {
    this.#follow();
    return Math.floor(this.#now);
  }

  /** Moves time forward at once. Sleepers do not notice. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Sets the machine's clock, as an administrator or a time service does: no time passes. */
  set(ms: number): void {
    this.#setMs += ms;
    this.#now += ms;
  }

  /** Time of the same machine that nothing sets. */
  get uptime(): Uptime {
    return { boot: 'one boot', now: () => this.now() - this.#setMs };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      this.#follow();
      const end = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        end();
        reject(signal?.reason);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const sleeper = { wakeAt: this.#awake + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
      this.#tick();
    });
  }

  #follow(): void {
    const at = performance.now();
    const passed = Math.min(at - this.#seenAt, longestStepMs) * this.#speed;
    this.#seenAt = at;
    this.#now += passed;
    this.#awake += passed;
  }

  /** Wakes who is due, and looks again when the next one is, or the step is over. */
  #tick(): void {
    clearTimeout(this.#timer);
    this.#follow();
    let next = Number.POSITIVE_INFINITY;
    for (const { wakeAt, wake } of [...this.#sleepers].sort((a, b) => a.wakeAt - b.wakeAt)) {
      if (wakeAt <= this.#awake) wake();
      else next = Math.min(next, wakeAt - this.#awake);
    }
    if (this.#sleepers.size === 0) return;
    this.#timer = setTimeout(() => this.#tick(), Math.min(next / this.#speed, longestStepMs / 2));
  }
}
