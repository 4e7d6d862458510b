import { jobs } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import type { JobContext } from '../engine/job-context.ts';
import { isPaused, openRun, requestRun } from '../engine/request-run.ts';
import { type HeldLease, takeOverLease } from '../runtime/hold-lease.ts';
import { type DriveIo, driveRun } from '../runtime/in-process/drive-run.ts';
import { openOrphans } from '../runtime/orphans.ts';
import { openSchedule, type Schedule } from '../runtime/schedule.ts';
import { leftAloneUntil } from './left-alone-until.ts';
import type { Engine } from './open-engine.ts';
import { type AlertLooks, openAlertLooks } from './watch-alerts.ts';

/** Held by whoever runs `start`, so that a shell knows whether a resync would be picked up. */
export const deploymentLease = 'deployment';

export const deploymentLeaseMs = 15_000;
const lookMs = 1000;
const tokenMs = 60_000;
const pruneMs = 86_400_000;
/** How long a run that stopped for no good reason is left alone. */
const restMs = 60_000;

/**
 * `rollcall start` without Redis: turns cron slots into triggers, opens the runs that triggers ask for, drives them, and
 * takes up runs that a dead process left. Truth is in the store, so another shell's `resync` or `approve` is seen within
 * a second. Returns when the signal aborts and every run has stopped at a safe place. Throws CONFLICT when another
 * process does this on the same store; one that has died is waited for.
 */
export async function runDeployment(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  onReady: () => void,
  onLook: () => void = () => {},
): Promise<void> {
  const held = await takeDeployment(engine, drive);
  if (held === undefined) return;
  const { clock } = engine.io;
  const { signal } = held;
  const driving = new Map<string, Promise<void>>();
  const alerts = openAlertLooks(config, engine);
  const looks = planLooks(config, engine, { ...drive, signal }, driving, alerts);
  onReady();
  try {
    while (!signal.aborted) {
      await looks();
      onLook();
      await clock.sleep(lookMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.all(driving.values());
    await alerts.ended();
    await held.release();
  }
  if (!drive.signal.aborted) signal.throwIfAborted();
}

/** The deployment's lease; undefined when asked to stop while waiting for it. */
async function takeDeployment({ io }: Engine, drive: DriveIo): Promise<HeldLease | undefined> {
  const wish = { name: deploymentLease, owner: drive.owner, ttlMs: deploymentLeaseMs };
  const found = await takeOverLease(wish, { leases: io.store.leases, clock: io.clock }, drive.signal).catch((error) => {
    if (drive.signal.aborted) return 'stopped' as const;
    throw error;
  });
  if (found === 'stopped') return undefined;
  if (found !== undefined) return found;
  const message = 'another "rollcall start" works on this store: one is enough without Redis. Stop that one first';
  throw new RollcallError(message, { code: 'CONFLICT' });
}

/** One look around, to be done every second: what is due begins. Trouble with one thing keeps no other from being done. */
function planLooks(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  driving: Map<string, Promise<void>>,
  alerts: AlertLooks,
): () => Promise<void> {
  const { io } = engine;
  const { clock, logger } = io;
  const resting = new Map<string, number>();
  const inBackground = (key: string, work: () => Promise<unknown>, onTrouble: (error: unknown) => void): void => {
    if (driving.has(key)) return;
    const done = work()
      .then(() => {}, onTrouble)
      .finally(() => driving.delete(key));
    driving.set(key, done);
  };
  const begin = (run: string): void => {
    if ((resting.get(run) ?? 0) > clock.now()) return;
    resting.delete(run);
    inBackground(
      run,
      () => driveRun(run, drive),
      (error) => {
        resting.set(run, clock.now() + restMs);
        logger.error({ run, error: textOf(error) }, 'run stopped; it is taken up again in a minute');
      },
    );
  };
  const { signal, keepToken } = drive;
  const context: JobContext = {
    engine: io,
    signal,
    withRun: async () => undefined,
    keepToken,
    adopt: begin,
    orphaned: openOrphans(drive),
  };
  const slots = scheduleTicks(config, engine);
  const every = (ms: number, work: () => void): (() => Promise<void>) => {
    let nextAt = Number.NEGATIVE_INFINITY;
    return async () => {
      if (clock.now() < nextAt) return;
      nextAt = clock.now() + ms;
      work();
    };
  };
  const background = (name: string, work: () => Promise<unknown>): void =>
    inBackground(name, work, (error) => logger.error({ step: name, error: textOf(error) }, 'job failed'));
  const open = (sync: string) => async (): Promise<void> => {
    if (await isPaused(sync, io)) return;
    const opened = await openRun(sync, io);
    if (opened?.isNew === true) begin(opened.run.id);
  };
  const things: (() => Promise<unknown>)[] = [
    ...slots,
    ...[...io.syncs.keys()].map(open),
    () => jobs.recover.run({}, context),
    every(tokenMs, () => {
      for (const connection of engine.connections.keys())
        background(`keep-token ${connection}`, () =>
          unlessStopped(jobs['keep-token'].run({ connection }, context), signal),
        );
    }),
    every(pruneMs, () => background('prune', () => jobs.prune.run({}, context))),
    () => alerts.begin(signal),
  ];
  return async () => {
    for (const thing of things) {
      if (signal.aborted) return;
      await thing().catch((error: unknown) => logger.error({ error: textOf(error) }, 'looking for work failed'));
    }
  };
}

/** For each scheduled sync: stores the trigger of the newest slot that has come. Missed slots are caught up once. */
export function scheduleTicks(config: Config, { io }: Engine): (() => Promise<void>)[] {
  return Object.values(config.syncs).flatMap(({ name, schedule }) => {
    if (schedule === undefined) return [];
    const at: Schedule = openSchedule(schedule.cron, schedule.timezone);
    const openedAt = io.clock.now();
    let checkedAt: number | undefined;
    let quietUntil: number | undefined;
    return async () => {
      const now = io.clock.now();
      // At the very first start nothing has been missed.
      checkedAt ??= (await io.store.triggers.lastSlot(name)) ?? now - 1;
      // Slots missed meanwhile are caught up once it is resumed.
      if (await isPaused(name, io)) return;
      const slot = at.newestSlot(checkedAt, now);
      if (slot !== undefined) {
        const until = await leftAloneUntil(name, openedAt, io.store.runs);
        if (until !== undefined && now < until) {
          const what = 'source: the credentials were refused, so the schedule leaves it alone for now';
          if (until !== quietUntil) io.logger.warn({ sync: name, until: new Date(until).toISOString() }, what);
          quietUntil = until;
          return;
        }
        const key = `${name}@${new Date(slot).toISOString()}`;
        await requestRun({ sync: name, kind: 'schedule', scope: { kind: 'all' }, key }, io);
      }
      checkedAt = now;
    };
  });
}

/** What is under way elsewhere, a token exchange say, is not waited for once the process is to end. */
function unlessStopped(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
