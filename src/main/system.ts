import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { Clock, NewId, Uptime } from '../ports/runtime.ts';
import { uptimeOf } from '../runtime/follow-clock.ts';

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

const bootIdFile = '/proc/sys/kernel/random/boot_id';
/** The real uptime. */
export function openUptime(): Uptime {
  return {
    boot: readBootId(),
    now: uptimeOf(
      () => uptime() * 1000,
      () => performance.now(),
    ),
  };
}

function readBootId(): string | undefined {
  try {
    return readFileSync(bootIdFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Uniform in [0, 1). */
export const random = (): number => randomInt(2 ** 32) / 2 ** 32;

/** Returns ids that sort by time: `run_01J…`. */
export const newUlid: NewId = (prefix) => `${prefix}_${ulid()}`;
