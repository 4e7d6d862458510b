import { RollcallError } from '../../core/errors.ts';
import type { EngineIo, RunContext } from '../../engine/engine-io.ts';
import type { JobContext } from '../../engine/job-context.ts';
import { jobOfVerb } from '../../engine/run-jobs.ts';
import { failRun, resumePoint } from '../../engine/run-sync.ts';
import type { JobOutcome } from '../../ports/job.ts';
import { longestUnwatchedMs, retryWait } from '../retry-wait.ts';
import type { JobData } from './job-data.ts';
import { RunBusy, withOwnedRun } from './owned-run.ts';

export interface WorkIo {
  readonly engine: EngineIo;
  /** A new name of this worker in a lease, for each taking: two jobs of one process must not pass for each other. */
  readonly newOwner: () => string;
  /** Aborts when the process is to end: no step begins, a write that is under way may end. */
  readonly stop: AbortSignal;
  /** Aborts a while after `stop`: nothing may go on. */
  readonly patience: AbortSignal;
  readonly keepToken: JobContext['keepToken'];
  /** The job table: runs a job by name. */
  readonly runJob: (name: string, payload: unknown, context: JobContext) => Promise<JobOutcome>;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
}

/** What becomes of a job: it is over, it comes again after a while, or another one follows it. */
export type Worked =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly data: JobData; readonly afterMs: number }
  | { readonly kind: 'follow'; readonly data: JobData };

const done: Worked = { kind: 'done' };
const busyMs = 1000;

/**
 * Does a job and what belongs to it, step by step, each under the run's lease: making the plan, or bringing one batch to
 * its end. A wait is not slept: the job comes again. Trouble that may heal is counted in the job's data; the rest fails
 * the run, in words. Rejects only when `lock` aborted: then the job is somebody else's by now.
 */
export async function workJob(given: JobData, io: WorkIo, lock: AbortSignal): Promise<Worked> {
  const { notBefore = 0, ...rest } = given;
  if (await mustWait(notBefore, rest, io)) return comeAgain(rest, notBefore - io.engine.clock.now(), io);
  let data: JobData = rest;
  for (;;) {
    if (io.stop.aborted) return { kind: 'again', data, afterMs: 0 };
    lock.throwIfAborted();
    let outcome: JobOutcome;
    try {
      outcome = await takeStep(data, io, lock);
    } catch (error) {
      return afterTrouble(data, error, io, lock);
    }
    lock.throwIfAborted();
    if (outcome.kind === 'done') return done;
    const { job, payload, afterMs } = outcome;
    data = { ...data, job, payload: payload as JobData['payload'], tries: 0 };
    if (afterMs > 0) return comeAgain(data, afterMs, io);
    // The next batch is a job of its own: whoever is free takes it.
    if (job === jobOfVerb.deliver) return { kind: 'follow', data: { ...data, piece: data.piece + 1 } };
  }
}

/** A long wait is cut into pieces, with its end in the job's data. */
function comeAgain(data: JobData, afterMs: number, { engine }: WorkIo): Worked {
  if (afterMs <= longestUnwatchedMs) return { kind: 'again', data, afterMs };
  const notBefore = engine.clock.now() + Math.round(afterMs);
  return { kind: 'again', data: { ...data, notBefore }, afterMs: longestUnwatchedMs };
}

/** Whether a long wait goes on: a run that a person has cancelled, or that has ended, is taken up at once. */
async function mustWait(notBefore: number, { payload }: JobData, { engine, stop }: WorkIo): Promise<boolean> {
  if (stop.aborted || engine.clock.now() >= notBefore || payload.run === undefined) return false;
  const run = await engine.store.runs.get(payload.run).catch(() => undefined);
  return run === undefined || (run.phase !== 'done' && !run.isCancelRequested);
}

/** One step of a run from where the store says it stands, or a job of no run. */
async function takeStep(data: JobData, io: WorkIo, lock: AbortSignal): Promise<JobOutcome> {
  const { engine, keepToken, stop } = io;
  const { run: runId } = data.payload;
  const run = runId === undefined ? undefined : await engine.store.runs.get(runId);
  if (runId !== undefined && run === undefined) {
    const message =
      'a job names a run that the store does not have: does another deployment use the same redis.prefix?';
    engine.logger.warn({ run: runId, step: data.job }, message);
    return { kind: 'done' };
  }
  if (run?.phase === 'done') return { kind: 'done' };
  const wish = run === undefined ? data.job : standing(data.job, resumePoint(run));
  const signal = AbortSignal.any([lock, stop]);
  const context: JobContext = {
    engine,
    signal,
    withRun: (id, work) => withOwnedRun(id, { io, lock, expected: run, isSending: wish === jobOfVerb.deliver }, work),
    keepToken,
    adopt: () => {},
    orphaned: async () => {},
  };
  return io.runJob(wish, data.payload, context);
}

/** A run that has its plan is not planned again, and one that has none delivers nothing, whatever an old job says. */
function standing(job: string, point: ReturnType<typeof resumePoint>): string {
  if (point.kind === 'ended') return job;
  const isPlanned = point.verb !== 'plan';
  return isPlanned === (job !== jobOfVerb.plan) ? job : jobOfVerb[point.verb];
}

async function afterTrouble(data: JobData, error: unknown, io: WorkIo, lock: AbortSignal): Promise<Worked> {
  const { logger } = io.engine;
  const { run } = data.payload;
  if (lock.aborted) throw lock.reason;
  if (io.stop.aborted) return { kind: 'again', data, afterMs: 0 };
  const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
  // Somebody else works on it. Should they die, it is looked at again here.
  if (error instanceof RunBusy || code === 'LEASE_LOST') return { kind: 'again', data, afterMs: busyMs };
  const tries = data.tries + 1;
  const afterMs = retryWait(error, tries, io.random);
  const fields = { run, step: data.job, code, tries, error: textOf(error) };
  if (afterMs !== undefined) {
    logger.warn({ ...fields, waitMs: afterMs }, 'trying again');
    return comeAgain({ ...data, tries }, afterMs, io);
  }
  logger.error(fields, run === undefined ? 'job failed' : 'run failed');
  return run === undefined ? done : giveUp(run, data, error, io, lock);
}

const giveUpAgainMs = 30_000;

/** Fails the run, in words that say why. A store that cannot even take that is asked again later. */
export async function giveUp(
  run: string,
  data: JobData,
  error: unknown,
  io: WorkIo,
  lock: AbortSignal,
): Promise<Worked> {
  try {
    const fail = (context: RunContext) => failRun(context, error, io.engine);
    await withOwnedRun(run, { io, lock, expected: undefined, isSending: false }, fail);
    return done;
  } catch (trouble) {
    if (lock.aborted) throw lock.reason;
    if (!(trouble instanceof RunBusy)) {
      io.engine.logger.error({ run, error: textOf(trouble) }, 'the run could not be failed; it is tried again');
    }
    return { kind: 'again', data, afterMs: giveUpAgainMs };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
