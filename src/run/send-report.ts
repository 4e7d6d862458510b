import { describeError, RollcallError, usageError } from '../core/run/errors.ts';
import type { EngineIo } from './engine-io.ts';

/** Name of the lease under which one process sends the report. */
export function reportLease(name: string): string {
  return `report:${name}`;
}

const minuteMs = 60_000;
const longestRetryMs = 60 * minuteMs;

/**
 * Sends the requested slot of a report. Call it under `reportLease`. Stores a failure and rethrows it; the next attempt has
 * its time. A kill between the sending and the store sends the report again.
 */
export async function sendReport(
  name: string,
  { store, clock, logger, reports }: EngineIo,
  signal: AbortSignal,
): Promise<void> {
  const report = reports?.get(name);
  if (report === undefined) throw usageError(`no report is called ${name}`);
  const state = await store.mailedReports.begin(name);
  try {
    const people = await report.send(state.slotAt ?? clock.now(), signal);
    const ended = { failures: 0, failure: undefined, retryAt: undefined };
    await store.mailedReports.save(state, { ...ended, successAt: clock.now() });
    logger.info({ report: name, people }, 'report sent');
  } catch (error) {
    // Stopped or taken over: another process continues.
    signal.throwIfAborted();
    if (error instanceof RollcallError && error.code === 'LEASE_LOST') throw error;
    const failure = describeError(error);
    const retryAt = clock.now() + Math.min(longestRetryMs, minuteMs * 2 ** state.failures);
    await store.mailedReports.save(state, { failures: state.failures + 1, failure, retryAt });
    logger.error({ report: name, error: failure }, 'report not sent; it is tried again later');
    throw error;
  }
}
