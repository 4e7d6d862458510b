import { exactValue } from '../drivers/http/json-text.ts';
import type { OperationBody } from '../drivers/http/message.ts';
import type { PlatformClient } from './client.ts';
import { contractCall, jsonBody } from './contract-call.ts';
import type { AnswerHead, Operation } from './operation.ts';
import { type OperationId, operationOf } from './table/operations.ts';

/** Input of a call of any operation. It is not checked against the operation's schemas. */
export interface OperationInput extends Pick<Operation<unknown>, 'params' | 'query' | 'accept' | 'finalStatuses'> {
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
  const { json, stream, token, ...details } = input;
  const ownToken = token ?? (operationOf(id).part === 'roles' ? client.dialect.rolesToken : undefined);
  const body = stream ?? (json === undefined ? undefined : jsonBody(json));
  const call = contractCall<OperationAnswer>(id, {
    ...details,
    ...(ownToken === undefined ? {} : { token: ownToken }),
    ...(body === undefined ? {} : { body }),
    answer: {
      expects: 'any',
      read: (answer, head) => ({ ...head, body: answer === undefined ? undefined : exactValue(answer) }),
    },
  });
  return client.request(call, signal);
}
