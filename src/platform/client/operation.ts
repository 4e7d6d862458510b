import type { ZodError, ZodType } from 'zod';
import { PlatformError } from '../../core/run/errors.ts';
import type { RequestPurpose } from '../../core/run/requests.ts';
import { AnswerInvalid, exactValue, isRecord, type JsonText } from '../../drivers/http/json-text.ts';
import type { Method, OperationBody } from '../../drivers/http/message.ts';

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
 * `any` the body is optional: undefined when there was none. The content type does not matter.
 */
export type AnswerReader<T> =
  | { readonly expects: 'json'; read(answer: JsonText, head: AnswerHead): T }
  | { readonly expects: 'nothing'; read(): T }
  | { readonly expects: 'any'; read(answer: JsonText | undefined, head: AnswerHead): T };

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
  /** `Accept-Language` of this call. Default: `dialect.acceptLanguage`, where the contract requires one. */
  readonly acceptLanguage?: string;
  /** Media types to accept. Default `application/json`, the only one that the client reads. */
  readonly accept?: string;
  /** Statuses of a read that the caller expects: they fail at once instead of being retried. */
  readonly finalStatuses?: readonly number[];
  /** Statuses that mean that another file is being processed. */
  readonly busyStatuses?: readonly number[];
  readonly answer: AnswerReader<T>;
  /** Reads a value from the body of an answer that is no 2xx. Undefined: it is an error. Absent: it always is. */
  readonly readRefusal?: RefusalReader<T>;
}

export type RefusalReader<T> = (body: unknown, status: number) => T | undefined;

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

/** For calls whose body is empty or has no content (201 without a body, 202 with `{}`). */
export const nothing: AnswerReader<void> = { expects: 'nothing', read: () => undefined };

/** Returns a reader of a JSON body by a schema. Ids beyond 2^53 are text. */
export function jsonBy<T>(schema: ZodType<T>): AnswerReader<T> {
  return { expects: 'json', read: (answer) => parseBy(schema, exactValue(answer)) };
}

/** Returns a reader of the `result` of a single-resource answer (contract, "Conventions"); ids as in `jsonBy`. */
export function resultBy<T>(schema: ZodType<T>): AnswerReader<T> {
  return { expects: 'json', read: (answer) => parseBy(schema, resultOf(exactValue(answer))) };
}

export function resultOf(value: unknown): unknown {
  if (!isRecord(value) || value.result === undefined || value.result === null) {
    throw new AnswerInvalid('the body has no `result`');
  }
  return value.result;
}

/** Checks a value. Throws `AnswerInvalid` with the places that do not match. */
export function parseBy<T>(schema: ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AnswerInvalid(`the body does not have the expected shape (${placesOf(parsed.error)})`);
}

/** Returns the first places that do not match. Quotes nothing of the answer. */
export function placesOf({ issues }: Pick<ZodError, 'issues'>): string {
  return issues
    .slice(0, 3)
    .map(({ path, code }) => `${path.join('.') || 'the body'}: ${code}`)
    .join('; ');
}

/** C0 and C1 control characters and DEL, which no path and no log line may carry. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/u;

/**
 * Returns why a value cannot be in a path, or undefined when it can. `.` and `..` matter most: every URL parser
 * normalizes them away, so that `DELETE …/users/..` would address another resource (WHATWG URL, "double-dot path
 * segment").
 */
export function pathValueProblem(value: string): string | undefined {
  if (value.trim() === '') return 'is empty';
  if (value === '.' || value === '..') return 'is a dot segment, which a path normalizes away';
  if (controlCharacter.test(value)) return 'contains a control character';
  if (!value.isWellFormed()) return 'contains half of a surrogate pair, which no URL can carry';
  return undefined;
}

/**
 * Throws `IDENTIFICATION_INVALID` (a `PlatformError` with effect `none`) for a key that must never be sent: empty,
 * `.`, `..`, control characters, broken Unicode. `operation` is the path template of the call.
 */
export function checkIdentification(identification: string, operation = 'a call to the platform'): void {
  const problem = pathValueProblem(identification);
  if (problem === undefined) return;
  throw new PlatformError(
    `${operation} was not sent: the identification ${problem}. Correct the person's key in the source or the mapping.`,
    { code: 'IDENTIFICATION_INVALID', retry: 'never', effect: 'none', operation },
  );
}
