import type { JsonText } from '../http/json-text.ts';
import type { Method, OperationBody } from '../http/message.ts';

export type QueryValue = string | number | boolean | undefined;

/** What came before the body of a 2xx answer, and how long the body was. */
export interface AnswerHead {
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly bodyBytes: number;
}

/**
 * How a 2xx answer becomes a value. `read` throws `AnswerInvalid` when the body is not what was promised. With `any` the
 * body is optional: undefined when there was none.
 */
export type AnswerReader<T> =
  | { readonly expects: 'json'; read(answer: JsonText, head: AnswerHead): T }
  | { readonly expects: 'nothing'; read(): T }
  | { readonly expects: 'any'; read(answer: JsonText | undefined, head: AnswerHead): T };

/** One call of the contract. */
export interface Operation<T> {
  readonly method: Method;
  /** Template with the contract's exact slashes: `/os-api/public-api/v1/users/{identification}/`. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: OperationBody;
  /** Only a `read` is ever sent again after a failure. */
  readonly effect: 'read' | 'write';
  /** Which token goes along. Default `access`. */
  readonly token?: 'access' | 'application';
  /** Whether the contract asks for `Accept-Language`. */
  readonly hasLanguage?: boolean;
  /** Media types to ask for. Default `application/json`, the only one that the client reads. */
  readonly accept?: string;
  /** Statuses of a read that its caller understands: given up at once instead of tried again. */
  readonly finalStatuses?: readonly number[];
  /** Statuses that mean "somebody else's file is processing" here. */
  readonly busyStatuses?: readonly number[];
  readonly answer: AnswerReader<T>;
}

/** `GET /os-api/public-api/v1/users/{identification}`: how an operation is called in errors and logs. */
export function operationName(operation: Pick<Operation<unknown>, 'method' | 'path'>): string {
  return `${operation.method} ${operation.path}`;
}

/**
 * The operation's address below `baseUrl`, whose own path is kept. Parameters are percent-encoded one by one; the
 * caller has checked them (`pathValueProblem`). Undefined query values are left out.
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

/** Words of the contract itself, no secret of anybody. */
const harmlessKeys: ReadonlySet<string> = new Set(['orderBy', 'direction', 'sort', 'grant_type', 'type', 'assignment']);

/** The values that must not come back in an error text: path parameters, and what the query and the body carry. */
export function confidentialValues(operation: Operation<unknown>): string[] {
  const found = Object.values(operation.params ?? {});
  collectStrings(operation.query, found);
  if (operation.body?.kind === 'json') collectStrings(operation.body.value, found);
  return found;
}

function collectStrings(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) if (!harmlessKeys.has(key)) collectStrings(part, into);
}
