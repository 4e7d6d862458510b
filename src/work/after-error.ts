import { describeError, isStoreAway, RollcallError } from '../core/run/errors.ts';
import type { LogFields, Logger } from '../ports/runtime.ts';
import type { EngineIo, RunContext } from '../run/engine-io.ts';
import { failRun } from '../run/finish-run.ts';
import type { JobOutcome } from '../run/work.ts';

/** Thrown when another worker drives the run. Nothing was done. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}

export interface FailedJob {
  /** Undefined: the job belongs to no run. */
  readonly run: string | undefined;
  readonly step: string;
  /** Number of failures of this step, with this one. */
  readonly tries: number;
}

/** What follows a failed job, in every runtime. */
export type AfterError =
  /** Another process has the run, and decides how it ends. */
  { readonly kind: 'lost' } | { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'fail' };

/** Decides what follows a failed job, and logs a retry. `random` is in [0, 1]. */
export function afterError(job: FailedJob, error: unknown, random: () => number, logger: Logger): AfterError {
  if (error instanceof RunBusy || codeOf(error) === 'LEASE_LOST') return { kind: 'lost' };
  const afterMs = retryWait(error, job.tries, random);
  if (afterMs === undefined) return { kind: 'fail' };
  logger.warn({ ...fieldsOf(job, error), waitMs: afterMs }, 'retrying');
  return { kind: 'retry', afterMs };
}

/** Fails the run with the error's message as its reason. Throws when that could not be stored. */
export async function failJob(
  job: FailedJob,
  error: unknown,
  context: RunContext,
  engine: EngineIo,
): Promise<JobOutcome> {
  const outcome = await failRun(context, error, engine);
  // Logged only now, because without the store the run continues later.
  engine.logger.error(fieldsOf(job, error), 'run failed');
  return outcome;
}

export function fieldsOf(job: FailedJob, error: unknown): LogFields {
  return { ...job, code: codeOf(error), error: describeError(error) };
}

function codeOf(error: unknown): string {
  return error instanceof RollcallError ? error.code : 'UNEXPECTED';
}

/** Number of deaths of its process that one run survives. Deployments and full machines count too. */
const forgivenDeaths = 5;

/** Fails a run that has killed its process more often, as the store counts on its lease. Returns whether it did. */
export async function failIfDeadly(context: RunContext, engine: EngineIo): Promise<boolean> {
  const { run, lease } = context.owned;
  const { deaths = 0 } = lease;
  if (deaths <= forgivenDeaths) return false;
  engine.logger.error({ run: run.id, deaths }, 'run failed: its processes die repeatedly');
  const message = `a process died ${deaths} times while it worked on this run: find the cause in the logs of its process (for example, out of memory), then retry the run`;
  await failRun(context, new RollcallError(message, { code: 'CANCELLED' }), engine);
  return true;
}

/** Longest wait between two checks (ms), because an operator may cancel the run during a wait. */
export const longestUnwatchedMs = 30_000;

const maxTries = 5;
const firstWaitMs = 1000;
const longestBackoffMs = 60_000;
/** Longest wait for a store that does not answer (ms): work continues soon after the store is available again. */
const longestStoreWaitMs = 5000;
/**
 * Longest accepted `Retry-After` (ms). A platform in maintenance may request more, but the run would then seem to hang.
 */
const longestAskedMs = 3_600_000;

/**
 * Returns the wait before the next try after `tries` failures; undefined when a retry cannot help. Backoff is
 * exponential with jitter over its upper half; `random` is in [0, 1]. A `Retry-After` (RFC 9110, 10.2.3) is respected
 * up to one hour. A store that is away is waited for without end, because a run cannot even be failed without it. A
 * short random wait is added, so that not all processes retry at the same time.
 */
export function retryWait(error: unknown, tries: number, random: () => number): number | undefined {
  if (!(error instanceof RollcallError) || error.retry === 'never') return undefined;
  const isStore = isStoreAway(error);
  if (tries >= maxTries && !isStore) return undefined;
  const longestMs = isStore ? longestStoreWaitMs : longestBackoffMs;
  const backoffMs = Math.min(longestMs, firstWaitMs * 2 ** (tries - 1)) * (0.5 + random() / 2);
  if (error.retry === 'backoff') return Math.round(backoffMs);
  return Math.round(Math.min(longestAskedMs, error.retry.afterMs) + backoffMs / 2);
}
