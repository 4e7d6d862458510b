import type { OperationId } from '../platform/table/index.ts';
import type { StruckFaults } from './faults/struck-faults.ts';
import type { World } from './world.ts';

/** One request of an operation of the contract, for its handler. */
export interface Call {
  readonly operation: OperationId;
  /** Path parameters by the contract's names, percent-decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Parsed JSON, or the parts of a multipart form by name. Undefined without a readable body. */
  readonly body: unknown;
  /** The Bearer token as sent. Undefined when it is missing or malformed. */
  readonly bearer: string | undefined;
  readonly language: string;
  readonly faults: StruckFaults;
}

/** What a handler answers: the operation's success, unless it names another status. */
export type Result = Omit<Answer, 'status'> & Partial<Pick<Answer, 'status'>>;

export interface Answer {
  readonly status: number;
  /** Sent as JSON. Absent: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers one operation. Throws `Refusal` for a request that the platform rejects. */
export type Handler = (call: Call, world: World) => Result;

/** A request that the platform rejects, with the platform's error body. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly title: string;

  constructor(status: number, title: string, detail: string) {
    super(detail);
    this.status = status;
    this.title = title;
  }
}
