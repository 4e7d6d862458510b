import type { RequestPurpose } from '../core/run/requests.ts';
import type { JsonText } from '../drivers/http/json-text.ts';
import type { Method, OperationBody } from '../drivers/http/message.ts';

export type QueryValue = string | number | boolean | undefined;

/** Status and headers of a 2xx answer, and the length of its body. */
export interface AnswerHead {
  readonly status: number;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly bodyBytes: number;
}

/**
 * Turns a 2xx answer into a value. `read` throws `AnswerInvalid` when the body does not match the contract. With
 * `any` the body is optional: undefined when there was none. With `json-of-any-type` the content type does not matter.
 */
export type AnswerReader<T> =
  | { readonly expects: 'json'; read(answer: JsonText, head: AnswerHead): T }
  | { readonly expects: 'json-of-any-type'; read(answer: JsonText, head: AnswerHead): T }
  | { readonly expects: 'nothing'; read(): T }
  | { readonly expects: 'any'; read(answer: JsonText | undefined, head: AnswerHead): T };

/** One call of the contract. */
export interface Operation<T> {
  readonly method: Method;
  /** Path template with the contract's exact slashes: `/os-api/public-api/v1/users/{identification}/`. */
  readonly path: string;
  /** Path parameters by the contract's names, not yet percent-encoded. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: OperationBody;
  /** Only a `read` is ever retried. */
  readonly effect: 'read' | 'write';
  /** Under which its requests are counted. Default `other`. */
  readonly purpose?: RequestPurpose;
  /** Which token to send. Default `access`. */
  readonly token?: 'access' | 'application';
  /** Whether the contract requires `Accept-Language`. */
  readonly hasLanguage?: boolean;
  /** Media types to accept. Default `application/json`, the only one that the client reads. */
  readonly accept?: string;
  /** Statuses of a read that the caller expects: they fail at once instead of being retried. */
  readonly finalStatuses?: readonly number[];
  /** Statuses that mean that another file is being processed. */
  readonly busyStatuses?: readonly number[];
  readonly answer: AnswerReader<T>;
}

/** Returns the name of an operation in errors and logs: `GET /os-api/public-api/v1/users/{identification}`. */
export function operationName(operation: Pick<Operation<unknown>, 'method' | 'path'>): string {
  return `${operation.method} ${operation.path}`;
}

/**
 * Returns the operation's address below `baseUrl`, whose own path is kept. Percent-encodes each parameter; the caller
 * has checked them (`pathValueProblem`). Omits undefined query values.
 */
export function operationUrl(baseUrl: string, operation: Operation<unknown>): string {
  const path = operation.path.replace(/\{([\w-]+)\}/g, (_, name: string) => {
    const value = operation.params?.[name];
    if (value === undefined) throw new RangeError(`${operationName(operation)} needs a value for {${name}}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(operation.query ?? {})) {
    if (value !== undefined) query.append(name, String(value));
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return `${baseUrl.replace(/\/+$/, '')}${path}${search}`;
}
