import { DelayedError, ErrorCode, type Job, WaitingError, Worker } from 'bullmq';
import type { RedisClient } from '../../drivers/redis/open-redis.ts';
import type { LogFields } from '../../ports/runtime.ts';
import { openErrorGate } from './error-gate.ts';
import { readJobData, runOfJobId, type Worked, type WorkIo, workJob } from './job.ts';
import { housekeepingPriority, priorityOf, type QueueName, queueNames, type RunQueue } from './run-queue.ts';

/** How the worker uses the queue. */
export interface QueueUse {
  /** Number of jobs of planned runs that the worker runs at a time. Plans are made beside them: see `openWorker`. */
  readonly concurrency: number;
  /** A job whose worker has not renewed its lock for this time is free (ms). */
  readonly lockMs: number;
  /** Interval at which workers check for jobs of dead workers (ms). Absent: `stalledCheckOf(lockMs)`. */
  readonly stalledCheckMs?: number;
  /** A job of a version that this worker does not know is replaced when no other worker took it for this time (ms). */
  readonly otherVersionMs?: number;
}

/** The job of a killed worker continues within `lockMs` and two checks for jobs of dead workers. */
const checksPerLock = 3;

/**
 * Returns the interval of the checks for jobs of dead workers: a third of the lock. Redis takes whole milliseconds only,
 * and refuses every check with a fraction.
 */
export function stalledCheckOf(lockMs: number): number {
  return Math.max(1, Math.floor(lockMs / checksPerLock));
}

const defaultOtherVersionMs = 60_000;

/** Limit for unforeseen loops. The job is then removed, and recovery creates a new one. Waits count as starts. */
const mostStarts = 100_000;
/** Wait before a job of an unknown version is offered again (ms), at most. */
const offerAgainMs = 10_000;
const restMs = 5000;
/** Longer than a call in progress may continue (ms). */
const closeWithinMs = 12_000;
const earlyRestMs = 1000;
/** Jobs that other workers took are not removed one by one. */
const mostAside = 1000;

export interface RunWorker {
  /** Takes no new job, waits until jobs in progress reach a safe place, and closes. Abort `stop` first. */
  close(): Promise<void>;
}

export interface WorkerParts {
  readonly connection: RedisClient;
  readonly prefix: string;
  readonly queue: RunQueue;
  readonly use: QueueUse;
}

/** Number of plans that a process makes at a time, at most. A plan needs memory, and its requests delay deliveries. */
const mostPlans = 4;

/**
 * Takes jobs from both queues, several at a time, and runs them. Plans take none of the places of deliveries: half as
 * many of them run beside these.
 */
export function openWorker(parts: WorkerParts, io: WorkIo): RunWorker {
  const { concurrency } = parts.use;
  const places = { runs: concurrency, plans: Math.min(mostPlans, Math.ceil(concurrency / 2)) };
  const workers = queueNames.map((name) => openQueueWorker(name, places[name], parts, io));
  return {
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

function openQueueWorker(
  name: QueueName,
  places: number,
  { connection, prefix, queue, use }: WorkerParts,
  io: WorkIo,
): RunWorker {
  const { clock, logger } = io.engine;
  const { otherVersionMs = defaultOtherVersionMs, stalledCheckMs = stalledCheckOf(use.lockMs) } = use;
  let resting: Promise<void> | undefined;
  const rest = async (): Promise<void> => {
    await worker.pause(true);
    await clock.sleep(restMs, io.stop);
    await worker.resume();
  };
  const gate = openErrorGate({
    clock,
    logger,
    onStorm: () => {
      resting ??= rest()
        .catch(() => {})
        .finally(() => {
          resting = undefined;
        });
    },
  });

  const delayedUntil = new Map<string, number>();
  /** Slows down a job that the queue hands out again too early, because a worker's clock is ahead and wakes it at once. */
  const restIfEarly = async (id = ''): Promise<void> => {
    const earlyMs = (delayedUntil.get(id) ?? 0) - clock.now();
    delayedUntil.delete(id);
    if (earlyMs > earlyRestMs) await clock.sleep(earlyRestMs, io.stop).catch(() => {});
  };

  const process = async (job: Job, token = '', lock: AbortSignal = io.graceOver): Promise<void> => {
    await restIfEarly(job.id);
    const data = readJobData(job.data);
    if (data === undefined) {
      // After a while, no newer worker is there. Without its job, recovery sees the run and adds a new one.
      if (isUnclaimed(job)) return;
      logger.warn({ step: job.name }, 'this worker does not know the version of a job: a newer worker must run it');
      await delay(job, token, Math.min(offerAgainMs, otherVersionMs));
    } else await translate(await workJob(data, io, lock), job, token);
  };

  const unknownSince = new Map<string, number>();
  const isUnclaimed = ({ id = '', name }: Job): boolean => {
    const since = unknownSince.get(id);
    if (since === undefined) unknownSince.set(id, clock.now());
    if (since === undefined || clock.now() - since < otherVersionMs) return false;
    unknownSince.delete(id);
    logger.warn({ ...namesOf(id), step: name }, 'no worker knows the version of a job: the job is replaced');
    return true;
  };

  const translate = async (worked: Worked, job: Job, token: string): Promise<void> => {
    if (worked.kind === 'done') return;
    if (worked.kind === 'follow') {
      // Proves that the job is still ours. Two chains of jobs for one run would block each other.
      await job.extendLock(token, use.lockMs);
      const run = await io.engine.store.runs.get(worked.data.payload.run ?? '');
      await queue.add(worked.data, run === undefined ? housekeepingPriority : priorityOf(run));
      return;
    }
    await job.updateData(worked.data);
    if (worked.afterMs === 0) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    await delay(job, token, worked.afterMs);
  };

  const delay = async (job: Job, token: string, afterMs: number): Promise<never> => {
    const until = clock.now() + afterMs;
    if (delayedUntil.size >= mostAside) delayedUntil.clear();
    delayedUntil.set(job.id ?? '', until);
    await job.moveToDelayed(until, token);
    throw new DelayedError();
  };

  const worker = new Worker(
    name,
    // BullMQ passes the signal only to a function with three parameters.
    async (job: Job, token?: string, signal?: AbortSignal): Promise<void> => {
      try {
        await process(job, token, signal);
      } catch (error) {
        if (error instanceof DelayedError || error instanceof WaitingError) throw error;
        if (signal?.aborted !== true && !isTakenAway(error)) gate.report(error);
        // The job is no longer ours, or Redis is not available. It is neither done nor failed, and the next worker
        // continues it.
        throw new DelayedError();
      }
    },
    {
      connection,
      prefix,
      concurrency: places,
      lockDuration: use.lockMs,
      stalledInterval: stalledCheckMs,
      // The store counts how often a run kills its process.
      maxStalledCount: mostStarts,
      maxStartedAttempts: mostStarts,
      runRetryDelay: 1000,
      drainDelay: 2,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  // For each lock that it could not renew, BullMQ emits an error besides `lockRenewalFailed`.
  let lostLocks = 0;
  worker.on('error', (error) => {
    if (lostLocks > 0) lostLocks -= 1;
    else if (!isTakenAway(error)) gate.report(error);
  });
  worker.on('lockRenewalFailed', (ids) => {
    lostLocks += ids.length;
    for (const id of ids) {
      logger.warn(namesOf(id), 'the lock of the job was lost: the job stops before its next effect');
      worker.cancelJob(id, 'the lock of the job was lost');
    }
  });
  worker.on('stalled', (id) =>
    logger.warn(namesOf(id), 'a worker stopped renewing its lock; another worker continues the job'),
  );

  return {
    async close() {
      const closing = worker.close().catch(gate.report);
      const enough = new AbortController();
      const isClosed = await Promise.race([
        closing.then(() => true),
        clock.sleep(closeWithinMs, enough.signal).then(
          () => false,
          () => true,
        ),
      ]);
      enough.abort();
      if (!isClosed) logger.warn({}, 'Redis does not answer: other workers continue the jobs in progress');
      await resting;
    },
  };
}

/** Codes of BullMQ for a job that another worker has taken, ended or removed since. Redis itself is well. */
const takenAway: ReadonlySet<unknown> = new Set([
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
]);

function isTakenAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && takenAway.has(error.code);
}

/** Returns the log fields that identify a job, with its run if it has one. */
function namesOf(id: string): LogFields {
  return id.startsWith('run_') ? { run: runOfJobId(id), queueJob: id } : { queueJob: id };
}
