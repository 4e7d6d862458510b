import { RollcallError } from '../core/errors.ts';

/**
 * Nothing of the transaction was done, and the same one may succeed at once: two transactions conflicted, or the
 * connection was dead before it began. `inTransaction` retries before any caller sees this error.
 */
export class TryAgain extends RollcallError {
  constructor(message: string, cause: unknown) {
    super(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
  }
}
