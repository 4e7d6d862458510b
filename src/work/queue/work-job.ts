import { describeError, RollcallError } from '../../core/run/errors.ts';
import type { RunContext } from '../../run/engine-io.ts';
import { failRun } from '../../run/finish-run.ts';
import type { JobOutcome } from '../../run/work.ts';
import { longestUnwatchedMs, retryWait } from '../retry-wait.ts';
import { openWithLease } from '../with-lease.ts';
import { type JobData, runJobName } from './job-data.ts';
import { RunBusy, withOwnedRun } from './owned-run.ts';
import type { WorkIo } from './work-io.ts';

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
      return afterError(data, error, io, lock);
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
    withLease: openWithLease(
      () => ({ owner: io.newOwner(), ttlMs: io.runLeaseMs }),
      { leases: engine.store.leases, clock: engine.clock },
      AbortSignal.any([lock, io.stop]),
    ),
    keepToken,
  });
}

async function afterError(data: JobData, error: unknown, io: WorkIo, lock: AbortSignal): Promise<Worked> {
  const { logger } = io.engine;
  const { run } = data.payload;
  if (lock.aborted) throw lock.reason;
  if (io.stop.aborted) return { kind: 'again', data, afterMs: 0 };
  const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
  // Another worker has the run. This job checks again, because that worker may die.
  if (error instanceof RunBusy || code === 'LEASE_LOST') return { kind: 'again', data, afterMs: busyMs };
  const tries = data.tries + 1;
  const afterMs = retryWait(error, tries, io.random);
  const fields = { run, step: data.job, code, tries, error: describeError(error) };
  if (afterMs !== undefined) {
    logger.warn({ ...fields, waitMs: afterMs }, 'retrying');
    return delayJob({ ...data, tries }, afterMs, io);
  }
  if (run === undefined) {
    logger.error(fields, 'job failed');
    return done;
  }
  return giveUp({ data, run }, error, io, lock);
}

const giveUpAgainMs = 5000;

/** A job that works on a run. */
export interface RunJob {
  readonly data: JobData;
  readonly run: string;
}

/** Fails the run with the error's message as its reason. Tries again later when the store is not available. */
export async function giveUp({ data, run }: RunJob, error: unknown, io: WorkIo, lock: AbortSignal): Promise<Worked> {
  try {
    await withOwnedRun(run, io, lock, (context: RunContext) => failRun(context, error, io.engine));
    const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
    const fields = { run, step: data.job, code, tries: data.tries + 1, error: describeError(error) };
    // Logged only now, because without the store the run continues later.
    io.engine.logger.error(fields, 'run failed');
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
