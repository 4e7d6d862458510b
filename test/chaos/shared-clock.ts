import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../src/ports/runtime.ts';

/** What processes must know to agree on the time. */
export interface SharedTime {
  /** Real epoch ms at which shared and real time were the same. */
  readonly anchor: number;
  readonly speed: number;
}

/** A clock that several processes share: it runs faster than the world, and can be moved forward where it was made. */
export class SharedClock implements Clock {
  readonly #anchor: number;
  readonly #speed: number;
  #offsetMs: number;

  constructor({ anchor, speed }: SharedTime, offsetMs = 0) {
    this.#anchor = anchor;
    this.#speed = speed;
    this.#offsetMs = offsetMs;
  }

  /** Everything another process needs to show the same time; it does not follow a later `jump`. */
  get parameters(): SharedTime & { readonly offsetMs: number } {
    return { anchor: this.#anchor, speed: this.#speed, offsetMs: this.#offsetMs };
  }

  now(): number {
    return Math.floor(this.#anchor + (Date.now() - this.#anchor) * this.#speed + this.#offsetMs);
  }

  jump(ms: number): void {
    this.#offsetMs += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms <= 0) return;
    try {
      await wait(ms / this.#speed, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  }
}
