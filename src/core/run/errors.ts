import type codes from './codes/codes.json';

/**
 * Code throws only for unexpected conditions, and every deliberate error is a `RollcallError`. Callers decide by
 * `code`, never by message. `message` states what happened, the numbers, and what to do. It holds no token, no field
 * value, and no text of another system except a registered code.
 */
export type Retry = 'never' | 'backoff' | { readonly afterMs: number };

export type ErrorCode = keyof typeof codes.error;

/**
 * Why a run cannot do its work, named where it happens. Runs with the same topic and subject have one cause, and an
 * operator gets one notice about all of them.
 */
export interface RootCause {
  /**
   * `source`: the HR system does not answer. `credential`: it refuses the credentials. `platform`: the platform ends runs.
   * `uploads`: it takes no changes. `files`: it processes no file.
   */
  readonly topic: 'source' | 'credential' | 'platform' | 'uploads' | 'files';
  /** The host of the HR system, or the name of the connection. */
  readonly subject: string;
  /** The HTTP status of the answer. Absent: there was no answer, or the protocol has no status. */
  readonly status?: number;
  readonly code?: ErrorCode;
  /** What is wrong, where neither status nor code says it: `the certificate of hr.example.com has expired`. */
  readonly title?: string;
  /** Perhaps only this sync asks for it. What works for another one does not end it. */
  readonly isOwn?: true;
}

export interface ErrorOptions {
  readonly code: ErrorCode;
  readonly retry?: Retry;
  readonly cause?: unknown;
  /** What the other system sent. It may hold personal data: see `rawTextOf`. */
  readonly raw?: string;
  /** The host that is at fault, for every sync that reads it. Only for an error of the source. */
  readonly rootCause?: RootCause;
}

export class RollcallError extends Error {
  override readonly name: string = 'RollcallError';
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly rootCause: RootCause | undefined;
  /** Private, so that no log, alert or serialization can show it. */
  readonly #raw: string | undefined;

  constructor(message: string, options: ErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retry = options.retry ?? 'never';
    this.rootCause = options.rootCause;
    this.#raw = options.raw;
  }

  /**
   * Returns the text of another system that led to the error, from the error or its causes. For sealed storage, and for
   * an operator who asks for it with `--raw`. Never for logs, alerts, findings or job data.
   */
  static rawTextOf(error: unknown): string | undefined {
    let link = error;
    for (let depth = 0; depth < 8 && link instanceof Error; depth++) {
      if (link instanceof RollcallError && link.#raw !== undefined) return link.#raw;
      link = link.cause;
    }
    return undefined;
  }
}

/** Wrong usage: nothing was begun. The message says what to write instead. */
export function usageError(message: string): RollcallError {
  return new RollcallError(message, { code: 'USAGE' });
}

/** The state of what is asked about does not allow it. */
export function conflict(message: string): RollcallError {
  return new RollcallError(message, { code: 'CONFLICT' });
}

/** What is asked about does not exist, or the caller may not see it. */
export function notFound(message: string): RollcallError {
  return new RollcallError(message, { code: 'NOT_FOUND' });
}

/**
 * Describes any error without text that another system may have sent: our own message, or the class, the code and the
 * place in our program of an unexpected error.
 */
export function describeError(error: unknown): string {
  if (error instanceof RollcallError) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const code =
    'code' in error && typeof error.code === 'string' && /^[A-Z0-9_]{1,40}$/.test(error.code) ? ` (${error.code})` : '';
  const name = /^[A-Za-z]{1,40}$/.test(error.name) ? error.name : 'Error';
  // The message itself may look like a position.
  const at = error.stack?.indexOf(error.message) ?? -1;
  const lines = at === -1 ? [] : (error.stack?.slice(at + error.message.length).split('\n') ?? []);
  const place = lines
    .map((line) => /\/((?:src|jobs|dist|test)\/[\w./-]+:\d+:\d+)\)?$/.exec(line)?.[1])
    .find((one) => one !== undefined);
  return `${name}${code}${place === undefined ? '' : ` at ${place}`}`;
}

/** Returns whether the store did not answer, and may answer later. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof RollcallError && error.code === 'STORE_INVALID' && error.retry !== 'never';
}

/** Whether a failed call can have changed something on the other side. */
export type Effect = 'none' | 'unknown';

/** What the platform said in an error answer, for the caller who asked. It may hold personal data. */
export interface PlatformAnswer {
  readonly status: number;
  readonly timestamp?: string;
  readonly message?: string;
  readonly details?: string;
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
}

export interface PlatformErrorOptions extends ErrorOptions {
  readonly effect: Effect;
  /** HTTP status; absent when no answer arrived. */
  readonly status?: number;
  /** Path template, never the real path: `GET /os-api/public-api/v1/users/{identification}`. */
  readonly operation: string;
  /** A registered error code or the name of a status from the platform's error body. Absent for any other text. */
  readonly title?: string;
  readonly answer?: PlatformAnswer;
}

/** A call to the platform that failed. Holds no header, token, body or field value. */
export class PlatformError extends RollcallError {
  override readonly name = 'PlatformError';
  readonly effect: Effect;
  readonly status: number | undefined;
  readonly operation: string;
  readonly title: string | undefined;
  /** Private, so that no log, alert or serialization can show it. */
  readonly #answer: PlatformAnswer | undefined;

  constructor(message: string, options: PlatformErrorOptions) {
    super(message, options);
    this.effect = options.effect;
    this.status = options.status;
    this.operation = options.operation;
    this.title = options.title;
    this.#answer = options.answer;
  }

  /** What the platform said. Never in logs, alerts or findings. Undefined when no error answer arrived. */
  get answer(): PlatformAnswer | undefined {
    return this.#answer;
  }
}

/** Errors that end the runs of every sync of a connection alike. */
const connectionCodes: readonly ErrorCode[] = [
  'PLATFORM_UNREACHABLE',
  'PLATFORM_FAILED',
  'PLATFORM_BUSY',
  'PLATFORM_UNAUTHORIZED',
  'PLATFORM_FORBIDDEN',
  'REAUTH_REQUIRED',
  'TOKEN_REVOKED',
  'TOKEN_RESTORED',
  'TOKEN_UNAVAILABLE',
];

/** Returns what the error of a run has in common with runs of other syncs. Undefined: it concerns this run alone. */
export function rootCauseOf(error: RollcallError, connection: string): RootCause | undefined {
  const { code, rootCause } = error;
  if (rootCause !== undefined || !connectionCodes.includes(code)) return rootCause;
  const status = error instanceof PlatformError ? error.status : undefined;
  return { topic: 'platform', subject: connection, code, ...(status === undefined ? {} : { status }) };
}
