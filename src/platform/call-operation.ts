import { exactValue } from '../http/json-text.ts';
import type { OperationBody } from '../http/message.ts';
import type { PlatformClient } from './client.ts';
import { contractCall, jsonBody } from './contract-call.ts';
import type { AnswerHead, QueryValue } from './operation.ts';
import type { OperationId } from './schema/operations.ts';

/** What a call of any operation is made of. Nothing of it is checked against the operation's schemas. */
export interface OperationInput {
  /** Path parameters by the contract's names, as they are: they are percent-encoded on the way. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** A JSON value, or a body of another kind. Absent: none is sent. */
  readonly json?: unknown;
  readonly stream?: Extract<OperationBody, { kind: 'stream' }>;
  /** Which token goes along; default as the contract says. */
  readonly token?: 'access' | 'application';
  readonly accept?: string;
  /** Statuses of a read that are given up at once instead of tried again. */
  readonly finalStatuses?: readonly number[];
}

export interface OperationAnswer extends AnswerHead {
  /** The decoded body, integers beyond 2^53 as text; undefined when there was none. */
  readonly body: unknown;
}

/**
 * Calls any operation of the contract by its short name and gives what came, whatever its shape. Throws `PlatformError`
 * as every call does, `IDENTIFICATION_INVALID` and `PLATFORM_REFUSED` (effect `none`) for values that no path can carry.
 */
export async function callOperation(
  client: PlatformClient,
  id: OperationId,
  input: OperationInput,
  signal: AbortSignal,
): Promise<OperationAnswer> {
  const { params, query, json, stream, token, accept, finalStatuses } = input;
  const body = stream ?? (json === undefined ? undefined : jsonBody(json));
  const call = contractCall<OperationAnswer>(id, {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
    ...(finalStatuses === undefined ? {} : { finalStatuses }),
    answer: {
      expects: 'any',
      read: (answer, head) => ({ ...head, body: answer === undefined ? undefined : exactValue(answer) }),
    },
  });
  return client.request(accept === undefined ? call : { ...call, accept }, signal);
}
