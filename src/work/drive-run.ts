import { RollcallError } from '../core/run/errors.ts';
import { waitAfterError } from '../core/run/waiting.ts';
import { runLease, runLeaseMs } from '../ports/leases.ts';
import { isKnownPhase } from '../ports/runs.ts';
import type { Run } from '../ports/store.ts';
import type { EngineIo, RunContext } from '../run/engine-io.ts';
import { type Leased, underLease } from '../run/lease.ts';
import type { JobContext, JobOutcome } from '../run/work.ts';
import { afterError, failIfDeadly, failJob, longestUnwatchedMs } from './after-error.ts';
import { openStopGrace } from './stop-grace.ts';

export interface DriveIo {
  readonly engine: EngineIo;
  /** Name of this process in leases. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly keepToken: JobContext['keepToken'];
  /** Runs a job of the job table by name. */
  readonly runJob: (name: string, payload: unknown, context: JobContext) => Promise<JobOutcome>;
}

/**
 * The run as it ended, or `ended` where the end was not read. `busy`: the run does not exist or has ended, or another process
 * or a newer version drives it; nothing was done. `stopped`: the process was asked to stop, or the lease was lost; the run
 * keeps its phase.
 */
export type Driven = Run | 'ended' | 'busy' | 'stopped';

/** No jitter: one process drives all runs of its store. */
const withoutJitter = (): number => 1;

/**
 * Drives one run to its end in this process. Takes its lease once, then runs step after step and sleeps between them.
 * Retries a temporary error a few times; any other error ends the run as `failed`. When `signal` aborts, a write in
 * progress may end and no other work starts. The next process that drives the run continues it.
 */
export async function driveRun(runId: string, io: DriveIo): Promise<Driven> {
  const { store, clock } = io.engine;
  const request = { name: runLease(runId), owner: io.owner, ttlMs: runLeaseMs };
  if (io.signal.aborted) return 'stopped';
  const grace = openStopGrace(io.signal, clock);
  try {
    const leases = { leases: store.leases, clock };
    return (await underLease(request, leases, grace.over, (leased) => driveLeased(runId, leased, io))) ?? 'busy';
  } finally {
    grace.end();
  }
}

async function driveLeased(runId: string, { lease, signal }: Leased, io: DriveIo): Promise<Driven> {
  const { engine } = io;
  const stopping = AbortSignal.any([io.signal, signal]);
  try {
    const run = await engine.store.runs.get(runId);
    const sync = run === undefined ? undefined : engine.syncs.get(run.sync);
    if (run === undefined || sync === undefined || !isKnownPhase(run.phase)) return 'busy';
    if (run.phase === 'done') return 'busy';
    const driving: RunContext = { owned: { run, lease }, sync, signal, stopping };
    if (await failIfDeadly(driving, engine)) return 'ended';
    let outcome: JobOutcome = { kind: 'next', run };
    while (outcome.kind !== 'done') {
      if (outcome.kind === 'again') await waitUnlessCancelled(runId, outcome.afterMs, engine, stopping);
      else stopping.throwIfAborted();
      outcome = await advanceWithRetries(driving, outcome, io);
    }
    return outcome.run ?? 'ended';
  } catch (error) {
    if (stopping.aborted || (error instanceof RollcallError && error.code === 'LEASE_LOST')) return 'stopped';
    throw error;
  }
}

/** Returns what jobs get that belong to no run. */
export function runlessContext({ engine, owner, signal, keepToken }: DriveIo): JobContext {
  const { store, clock } = engine;
  return {
    engine,
    keepToken,
    withRun: async () => undefined,
    withLease(name, work) {
      const request = { name, owner, ttlMs: runLeaseMs };
      return underLease(request, { leases: store.leases, clock }, signal, (leased) => work(leased.signal));
    },
  };
}

/** `before`: how the step before ended. The first attempt works on the run that it has just stored. */
function contextFor(driving: RunContext, before: JobOutcome, io: DriveIo): JobContext {
  const { engine } = io;
  let stored = before.kind === 'next' ? before.run : undefined;
  return {
    ...runlessContext(io),
    async withRun(id, work) {
      const run = stored ?? (await engine.store.runs.get(id));
      stored = undefined;
      if (run === undefined || run.phase === 'done') return undefined;
      return work({ ...driving, owned: { ...driving.owned, run } });
    },
  };
}

/**
 * Runs one step and retries temporary errors. After the last retry, fails the run with the error's message as its
 * reason.
 */
async function advanceWithRetries(driving: RunContext, before: JobOutcome, io: DriveIo): Promise<JobOutcome> {
  const { engine } = io;
  const { run } = driving.owned;
  const context = contextFor(driving, before, io);
  for (let tries = 1; ; tries += 1) {
    try {
      return await io.runJob('advance-run', { run: run.id }, context);
    } catch (error) {
      driving.stopping.throwIfAborted();
      const failed = { run: run.id, step: 'advance-run', tries };
      const after = afterError(failed, error, withoutJitter, engine.logger);
      if (after.kind === 'lost') throw error;
      if (after.kind === 'fail') return failJob(failed, error, driving, engine);
      const { afterMs } = after;
      const now = engine.clock.now();
      if (error instanceof RollcallError) {
        engine.progress({ step: 'waiting', waiting: waitAfterError(error, now), nextAt: now + afterMs });
      }
      await waitUnlessCancelled(run.id, afterMs, engine, driving.stopping);
    }
  }
}

/** Waits in pieces. Returns early when the run is canceled, which the next step handles first. */
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
