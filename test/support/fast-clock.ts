import type { Clock, Uptime } from '../../src/ports/runtime.ts';

/**
 * A clock that runs faster than the world and can jump: for tests in which several real parts (servers, store, client)
 * wait for each other. Rates and deadlines keep their proportions; a minute takes half a second.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #startedAt = performance.now();
  #base: number;
  #setMs = 0;

  constructor(startAt: number, speed = 120) {
    this.#base = startAt;
    this.#speed = speed;
  }

  now(): number {
    return Math.floor(this.#base + (performance.now() - this.#startedAt) * this.#speed);
  }

  /** Moves time forward at once. Sleepers do not notice. */
  jump(ms: number): void {
    this.#base += ms;
  }

  /** Sets the machine's clock, as an administrator or a time service does: no time passes. */
  set(ms: number): void {
    this.#setMs += ms;
    this.#base += ms;
  }

  /** Time of the same machine that nothing sets. */
  get uptime(): Uptime {
    return { boot: 'one boot', now: () => this.now() - this.#setMs };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms / this.#speed);
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
