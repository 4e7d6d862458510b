import type { OperationBody } from '../drivers/http/message.ts';
import { refuseToSend } from './errors.ts';
import { checkIdentification, pathValueProblem } from './identification.ts';
import { type Operation, operationName } from './operation.ts';
import { type OperationId, operationOf } from './table/operations.ts';
import { pathParameters } from './table/parameters.ts';

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
