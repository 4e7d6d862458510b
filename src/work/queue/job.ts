import { z } from 'zod';
import { describeError } from '../../core/run/errors.ts';
import { runLease } from '../../ports/leases.ts';
import type { RunContext } from '../../run/engine-io.ts';
import { underLease } from '../../run/lease.ts';
import type { JobOutcome } from '../../run/work.ts';
import { afterError, failIfDeadly, failJob, fieldsOf, longestUnwatchedMs, RunBusy } from '../after-error.ts';
import type { DriveIo } from '../drive-run.ts';

/** The data of a job in Redis: names and ids, never people. Assume that more people can read Redis than the store. */
const jobData = z.strictObject({
  v: z.literal(1),
  /** Name in the job table. */
  job: z.string(),
  payload: z.record(z.string(), z.string()),
  /** Number of temporary failures of this step. */
  tries: z.int().min(0),
  /** Position of the job in its run. Job 0 makes the plan; each further job sends batches, or proves what was sent. */
  piece: z.int().min(0),
  /** End of a wait by the store's clock (epoch ms). In a long wait, the job runs earlier to check whether the run was canceled. */
  notBefore: z.int().optional(),
});

export type JobData = z.output<typeof jobData>;

/** Returns the data of a job. Returns undefined for a version that this process does not know. */
export function readJobData(value: unknown): JobData | undefined {
  return jobData.safeParse(value).data;
}

/** The job of a run. The store knows its phase, so a job of another name, from another version, does the same. */
const runJobName = 'advance-run';

/** Returns the first job of a run, or the job that continues it. The store knows its phase. */
export function firstPiece(run: string): JobData {
  return { v: 1, job: runJobName, payload: { run }, tries: 0, piece: 0 };
}

/** Returns a job that belongs to no run. */
export function runlessJob(job: string, payload: JobData['payload']): JobData {
  return { v: 1, job, payload, tries: 0, piece: 0 };
}

/**
 * Returns the id of a job. The queue rejects a second job with the same id until the first has ended. Run ids contain
 * no colon, which the queue forbids.
 */
export function jobIdOf({ job, payload, piece }: JobData): string {
  if (payload.run !== undefined) return `${payload.run}_${piece}`;
  return [job, ...Object.values(payload)].join('_');
}

export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('_'));
}

/** What the jobs of a worker share. */
export interface WorkIo extends Pick<DriveIo, 'engine' | 'keepToken' | 'runJob'> {
  /** Returns a new lease owner for each lease: two jobs of one process must not share one. */
  readonly newOwner: () => string;
  /** Longer than any block of a worker, and short enough that the run of a dead worker continues within seconds. */
  readonly runLeaseMs: number;
  /** Aborts when the process is asked to stop: no step starts, a write in progress may end. */
  readonly stop: AbortSignal;
  /** Aborts a grace period after `stop`. No work may continue then. */
  readonly graceOver: AbortSignal;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
}

/** What follows a job of the queue: it ends, it runs again after a wait, or another job continues. */
export type Worked =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly data: JobData; readonly afterMs: number }
  | { readonly kind: 'follow'; readonly data: JobData };

const done: Worked = { kind: 'done' };
const busyMs = 1000;

/**
 * Runs one piece of a run, step by step, each step under the run's lease. A piece makes the plan, sends a batch, or
 * proves what was sent. A job without a run is one step. A wait does not block the worker: the job returns to the queue
 * with a delay. A temporary error is counted in the job's data; any other error fails the run with its message. Rejects
 * only when `lock` aborts, because another worker then has the job.
 */
export async function workJob(given: JobData, io: WorkIo, lock: AbortSignal): Promise<Worked> {
  const { notBefore = 0, ...rest } = given;
  if (await mustWait(notBefore, rest, io)) return delayJob(rest, notBefore - io.engine.clock.now(), io);
  let data: JobData = rest;
  for (;;) {
    if (io.stop.aborted) return { kind: 'again', data, afterMs: 0 };
    lock.throwIfAborted();
    let outcome: JobOutcome;
    try {
      outcome = await takeStep(data, io, lock);
    } catch (error) {
      return afterFailure(data, error, io, lock);
    }
    lock.throwIfAborted();
    if (outcome.kind === 'done') return done;
    data = { ...data, tries: 0 };
    // The next batch is a separate job, so any free worker can take it.
    if (outcome.kind === 'next') return { kind: 'follow', data: { ...data, piece: data.piece + 1 } };
    if (outcome.afterMs > 0) return delayJob(data, outcome.afterMs, io);
  }
}

/**
 * Splits a long wait into shorter ones. The job's data holds the end of the wait by the store's clock, because the
 * queue wakes the job by the clock of any worker.
 */
function delayJob(data: JobData, afterMs: number, { engine }: WorkIo): Worked {
  const waitMs = Math.round(afterMs);
  const notBefore = engine.clock.now() + waitMs;
  return { kind: 'again', data: { ...data, notBefore }, afterMs: Math.min(waitMs, longestUnwatchedMs) };
}

/** Returns whether a wait continues. A run that was canceled or has ended continues at once. */
async function mustWait(notBefore: number, { payload }: JobData, { engine, stop }: WorkIo): Promise<boolean> {
  if (stop.aborted || engine.clock.now() >= notBefore || payload.run === undefined) return false;
  const run = await engine.store.runs.get(payload.run).catch(() => undefined);
  return run === undefined || (run.phase !== 'done' && !run.isCancelRequested);
}

/** Runs one step: of a run, from its phase in the store, or of a job without a run. */
async function takeStep(data: JobData, io: WorkIo, lock: AbortSignal): Promise<JobOutcome> {
  const { engine, keepToken } = io;
  const { run: runId } = data.payload;
  const run = runId === undefined ? undefined : await engine.store.runs.get(runId);
  if (runId !== undefined && run === undefined) {
    const message =
      'a job names a run that the store does not have: does another deployment use the same redis.prefix?';
    engine.logger.warn({ run: runId, step: data.job }, message);
    return { kind: 'done' };
  }
  if (run?.phase === 'done') return { kind: 'done' };
  return io.runJob(runId === undefined ? data.job : runJobName, data.payload, {
    engine,
    withRun: (id, work) => withOwnedRun(id, io, lock, work),
    withLease(name, work) {
      const request = { name, owner: io.newOwner(), ttlMs: io.runLeaseMs };
      const leases = { leases: engine.store.leases, clock: engine.clock };
      return underLease(request, leases, AbortSignal.any([lock, io.stop]), ({ signal }) => work(signal));
    },
    keepToken,
  });
}

/**
 * Works on a run under its lease, taken for this step only. Returns undefined when the run does not exist or has ended,
 * or when its sync is not configured here. Throws `RunBusy`. The lease's fencing number protects the store from a
 * worker that lost the lease. `lock` aborts when the job belongs to another worker.
 */
async function withOwnedRun<T>(
  runId: string,
  io: WorkIo,
  lock: AbortSignal,
  work: (context: RunContext) => Promise<T>,
): Promise<T | undefined> {
  const { store, clock, syncs, logger } = io.engine;
  const request = { name: runLease(runId), owner: io.newOwner(), ttlMs: io.runLeaseMs };
  const outer = AbortSignal.any([lock, io.graceOver]);
  const worked = await underLease(request, { leases: store.leases, clock }, outer, async ({ lease, signal }) => {
    const run = await store.runs.get(runId);
    if (run === undefined || run.phase === 'done') return { result: undefined };
    const sync = syncs.get(run.sync);
    if (sync === undefined) {
      logger.warn({ run: runId, sync: run.sync }, 'the sync of this run is not configured here: nothing is done');
      return { result: undefined };
    }
    const context: RunContext = { owned: { run, lease }, sync, signal, stopping: AbortSignal.any([signal, io.stop]) };
    return { result: (await failIfDeadly(context, io.engine)) ? undefined : await work(context) };
  });
  if (worked === undefined) throw new RunBusy(`another worker drives run ${runId}`);
  return worked.result;
}

async function afterFailure(data: JobData, error: unknown, io: WorkIo, lock: AbortSignal): Promise<Worked> {
  const { logger } = io.engine;
  const { run } = data.payload;
  if (lock.aborted) throw lock.reason;
  if (io.stop.aborted) return { kind: 'again', data, afterMs: 0 };
  const failed = { run, step: data.job, tries: data.tries + 1 };
  const after = afterError(failed, error, io.random, logger);
  // This job checks again, because the worker that has the run may die.
  if (after.kind === 'lost') return { kind: 'again', data, afterMs: busyMs };
  if (after.kind === 'retry') return delayJob({ ...data, tries: failed.tries }, after.afterMs, io);
  if (run !== undefined) return giveUp({ data, run }, error, io, lock);
  logger.error(fieldsOf(failed, error), 'job failed');
  return done;
}

const giveUpAgainMs = 5000;

/** Fails the run with the error's message as its reason. Tries again later when the store is not available. */
async function giveUp(
  { data, run }: { readonly data: JobData; readonly run: string },
  error: unknown,
  io: WorkIo,
  lock: AbortSignal,
): Promise<Worked> {
  try {
    const failed = { run, step: data.job, tries: data.tries + 1 };
    await withOwnedRun(run, io, lock, (context) => failJob(failed, error, context, io.engine));
    return done;
  } catch (trouble) {
    if (lock.aborted) throw lock.reason;
    if (!(trouble instanceof RunBusy)) {
      io.engine.logger.error(
        { run, error: describeError(trouble) },
        'the failure of the run could not be stored: retrying',
      );
    }
    return { kind: 'again', data, afterMs: giveUpAgainMs };
  }
}
