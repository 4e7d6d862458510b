import { describeError, RollcallError, usageError } from '../../core/run/errors.ts';
import { type Export, type ExportState, readRanges } from '../../core/run/exports.ts';
import type { EngineIo } from '../engine-io.ts';

/** Name of the lease under which one process makes a pass of the export. */
export function exportLease(name: string): string {
  return `export:${name}`;
}

const minuteMs = 60_000;
const longestRetryMs = 60 * minuteMs;

/**
 * Makes one pass of an export: reads what is new, range by range, oldest first, and writes what was not written before.
 * Returns how many items it wrote. Call it under `exportLease`. Each range is written in two steps: the rows to the target,
 * then their keys and the place in the target to the store. A kill in between repeats the range: the target drops what the
 * store does not know, or knows the rows itself. Stores a failure and rethrows it; the next pass continues after the last
 * stored range. A report is sent whole; a kill between its sending and the store sends it again.
 */
export async function runExport(name: string, io: EngineIo, signal: AbortSignal): Promise<number> {
  const { store, clock, logger, checkpoint } = io;
  const one = io.exports?.get(name) ?? io.reports?.get(name);
  if (one === undefined) throw usageError(`no export is called ${name}`);
  const pass = await store.exports.begin(name);
  try {
    const slotAt = pass.slotAt ?? clock.now();
    const items = 'send' in one ? await one.send(slotAt, signal) : await writeNew(one, pass, io, signal);
    checkpoint('export-finished');
    const ended = { file: undefined, failures: 0, failure: undefined, retryAt: undefined };
    await store.exports.save(pass, { ...ended, successAt: clock.now() });
    logger.info({ export: name, items }, 'export finished');
    return items;
  } catch (error) {
    // Stopped or taken over: another pass continues.
    signal.throwIfAborted();
    if (error instanceof RollcallError && error.code === 'LEASE_LOST') throw error;
    const failure = describeError(error);
    const retryAt = clock.now() + Math.min(longestRetryMs, minuteMs * 2 ** pass.failures);
    await store.exports.save(pass, { failures: pass.failures + 1, failure, retryAt });
    logger.error({ export: name, error: failure }, 'export failed; it continues later where it stopped');
    throw error;
  }
}

async function writeNew(
  { settings, feed, target }: Export,
  pass: ExportState,
  { store, clock, checkpoint }: EngineIo,
  signal: AbortSignal,
): Promise<number> {
  const { readUntil = settings.from, items: before } = pass;
  const from = Math.max(settings.from, readUntil - settings.overlapMs);
  let { file, items: all, lastItemAt = 0 } = pass;
  try {
    file = await target.begin(file, signal);
    checkpoint('export-begun');
    // The end is fixed, so that items that come meanwhile move nothing.
    for await (const { items, to } of readRanges(feed, { from, to: clock.now() }, signal)) {
      const keys = items.map(({ key }) => key);
      const known = await store.exports.written(pass.name, keys);
      const fresh = items.filter(({ key }) => !known.has(key));
      checkpoint('export-read');
      const rows = fresh.map(({ row }) => row);
      if (rows.length > 0) file = await target.append(rows, file, signal);
      checkpoint('export-written');
      all += fresh.length;
      lastItemAt = Math.max(lastItemAt, ...fresh.map(({ at }) => at));
      const counted = rows.length === 0 ? {} : { items: all, lastItemAt };
      await store.exports.save(pass, { file, readUntil: Math.max(readUntil, to), ...counted }, fresh);
      checkpoint('export-stored');
    }
    if (file !== undefined) {
      // Stored first: another program may take the file away as soon as it has its name.
      const complete = { ...file, isComplete: true } as const;
      await store.exports.save(pass, { file: complete });
      checkpoint('export-completed');
      await target.finish(complete);
    }
    return all - before;
  } finally {
    await target.close();
  }
}
