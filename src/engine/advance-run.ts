import { describeError, type ErrorCode, RollcallError } from '../core/errors.ts';
import type { JobOutcome } from '../ports/job.ts';
import { deliverNext } from './deliver/deliver.ts';
import { settleCurrent } from './deliver/settle.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { finishRun } from './finish-run.ts';
import { keepRaw } from './keep-raw.ts';
import { planRun } from './plan/plan-run.ts';
import { updateFacts } from './update-facts.ts';

/**
 * Advances a run by one step. Each function reads the run's state from the store, does one thing, stores the result and
 * the next phase, and returns when to continue. A run that was killed continues from its stored phase.
 *
 *   reading, planning  planRun        read the source, compare it with the platform, decide, guard, seal the plan
 *   delivering         deliverNext    send the next batch, or finish the run when none is left
 *   proving            settleCurrent  poll the status of the batch that is out, read its users back, store what is proven
 *   done               –
 *
 * Throws errors that the runtime handles: it retries those with a retry, and ends the run with `failRun` for the
 * others.
 */
export async function advanceRun(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  const { run } = context.owned;
  // After a stop request, only a batch that is being sent may continue.
  const stoppable = { ...context, signal: context.stopping };
  switch (run.phase) {
    case 'reading':
    case 'planning':
      stoppable.signal.throwIfAborted();
      return run.reason === undefined ? planRun(stoppable, io) : finishRun(stoppable, io);
    case 'delivering':
      context.signal.throwIfAborted();
      return deliverNext(context, io);
    case 'proving':
      stoppable.signal.throwIfAborted();
      return settleCurrent(stoppable, io);
    case 'done':
      return { kind: 'done' };
    default:
      // A newer version that shares the store advances the run.
      return { kind: 'done' };
  }
}

const tokenCodes: readonly ErrorCode[] = ['REAUTH_REQUIRED', 'TOKEN_REVOKED', 'TOKEN_RESTORED', 'TOKEN_UNAVAILABLE'];

/** Reports that the schedule waits after refused credentials. See `backoffUntil`. */
const afterRefusal =
  'The schedule now waits one hour, then longer after each refusal, so that the account is not locked. ' +
  'After you correct the credentials, "rollcall resync" or a restart reads the source immediately.';

/**
 * Ends a run that cannot continue. Batches that are out stay unresolved, unsent changes are dropped, and the reason is
 * stored.
 */
export async function failRun(context: RunContext, error: unknown, io: EngineIo): Promise<JobOutcome> {
  const isOurs = error instanceof RollcallError;
  const reason = isOurs ? error.message : `unexpected: ${describeError(error)}`;
  // The message of an unexpected error may quote anything.
  const text = isOurs ? RollcallError.rawTextOf(error) : String(error);
  await keepRaw(context.owned, { about: 'end of the run', text }, io);
  const code = isOurs ? error.code : undefined;
  const isLockedOut = code !== undefined && tokenCodes.includes(code);
  if (isLockedOut) await updateFacts(context.owned, { isLockedOut }, io);
  if (code !== 'SOURCE_REFUSED') return finishRun(context, io, reason);
  await updateFacts(context.owned, { isSourceRefused: true }, io);
  return finishRun(context, io, `${reason} ${afterRefusal}`);
}
