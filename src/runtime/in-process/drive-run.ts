import { RollcallError } from '../../core/errors.ts';
import type { EngineIo, RunContext } from '../../engine/engine-io.ts';
import type { JobContext } from '../../engine/job-context.ts';
import { continueWith } from '../../engine/run-jobs.ts';
import { failRun, resumePoint } from '../../engine/run-sync.ts';
import type { JobOutcome } from '../../ports/job.ts';
import { holdLease } from '../hold-lease.ts';

export interface DriveIo {
  readonly engine: EngineIo;
  /** Names this process in leases. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly keepToken: JobContext['keepToken'];
  /** The job table: runs a job by name. */
  readonly runJob: (name: string, payload: unknown, context: JobContext) => Promise<JobOutcome>;
}

/** `busy`: somebody else drives it, or there is no such run; nothing was done. */
export type Driven = 'ended' | 'busy' | 'stopped';

const leaseMs = 30_000;
const maxTries = 5;
const firstWaitMs = 1000;
const longestWaitMs = 60_000;

/**
 * Drives one run to its end in this process: takes its lease once, then does job after job, sleeping between them.
 * Trouble that may heal is tried again a few times; the rest ends the run as `failed`. When `signal` aborts, the run
 * stays where it is and goes on wherever somebody next drives it.
 */
export async function driveRun(runId: string, io: DriveIo): Promise<Driven> {
  const { engine, owner } = io;
  const { store, clock } = engine;
  const held = await holdLease(
    { name: `run:${runId}`, owner, ttlMs: leaseMs },
    { leases: store.leases, clock },
    io.signal,
  );
  if (held === undefined) return 'busy';
  try {
    const run = await store.runs.get(runId);
    const sync = run === undefined ? undefined : engine.syncs.get(run.sync);
    if (run === undefined || sync === undefined) return 'busy';
    const context: RunContext = { owned: { run, lease: held.lease }, sync, signal: held.signal };
    const jobContext: JobContext = {
      engine,
      signal: held.signal,
      withRun: async (id, work) => {
        const fresh = await store.runs.get(id);
        return fresh === undefined || fresh.phase === 'done'
          ? undefined
          : work({ ...context, owned: { ...context.owned, run: fresh } });
      },
      keepToken: io.keepToken,
      adopt: () => {},
    };
    let outcome = continueWith(runId, resumePoint(run));
    while (outcome.kind === 'continue') {
      await clock.sleep(outcome.afterMs, held.signal);
      outcome = await runPatiently(outcome, context, jobContext, io.runJob);
    }
    return 'ended';
  } catch (error) {
    if (held.signal.aborted) return 'stopped';
    throw error;
  } finally {
    await held.release();
  }
}

/** One job, tried again while its trouble may heal; then the run is failed, in words that say why. */
async function runPatiently(
  { job, payload }: Extract<JobOutcome, { kind: 'continue' }>,
  context: RunContext,
  jobContext: JobContext,
  runJob: DriveIo['runJob'],
): Promise<JobOutcome> {
  const { clock, logger } = jobContext.engine;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runJob(job, payload, jobContext);
    } catch (error) {
      context.signal.throwIfAborted();
      const waitMs = attempt < maxTries ? waitFor(error, attempt) : undefined;
      const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
      const { run } = context.owned;
      if (waitMs === undefined) {
        logger.error({ run: run.id, job, code, error: textOf(error) }, 'run failed');
        return continueWith(run.id, await failRun(context, error, jobContext.engine));
      }
      logger.warn({ run: run.id, job, code, attempt, waitMs, error: textOf(error) }, 'trying again');
      await clock.sleep(waitMs, context.signal);
    }
  }
}

/** How long to wait before another try; undefined when another try is of no use. */
function waitFor(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof RollcallError) || error.retry === 'never') return undefined;
  if (typeof error.retry === 'object') return Math.min(error.retry.afterMs, longestWaitMs);
  return Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
