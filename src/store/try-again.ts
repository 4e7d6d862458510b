import { RollcallError } from '../core/errors.ts';

/**
 * Nothing of the transaction was done, and the same one may succeed at once: two of them stood in each other's way, or
 * the connection turned out to be dead before it began. `inTransaction` tries again before anybody else sees it.
 */
export class TryAgain extends RollcallError {
  constructor(message: string, cause: unknown) {
    super(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
  }
}
