import { type OperationId, operationOf } from '../platform/table/index.ts';
import type { StruckFaults } from './faults/fault-book.ts';
import type { Account } from './people/account.ts';
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

/** The refusal of a request that is invalid. */
export function badRequest(detail: string): Refusal {
  return new Refusal(400, 'Bad Request', detail);
}

/** Returns the user with this identification. Throws 404 without one. */
export function knownUser(identification: string | undefined, { directory }: World): Account {
  const account = identification === undefined ? undefined : directory.get(identification);
  if (account === undefined) throw new Refusal(404, 'User not found', 'There is no such user');
  return account;
}

export interface ErrorFacts {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Request path without its query. */
  readonly path: string;
  readonly at: number;
}

/** Returns the platform's error body (contract, "Errors"). */
export function platformError({ status, title, detail, path, at }: ErrorFacts): Answer {
  const timestamp = new Date(at).toISOString();
  const type = `uri=${path}`;
  return { status, body: { timestamp, message: detail, details: type, type, title, detail } };
}

/** Returns the error body of the operation: the grant error for the token refresh, otherwise the platform's. */
export function operationError(operation: OperationId, facts: ErrorFacts): Answer {
  if (operationOf(operation).errorBody === 'platform') return platformError(facts);
  const error = facts.status >= 500 ? 'server_error' : 'invalid_request';
  const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
  return { status: facts.status, headers, body: { error, error_description: facts.detail } };
}
