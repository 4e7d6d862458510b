import type { OperationInput } from '../client/calls.ts';
import type { ListPage } from '../client/pages.ts';
import type { OperationId } from '../table/operations.ts';
import type { Fixture } from './fixture.ts';

/** An identification or code that a platform does not have. */
export const missingUser = 'contract-nobody';

/** One call of the suite. */
export interface SubjectCall extends OperationInput {
  /** Access token of this call, instead of the connection's. */
  readonly bearer?: string;
}

/** How the suite tests one operation. */
export interface Subject {
  readonly id: OperationId;
  /** The client's method for it, as `part.method`. */
  readonly method: string;
  /** A call that must succeed. Throws `Unavailable` where the platform has no object to call it on. */
  readonly input: (fixture: Fixture) => SubjectCall | Promise<SubjectCall>;
  /** The same call through the client's method. */
  readonly invoke: (fixture: Fixture) => Promise<unknown>;
  /** Set where `invoke` reports a refusal as a result. Errors are then checked on the wire. */
  readonly neverThrows?: true;
  /** Calls that must be refused with the status. They change nothing if they are accepted. */
  readonly errors?: Readonly<Partial<Record<number, (fixture: Fixture) => OperationInput>>>;
  /** Returns one page of one item. */
  readonly page?: (fixture: Fixture, page: number) => Promise<Omit<ListPage<unknown>, 'page'>>;
  /**
   * Proves that special characters arrive unchanged; throws `Difference` otherwise. Runs only if the suite may write.
   */
  readonly encoding?: (fixture: Fixture) => Promise<void>;
  /** A call of the list without parameters. */
  readonly bare?: (fixture: Fixture) => OperationInput;
}
