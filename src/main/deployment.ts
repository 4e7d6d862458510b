import { jobs } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import type { JobContext } from '../engine/job-context.ts';
import { openRun, requestRun } from '../engine/request-run.ts';
import { holdLease } from '../runtime/hold-lease.ts';
import { type DriveIo, driveRun } from '../runtime/in-process/drive-run.ts';
import { openSchedule, type Schedule } from '../runtime/schedule.ts';
import type { Engine } from './open-engine.ts';

/** Held by whoever runs `start`, so that a shell knows whether a resync would be picked up. */
export const deploymentLease = 'deployment';

const deploymentLeaseMs = 15_000;
const lookMs = 1000;
const tokenMs = 60_000;
const pruneMs = 86_400_000;

/**
 * `rollcall start` without Redis: turns cron slots into triggers, opens the runs that triggers ask for, drives them, and
 * takes up runs that a dead process left. Truth is in the store, so another shell's `resync` or `approve` is seen within
 * a second. Returns when the signal aborts and every run has stopped at a safe place.
 */
export async function runDeployment(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  onReady: () => void,
): Promise<void> {
  const { io } = engine;
  const { clock, logger, store } = io;
  const name = { name: deploymentLease, owner: drive.owner, ttlMs: deploymentLeaseMs };
  const held = await holdLease(name, { leases: store.leases, clock }, drive.signal);
  if (held === undefined) {
    const message =
      'another "rollcall start" works on this store; one is enough without Redis. If it has just died, wait 15 s';
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  const { signal } = held;
  const schedules = Object.values(config.syncs).flatMap((sync) =>
    sync.schedule === undefined
      ? []
      : [{ sync: sync.name, at: openSchedule(sync.schedule.cron, sync.schedule.timezone) }],
  );
  const driving = new Map<string, Promise<unknown>>();
  const begin = (runId: string): void => {
    if (driving.has(runId)) return;
    const driven = driveRun(runId, { ...drive, signal })
      .catch((error: unknown) => logger.error({ run: runId, error: textOf(error) }, 'run stopped'))
      .finally(() => driving.delete(runId));
    driving.set(runId, driven);
  };
  const context: JobContext = {
    engine: io,
    signal,
    withRun: async () => undefined,
    keepToken: drive.keepToken,
    adopt: begin,
  };
  const checked = new Map<string, number>();
  let nextTokenAt = 0;
  let nextPruneAt = clock.now() + pruneMs;
  onReady();
  try {
    while (!signal.aborted) {
      const now = clock.now();
      for (const { sync, at } of schedules) await tick(sync, at, now, checked, engine);
      for (const sync of io.syncs.keys()) {
        const opened = await openRun(sync, io);
        if (opened?.isNew === true) begin(opened.run.id);
      }
      await jobs.recover.run({}, context);
      if (now >= nextTokenAt) {
        nextTokenAt = now + tokenMs;
        await keepTokens(engine, context);
      }
      if (now >= nextPruneAt) {
        nextPruneAt = now + pruneMs;
        await jobs.prune.run({}, context);
      }
      await clock.sleep(lookMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.all(driving.values());
    await held.release();
  }
  if (!drive.signal.aborted) signal.throwIfAborted();
}

/** Stores the trigger of the newest slot that has come. Several missed slots are caught up once. */
async function tick(
  sync: string,
  at: Schedule,
  now: number,
  checked: Map<string, number>,
  { io }: Engine,
): Promise<void> {
  const after = checked.get(sync) ?? (await io.store.triggers.lastSlot(sync)) ?? now - 1;
  checked.set(sync, now);
  const slot = at.newestSlot(after, now);
  if (slot === undefined) return;
  const key = `${sync}@${new Date(slot).toISOString()}`;
  await requestRun({ sync, kind: 'schedule', scope: { kind: 'all' }, key }, io);
}

async function keepTokens(engine: Engine, context: JobContext): Promise<void> {
  for (const connection of engine.connections.keys()) {
    try {
      await jobs['keep-token'].run({ connection }, context);
    } catch (error) {
      engine.io.logger.error({ connection, error: textOf(error) }, 'token could not be kept fresh');
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
