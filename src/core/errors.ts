/**
 * Code throws only for unexpected conditions, and every deliberate error is a `RollcallError`. Callers decide by
 * `code`, never by message. `message` states what happened, the numbers, and what to do. It holds no token and no field
 * value.
 */
export type Retry = 'never' | 'backoff' | { readonly afterMs: number };

export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'USAGE'
  | 'SOURCE_UNAVAILABLE'
  /** The HR system rejects our credentials, or they lack a right. Repeated attempts can lock the account. */
  | 'SOURCE_REFUSED'
  | 'SCAN_INCOMPLETE'
  | 'PLATFORM_UNREACHABLE'
  | 'PLATFORM_ANSWER_INVALID'
  | 'PLATFORM_REFUSED'
  | 'PLATFORM_UNAUTHORIZED'
  | 'PLATFORM_FORBIDDEN'
  | 'PLATFORM_NOT_FOUND'
  | 'PLATFORM_BUSY'
  | 'PLATFORM_FAILED'
  | 'REAUTH_REQUIRED'
  | 'TOKEN_REVOKED'
  | 'TOKEN_UNAVAILABLE'
  | 'STORE_INVALID'
  | 'LEASE_LOST'
  | 'CANCELLED'
  | 'IDENTIFICATION_INVALID'
  | 'NOT_FOUND'
  | 'CONFLICT';

export interface ErrorOptions {
  readonly code: ErrorCode;
  readonly retry?: Retry;
  readonly cause?: unknown;
}

export class RollcallError extends Error {
  override readonly name: string = 'RollcallError';
  readonly code: ErrorCode;
  readonly retry: Retry;

  constructor(message: string, options: ErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retry = options.retry ?? 'never';
  }
}

/** Whether a failed call can have changed something on the other side. */
export type Effect = 'none' | 'unknown';

export interface PlatformErrorOptions extends ErrorOptions {
  readonly effect: Effect;
  /** HTTP status; absent when no answer arrived. */
  readonly status?: number;
  /** Path template, never the real path: `GET /os-api/public-api/v1/users/{identification}`. */
  readonly operation: string;
  /** `title` and `detail` of the platform's error body, cut to 300 characters. */
  readonly title?: string;
  readonly detail?: string;
}

/** A call to the platform that failed. Holds no header, token, body or field value. */
export class PlatformError extends RollcallError {
  override readonly name = 'PlatformError';
  readonly effect: Effect;
  readonly status: number | undefined;
  readonly operation: string;
  readonly title: string | undefined;
  readonly detail: string | undefined;

  constructor(message: string, options: PlatformErrorOptions) {
    super(message, options);
    this.effect = options.effect;
    this.status = options.status;
    this.operation = options.operation;
    this.title = options.title;
    this.detail = options.detail;
  }
}
