import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { Clock, NewId } from '../ports/runtime.ts';

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    if (ms <= 0) {
      signal?.throwIfAborted();
      return;
    }
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};

/** Uniform in [0, 1). */
export const random = (): number => randomInt(2 ** 32) / 2 ** 32;

/** Returns ids that sort by time: `run_01J…`. */
export const newUlid: NewId = (prefix) => `${prefix}_${ulid()}`;
