import { randomInt } from 'node:crypto';
import { jobs } from '../../jobs/index.ts';
import type { Config, RedisConfig } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import type { JobContext } from '../engine/job-context.ts';
import { isPaused, openRun } from '../engine/request-run.ts';
import type { Role } from '../ports/app.ts';
import { type ErrorGate, openErrorGate } from '../runtime/bullmq/error-gate.ts';
import { firstPiece, type JobData } from '../runtime/bullmq/job-data.ts';
import { answerWithin, closeRedis, openRedis } from '../runtime/bullmq/open-redis.ts';
import { openWorker, type QueueTiming } from '../runtime/bullmq/open-worker.ts';
import { keyPrefix, type RedisSettings } from '../runtime/bullmq/redis-settings.ts';
import { troublesOf } from '../runtime/bullmq/redis-troubles.ts';
import { housekeepingPriority, openRunQueue, priorityOf, type RunQueue } from '../runtime/bullmq/run-queue.ts';
import type { DriveIo } from '../runtime/in-process/drive-run.ts';
import { openOrphans } from '../runtime/orphans.ts';
import { deploymentLease, deploymentLeaseMs, scheduleTicks } from './deployment.ts';
import type { Engine } from './open-engine.ts';
import { redisSettings } from './redis-settings.ts';
import { standInForSchedulers } from './stand-in.ts';
import { type AlertLooks, openAlertLooks } from './watch-alerts.ts';

export interface RedisDeploymentOptions {
  readonly redis: RedisConfig;
  readonly role: Role;
  readonly onReady: () => void;
  /** Told each time the scheduler has looked for work. */
  readonly onLook?: () => void;
  /** For tests that measure other timings. */
  readonly timing?: QueueTiming;
}

const lookMs = 1000;
const recoverMs = 2000;
const announceMs = 5000;
/** How long a scheduler waits for Redis before it looks after the rest. */
const answerMs = 4000;
const tokenMs = 60_000;
const pruneMs = 86_400_000;
/** How long a call that is under way may go on when the process is to end. */
const stopGraceMs = 8000;
/** All schedulers are one deployment. */
const deploymentOwner = 'redis';

/**
 * `rollcall start` with Redis, in as many processes as one likes. Schedulers turn cron slots into triggers, open the runs
 * that triggers ask for and put them into the queue; workers take them out and do them. Truth is in the store: a
 * scheduler that finds a run which nobody drives and which has no job in the queue adds one, so a Redis that was away,
 * emptied or restored delays work and loses none. Returns when the signal aborts and every job is at a safe place.
 */
export async function runRedisDeployment(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  { redis, role, onReady, onLook = () => {}, timing }: RedisDeploymentOptions,
): Promise<void> {
  const settings = redisSettings(redis);
  const schedules = role !== 'worker';
  const works = role !== 'scheduler';
  if (schedules) await announce(engine, drive.signal);
  const scheduler = schedules ? startScheduler(config, settings, engine, drive, onLook) : undefined;
  const worker = works ? startWorker(settings, engine, drive, timing) : undefined;
  const standIn = schedules ? undefined : standInForSchedulers(engine, openAlertLooks(config, engine), drive.signal);
  onReady();
  try {
    await (scheduler?.ended ?? aborted(drive.signal));
  } finally {
    await worker?.close();
    await scheduler?.close();
    await standIn;
  }
}

interface Part {
  close(): Promise<void>;
}

function startWorker(settings: RedisSettings, engine: Engine, drive: DriveIo, timing: QueueTiming | undefined): Part {
  const { clock, logger } = engine.io;
  const gate = openErrorGate({ clock, logger });
  const connection = openRedis(settings, 'worker', gate.report);
  const prefix = keyPrefix(settings);
  const queue = openRunQueue({ connection, prefix, onError: gate.report });
  const patience = new AbortController();
  const over = new AbortController();
  const hurry = (): void => {
    clock.sleep(stopGraceMs, over.signal).then(
      () => patience.abort(drive.signal.reason),
      () => {},
    );
  };
  drive.signal.addEventListener('abort', hurry, { once: true });
  let takings = 0;
  const worker = openWorker(
    { connection, prefix, queue, ...(timing === undefined ? {} : { timing }) },
    {
      engine: drive.engine,
      newOwner: () => `${drive.owner}-${++takings}`,
      stop: drive.signal,
      patience: patience.signal,
      keepToken: drive.keepToken,
      runJob: drive.runJob,
      random: () => randomInt(2 ** 32) / 2 ** 32,
    },
  );
  return {
    async close() {
      await worker.close();
      over.abort(new RollcallError('the worker has ended', { code: 'CANCELLED' }));
      drive.signal.removeEventListener('abort', hurry);
      await queue.close().catch(gate.report);
      closeRedis(connection);
    },
  };
}

function startScheduler(
  config: Config,
  settings: RedisSettings,
  engine: Engine,
  drive: DriveIo,
  onLook: () => void,
): Part & { readonly ended: Promise<void> } {
  const { clock, logger } = engine.io;
  const gate = openErrorGate({ clock, logger });
  const connection = openRedis(settings, 'producer', gate.report);
  const queue = openRunQueue({
    connection,
    prefix: keyPrefix(settings),
    onError: gate.report,
    answers: { clock, withinMs: answerMs },
  });
  answerWithin(connection.info(), answerMs, clock).then(
    (info) => {
      for (const trouble of troublesOf(info)) logger.warn({}, trouble);
    },
    () => {},
  );
  const alerts = openAlertLooks(config, engine);
  const look = planLooks(config, engine, drive, { queue, gate, alerts });
  const loop = async (): Promise<void> => {
    while (!drive.signal.aborted) {
      await look();
      onLook();
      await clock.sleep(lookMs, drive.signal);
    }
  };
  return {
    ended: loop().catch((error: unknown) => {
      if (!drive.signal.aborted) throw error;
    }),
    async close() {
      await alerts.ended();
      await queue.close().catch(gate.report);
      closeRedis(connection);
    },
  };
}

/** One look around, every second. Trouble with one thing keeps no other from being done. */
function planLooks(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  { queue, gate, alerts }: { readonly queue: RunQueue; readonly gate: ErrorGate; readonly alerts: AlertLooks },
): () => Promise<void> {
  const { io } = engine;
  const { clock } = io;
  const { signal, keepToken } = drive;
  const orphaned = openOrphans(drive);
  const enqueue = async (run: string): Promise<void> => {
    const found = await io.store.runs.get(run);
    if (found !== undefined && found.phase !== 'done') await queue.add(firstPiece(run), priorityOf(found.trigger));
  };
  const open = (sync: string) => async (): Promise<void> => {
    if (await isPaused(sync, io)) return;
    const opened = await openRun(sync, io);
    if (opened?.isNew === true) await enqueue(opened.run.id);
  };
  const every = (ms: number, work: () => Promise<unknown>): (() => Promise<unknown>) => {
    let nextAt = Number.NEGATIVE_INFINITY;
    return async () => {
      if (clock.now() < nextAt) return;
      await work();
      nextAt = clock.now() + ms;
    };
  };
  const housekeeping = (job: string, payload: JobData['payload']): Promise<void> =>
    queue.add({ v: 1, job, payload, tries: 0, piece: 0 }, housekeepingPriority);

  let missing: ReadonlySet<string> = new Set();
  const recover = async (): Promise<void> => {
    const idle: string[] = [];
    const context: JobContext = {
      engine: io,
      signal,
      withRun: async () => undefined,
      keepToken,
      adopt: (run) => void idle.push(run),
      orphaned,
    };
    await jobs.recover.run({}, context);
    const queued = idle.length === 0 ? new Set() : await queue.runs();
    const lost = idle.filter((run) => !queued.has(run));
    // Twice, because a run between two jobs may look so for a moment.
    for (const run of lost) if (missing.has(run)) await enqueue(run);
    missing = new Set(lost);
  };

  const things: (() => Promise<unknown>)[] = [
    every(announceMs, () => announce(engine, signal)),
    ...scheduleTicks(config, engine),
    ...[...io.syncs.keys()].map(open),
    every(recoverMs, recover),
    ...[...engine.connections.keys()].map((connection) =>
      every(tokenMs, () => housekeeping('keep-token', { connection })),
    ),
    every(pruneMs, () => housekeeping('prune', {})),
    () => alerts.begin(signal),
  ];
  return async () => {
    for (const thing of things) {
      if (signal.aborted) return;
      await thing().catch(gate.report);
    }
  };
}

/** Says that a deployment runs, so that other shells leave their work to it. Throws CONFLICT when one without Redis does. */
async function announce({ io }: Engine, signal: AbortSignal): Promise<void> {
  const { store, clock } = io;
  for (let isSecondLook = false; ; isSecondLook = true) {
    if (signal.aborted) return;
    const now = clock.now();
    if ((await store.leases.take(deploymentLease, deploymentOwner, deploymentLeaseMs, now)) !== undefined) return;
    const holder = await store.leases.holder(deploymentLease, now);
    if (holder === undefined) continue;
    if (isSecondLook && holder.until > now + deploymentLeaseMs / 3) {
      const message = 'a "rollcall start" without Redis works on this store: stop that one first';
      throw new RollcallError(message, { code: 'CONFLICT' });
    }
    await clock.sleep(Math.max(1, holder.until - now), signal).catch(() => {});
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
