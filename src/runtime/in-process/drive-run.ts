import { RollcallError } from '../../core/errors.ts';
import type { EngineIo, RunContext } from '../../engine/engine-io.ts';
import type { JobContext } from '../../engine/job-context.ts';
import { continueWith, jobOfVerb } from '../../engine/run-jobs.ts';
import { failRun, resumePoint } from '../../engine/run-sync.ts';
import type { JobOutcome } from '../../ports/job.ts';
import { holdLease } from '../hold-lease.ts';
import { longestUnwatchedMs, retryWait } from '../retry-wait.ts';

export interface DriveIo {
  readonly engine: EngineIo;
  /** Names this process in leases. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly keepToken: JobContext['keepToken'];
  /** The job table: runs a job by name. */
  readonly runJob: (name: string, payload: unknown, context: JobContext) => Promise<JobOutcome>;
}

/**
 * `busy`: somebody else drives it, or there is no such run; nothing was done. `stopped`: asked to end, or the lease was
 * lost; the run stays where it is.
 */
export type Driven = 'ended' | 'busy' | 'stopped';

/** How long a run stays with a process that has died. Renewed at a third of it. */
export const runLeaseMs = 10_000;
/** Nobody else tries at the same moments: one process drives all the runs of its store. */
const withoutJitter = (): number => 1;
/** How long a call that is under way may go on when the process is to end. */
const stopGraceMs = 8000;

/**
 * Drives one run to its end in this process: takes its lease once, then does job after job, sleeping between them.
 * Trouble that may heal is tried again a few times; the rest ends the run as `failed`. When `signal` aborts, a write that
 * is under way may end, nothing else begins, and the run goes on wherever somebody next drives it.
 */
export async function driveRun(runId: string, io: DriveIo): Promise<Driven> {
  const { engine, owner } = io;
  const { store, clock } = engine;
  const patience = new AbortController();
  const wish = { name: `run:${runId}`, owner, ttlMs: runLeaseMs };
  if (io.signal.aborted) return 'stopped';
  const held = await holdLease(wish, { leases: store.leases, clock }, patience.signal);
  if (held === undefined) return 'busy';
  const stopping = AbortSignal.any([io.signal, held.signal]);
  const ended = new AbortController();
  const hurry = (): void => {
    clock.sleep(stopGraceMs, ended.signal).then(
      () => patience.abort(io.signal.reason),
      () => {},
    );
  };
  io.signal.addEventListener('abort', hurry, { once: true });
  try {
    const run = await store.runs.get(runId);
    const sync = run === undefined ? undefined : engine.syncs.get(run.sync);
    if (run === undefined || sync === undefined) return 'busy';
    const driving: Driving = { owned: { run, lease: held.lease }, sync, signal: held.signal, stopping };
    let outcome = continueWith(runId, resumePoint(run));
    while (outcome.kind === 'continue') {
      await waitUnlessCancelled(runId, outcome.afterMs, engine, stopping);
      outcome = await runPatiently(outcome, driving, io);
    }
    return 'ended';
  } catch (error) {
    if (stopping.aborted || (error instanceof RollcallError && error.code === 'LEASE_LOST')) return 'stopped';
    throw error;
  } finally {
    io.signal.removeEventListener('abort', hurry);
    ended.abort(new RollcallError('the run is no longer driven here', { code: 'CANCELLED' }));
    await held.release();
  }
}

type Driving = RunContext & { readonly stopping: AbortSignal };

/** The one job whose calls change something outside: it may end the call that is under way. */
const sendingJob = jobOfVerb.deliver;

function contextFor(job: string, driving: Driving, { engine, keepToken }: DriveIo): JobContext {
  const signal = job === sendingJob ? driving.signal : driving.stopping;
  return {
    engine,
    signal,
    withRun: async (id, work) => {
      const run = await engine.store.runs.get(id);
      if (run === undefined || run.phase === 'done') return undefined;
      return work({ ...driving, signal, owned: { ...driving.owned, run } });
    },
    keepToken,
    adopt: () => {},
    orphaned: async () => {},
  };
}

/** One job, tried again while its trouble may heal; then the run is failed, in words that say why. */
async function runPatiently(
  { job, payload }: Extract<JobOutcome, { kind: 'continue' }>,
  driving: Driving,
  io: DriveIo,
): Promise<JobOutcome> {
  const { logger } = io.engine;
  const { run } = driving.owned;
  const context = contextFor(job, driving, io);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await io.runJob(job, payload, context);
    } catch (error) {
      driving.stopping.throwIfAborted();
      const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
      // Whoever took the run over decides how it ends.
      if (code === 'LEASE_LOST') throw error;
      const waitMs = retryWait(error, attempt, withoutJitter);
      if (waitMs === undefined) {
        logger.error({ run: run.id, step: job, code, error: textOf(error) }, 'run failed');
        return continueWith(run.id, await failRun(driving, error, io.engine));
      }
      logger.warn({ run: run.id, step: job, code, attempt, waitMs, error: textOf(error) }, 'trying again');
      io.engine.progress({ step: 'retrying', afterMs: waitMs, reason: textOf(error) });
      await waitUnlessCancelled(run.id, waitMs, io.engine, driving.stopping);
    }
  }
}

/** Waits, in pieces. Ends early when a person has cancelled the run: the next job notices that first. */
async function waitUnlessCancelled(
  runId: string,
  waitMs: number,
  { clock, store }: EngineIo,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const until = clock.now() + waitMs;
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - clock.now()) {
    await clock.sleep(Math.min(leftMs, longestUnwatchedMs), signal);
    if (leftMs > longestUnwatchedMs && (await store.runs.get(runId))?.isCancelRequested === true) return;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
