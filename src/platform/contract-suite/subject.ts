import type { OperationInput } from '../call-operation.ts';
import type { ListPage } from '../resources/pages.ts';
import type { OperationId } from '../schema/operations.ts';
import type { Fixture } from './fixture.ts';

/** One call as the suite makes it. */
export interface SubjectCall extends OperationInput {
  /** An access token to make it with, instead of the connection's. */
  readonly bearer?: string;
}

/** How the suite tries one operation. */
export interface Subject {
  readonly id: OperationId;
  /** The client's own method for it, as `part.method`. */
  readonly method: string;
  /** A call that must succeed. Throws `Unavailable` where the platform has nothing to call it on. */
  readonly input: (fixture: Fixture) => SubjectCall | Promise<SubjectCall>;
  /** The same through the client's method. */
  readonly invoke: (fixture: Fixture) => Promise<unknown>;
  /** Set where `invoke` tells of a refusal by its outcome: errors are then looked at by the wire. */
  readonly neverThrows?: true;
  /** Calls that must be refused with the status, and change nothing if they are not. */
  readonly errors?: Readonly<Partial<Record<number, (fixture: Fixture) => OperationInput>>>;
  /** One page of one item. */
  readonly page?: (fixture: Fixture, page: number) => Promise<ListPage<unknown>>;
  /** Number of the first page. Default 0. */
  readonly firstPage?: 0 | 1;
  /** Proves that odd characters arrive as they were sent; throws `Difference` else. Only where the suite may write. */
  readonly encoding?: (fixture: Fixture) => Promise<void>;
  /** A call of the list without parameters. */
  readonly bare?: (fixture: Fixture) => OperationInput;
}

/** The platform did something else than the contract says. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** A check that cannot be made here; the message says why. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
