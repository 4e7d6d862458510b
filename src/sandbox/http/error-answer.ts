import type { OperationId } from '../../platform/table/index.ts';
import { operationOf } from '../../platform/table/index.ts';
import type { Answer } from '../call.ts';

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
