import { RollcallError } from '../core/run/errors.ts';

/**
 * Nothing of the transaction was done, and the same one may succeed at once: two transactions conflicted, or the
 * connection was dead before it began. `inTransaction` retries before any caller sees this error.
 */
export class TryAgain extends RollcallError {
  constructor(message: string, cause: unknown) {
    super(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
  }
}

/** What an error of a database means, by its code. */
export interface KnownError {
  readonly codes: RegExp;
  /** Absent: `STORE_INVALID`. */
  readonly code?: 'CONFLICT';
  /** Absent: never. */
  readonly retry?: 'backoff';
  /** Continues `the store …`. */
  readonly advice: string;
}
