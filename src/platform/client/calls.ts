import type { Dialect } from '../../core/run/settings.ts';
import { exactValue } from '../../drivers/http/json-text.ts';
import type { OperationBody } from '../../drivers/http/message.ts';
import { type OperationId, operationOf } from '../table/operations.ts';
import { pathParameters } from '../table/parameters.ts';
import type { PlatformClient } from './client.ts';
import { refuseToSend } from './errors.ts';
import { type AnswerHead, checkIdentification, type Operation, operationName, pathValueProblem } from './operation.ts';
import type { Query } from './pages.ts';

/** Parts that one call adds to its operation. `purpose` and `token` are by default those of the table. */
export type CallDetails<T> = Omit<Operation<T>, 'method' | 'path' | 'effect' | 'hasLanguage'>;

/**
 * Makes a call of an operation of the contract: method, path, token and language come from the shared table. Throws
 * `PLATFORM_REFUSED` (effect `none`) for a path parameter that no path can carry. Throws `IDENTIFICATION_INVALID` for
 * an identification that is empty, a dot segment, or contains control characters, in path, query or body.
 */
export function contractCall<T>(id: OperationId, details: CallDetails<T>): Operation<T> {
  const { method, path, auth, needsLanguage, purpose = 'other' } = operationOf(id);
  const operation = operationName({ method, path });
  for (const name of pathParameters({ path })) {
    if (typeof details.params?.[name] !== 'string')
      throw refuseToSend({ method, path }, `it needs a text for {${name}}.`);
  }
  for (const [name, value] of Object.entries(details.params ?? {})) {
    if (identificationNames.has(name)) checkIdentification(value, operation);
    const problem = pathValueProblem(value);
    if (problem !== undefined) throw refuseToSend({ method, path }, `{${name}} ${problem}.`);
  }
  checkNamed(details.query, operation);
  if (details.body?.kind === 'json') checkNamed(details.body.value, operation);
  return {
    method,
    path,
    effect: method === 'GET' ? 'read' : 'write',
    purpose,
    token: auth === 'application-token' ? 'application' : 'access',
    hasLanguage: needsLanguage,
    ...details,
  };
}

/** Every name under which the contract's requests carry an identification, in path, query or body. */
export const identificationNames: ReadonlySet<string> = new Set([
  'identification',
  'sender',
  'recipient',
  'assignedTo',
  'evaluatorIdentification',
  'evalueeIdentification',
  'collaboratorIdentification',
  'mainLeaderIdentification',
  'secondaryLeadersIdentifications',
]);

/** Rejects an identification that no path can carry, also where it is in a body or query. */
function checkNamed(members: unknown, operation: string): void {
  if (typeof members !== 'object' || members === null) return;
  for (const [name, value] of Object.entries(members)) {
    if (!identificationNames.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string') checkIdentification(one, operation);
    }
  }
}

/** Returns a JSON body without undefined members. */
export function jsonBody(value: unknown): OperationBody {
  return { kind: 'json', value };
}

/** Returns whether the parameters of an operation travel in its body: those of a search, where the dialect says so. */
export function hasQueryInBody(id: OperationId, { search }: Pick<Dialect, 'search'>): boolean {
  return id === 'search' && search.parameters === 'body';
}

export function placeQuery(
  id: OperationId,
  query: Query,
  dialect: Dialect,
): Pick<CallDetails<never>, 'query' | 'body'> {
  return hasQueryInBody(id, dialect) ? { body: jsonBody(query) } : { query };
}

/** Returns the token of an operation, where the dialect and not the contract says which. */
export function dialectToken(id: OperationId, { rolesToken }: Dialect): Pick<CallDetails<never>, 'token'> {
  return operationOf(id).part === 'roles' ? { token: rolesToken } : {};
}

/** Input of a call of any operation. It is not checked against the operation's schemas. */
export interface OperationInput
  extends Pick<Operation<unknown>, 'params' | 'query' | 'accept' | 'acceptLanguage' | 'finalStatuses'> {
  /** A JSON value, or a body of another kind. Absent: no body. */
  readonly json?: unknown;
  readonly stream?: Extract<OperationBody, { kind: 'stream' }>;
  /** Which token to send. Default: the one that the contract names; for roles that of the dialect. */
  readonly token?: 'access' | 'application';
}

export interface OperationAnswer extends AnswerHead {
  /** The decoded body, integers beyond 2^53 as text. Undefined when there was no body. */
  readonly body: unknown;
}

/**
 * Calls any operation of the contract by its short name and returns the answer, whatever its shape. Throws
 * `PlatformError`, and `IDENTIFICATION_INVALID` or `PLATFORM_REFUSED` (effect `none`) for values that no path can
 * carry.
 */
export async function callOperation(
  client: PlatformClient,
  id: OperationId,
  input: OperationInput,
  signal?: AbortSignal,
): Promise<OperationAnswer> {
  const { json, stream, ...details } = input;
  const body = stream ?? (json === undefined ? undefined : jsonBody(json));
  const call = contractCall<OperationAnswer>(id, {
    ...dialectToken(id, client.dialect),
    ...details,
    ...(body === undefined ? {} : { body }),
    answer: {
      expects: 'any',
      read: (answer, head) => ({ ...head, body: answer === undefined ? undefined : exactValue(answer) }),
    },
  });
  return client.request(call, signal);
}
