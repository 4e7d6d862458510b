import { refuseToSend } from './errors.ts';
import { pathValueProblem } from './identification.ts';
import type { AnswerReader, Operation, OperationBody, QueryValue } from './operation.ts';
import { type OperationId, operationOf } from './schema/operations.ts';

/** What one call adds to its operation. */
export interface CallDetails<T> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: OperationBody;
  readonly finalStatuses?: readonly number[];
  readonly busyStatuses?: readonly number[];
  readonly token?: 'access' | 'application';
  readonly answer: AnswerReader<T>;
}

/**
 * A call of an operation of the contract: method, path, token and language come from the shared table. Throws
 * `PLATFORM_REFUSED` (effect `none`) for a path parameter that no path can carry.
 */
export function contractCall<T>(id: OperationId, details: CallDetails<T>): Operation<T> {
  const { method, path, auth, needsLanguage } = operationOf(id);
  for (const [name, value] of Object.entries(details.params ?? {})) {
    const problem = pathValueProblem(value);
    if (problem !== undefined) throw refuseToSend({ method, path }, `{${name}} ${problem}.`);
  }
  return {
    method,
    path,
    effect: method === 'GET' ? 'read' : 'write',
    token: auth === 'application-token' ? 'application' : 'access',
    hasLanguage: needsLanguage,
    ...details,
  };
}

/** A JSON body; members that are undefined are left out. */
export function jsonBody(value: unknown): OperationBody {
  return { kind: 'json', value };
}
