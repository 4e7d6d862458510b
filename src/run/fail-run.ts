import { describeError, type ErrorCode, RollcallError } from '../core/run/errors.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { finishRun } from './finish-run.ts';
import { keepRaw } from './keep-raw.ts';
import { updateFacts } from './update-facts.ts';
import type { JobOutcome } from './work.ts';

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
