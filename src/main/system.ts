import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { ulid } from 'ulid';
import { realClock } from '../platform/client/defaults.ts';
import type { NewId, Uptime } from '../ports/runtime.ts';
import { uptimeOf } from '../work/follow-clock.ts';

/** The real clock. */
export const systemClock = realClock(() => Date.now());

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

/** Returns ids that sort by time: `run_01J…`. */
export const newUlid: NewId = (prefix) => `${prefix}_${ulid()}`;
