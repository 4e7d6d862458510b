import {
  type Effect,
  type ErrorCode,
  type PlatformAnswer,
  PlatformError,
  type Retry,
  RollcallError,
} from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import { webPageIn } from '../../drivers/http/foreign-answer.ts';
import { AnswerInvalid, isRecord } from '../../drivers/http/json-text.ts';
import { describeNetworkFailure, type NetworkFailure } from '../../drivers/http/network-failure.ts';
import { isRegisteredError } from '../../drivers/http/token-answer.ts';
import { type Operation, operationName } from './operation.ts';

/** An error answer, as far as it could be read. */
export interface Refusal {
  readonly status: number;
  /** Whether the dialect takes this status as a proof that a write was not applied. */
  readonly isUnapplied: boolean;
  /** The wait that the answer requests. */
  readonly retryAfterMs: number | undefined;
  /** The decoded body, or undefined when it was not JSON. */
  readonly body: unknown;
  /** The body as it came. */
  readonly text: string;
}

/**
 * Turns an HTTP status into an error; no other function does. Understands both body shapes of the contract
 * ("Errors"): platform error (`title`, `detail`, `message`, `details`) and grant error (`error`,
 * `error_description`). The message quotes none of it: a body may repeat rows. A registered code is named.
 */
export function refusalError(operation: Operation<unknown>, refusal: Refusal, secret: string): PlatformError {
  const { status, body, text, retryAfterMs: afterMs } = refusal;
  const name = operationName(operation);
  const kind = classify(operation, refusal);
  const title = registeredTitle(body);
  const isWait = kind.retry !== 'never' && afterMs !== undefined && waitStatuses.has(status);
  const retry: Retry = isWait ? { afterMs } : kind.retry;
  const page = webPageIn(text);
  const says = title !== undefined ? ` (${title})` : page !== undefined ? ` with ${page}` : '';
  const raw = withoutSecrets(text, [secret]);
  return new PlatformError(`${name} was answered ${status}${says}. ${kind.advice}`, {
    code: kind.code,
    retry,
    effect: effectOf(operation, refusal),
    status,
    operation: name,
    answer: answerOf(body, status, secret),
    ...given({ raw, title }),
  });
}

/** Statuses whose `Retry-After` is obeyed. Some platforms and gateways limit the rate with 403. */
const waitStatuses: ReadonlySet<number> = new Set([403, 429, 503]);

function registeredTitle(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  return [body.error, body.title, body.message].find(isRegistered);
}

/** Frameworks use the names of HTTP statuses as titles. They are loaded here, because an import would load `fetch` too. */
function isRegistered(text: unknown): text is string {
  const statuses: readonly unknown[] = Object.values(process.getBuiltinModule('node:http').STATUS_CODES);
  return text !== undefined && (isRegisteredError(text) || statuses.includes(text));
}

/** Reads both body shapes of the contract ("Errors"), without our secrets. */
function answerOf(body: unknown, status: number, secret: string): PlatformAnswer {
  if (!isRecord(body)) return { status };
  const textOf = (...values: readonly unknown[]): string | undefined => {
    const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
    return typeof text === 'string' ? withoutSecrets(text, [secret]) : undefined;
  };
  const { timestamp, message, details, type, title, error, detail, error_description: description } = body;
  return given({
    status,
    timestamp: textOf(timestamp),
    message: textOf(message),
    details: textOf(details),
    type: textOf(type),
    title: textOf(title, error),
    detail: textOf(detail, description, details),
  });
}

/** Returns the error with the answer to an earlier try of the call: a refused token that could not be renewed. */
export function afterRefusal(error: PlatformError, refused: PlatformError | undefined): PlatformError {
  if (refused?.answer === undefined || error.answer !== undefined) return error;
  const { message, code, retry, effect, operation, cause } = error;
  return new PlatformError(message, { code, retry, effect, operation, cause, answer: refused.answer });
}

interface Classification {
  readonly code: ErrorCode;
  readonly retry: 'never' | 'backoff';
  readonly advice: string;
}

const never = (code: ErrorCode, advice: string): Classification => ({ code, retry: 'never', advice });
const later = (code: ErrorCode, advice: string): Classification => ({ code, retry: 'backoff', advice });

const byStatus: Readonly<Record<number, Classification>> = {
  400: never('PLATFORM_REFUSED', 'Correct the request: the same call will be refused again.'),
  401: never(
    'PLATFORM_UNAUTHORIZED',
    'The token was refused: check it with `rollcall token status` and `rollcall check`.',
  ),
  403: never('PLATFORM_FORBIDDEN', "The token lacks a permission: ask the platform's administrator for it."),
  404: never('PLATFORM_NOT_FOUND', 'Check that baseUrl is right and that the object exists.'),
  408: later('PLATFORM_FAILED', 'The platform waited too long for the request; try later.'),
  425: later('PLATFORM_FAILED', 'Try again later.'),
  429: later('PLATFORM_BUSY', 'Too many requests: lower limits.requestsPerSecond.'),
  501: never('PLATFORM_FAILED', 'The platform does not offer this call.'),
  503: later('PLATFORM_BUSY', 'The platform is busy or in maintenance; try later.'),
};

function classify(operation: Operation<unknown>, { status, isUnapplied, retryAfterMs }: Refusal): Classification {
  const isWrite = operation.effect === 'write';
  if (status === 403 && retryAfterMs !== undefined) {
    return later('PLATFORM_BUSY', 'The platform asks to wait (Retry-After).');
  }
  if (status === 403 && isWrite) {
    const advice =
      'The token lacks a permission, or a protection of the platform refuses this write (a web application firewall, a ' +
      "protected account): ask the platform's administrator.";
    return never('PLATFORM_FORBIDDEN', advice);
  }
  if (isUnapplied && isWrite) {
    const advice = 'The platform did not apply it (dialect.refusedStatuses); it is sent again later.';
    return later('PLATFORM_BUSY', advice);
  }
  if (operation.busyStatuses?.includes(status)) {
    return later('PLATFORM_BUSY', 'Another file is being processed; the upload is retried later.');
  }
  const known = byStatus[status];
  if (known !== undefined) return known;
  if (status >= 500) return later('PLATFORM_FAILED', 'The platform failed; try later.');
  if (status >= 400) return never('PLATFORM_REFUSED', 'The same call will be refused again.');
  const advice = 'Redirects are not followed, to protect the token: set baseUrl to the final address.';
  return never('PLATFORM_ANSWER_INVALID', advice);
}

/**
 * Returns the effect of an error answer. A 4xx means that a write was not applied, except 408, which gateways also
 * send when their own upstream is slow. 301, 307 and 308 ask to send the same again elsewhere (RFC 9110, 15.4); 302
 * and 303 may follow a write that was applied. After a 5xx, a write may have been applied, unless the dialect says no.
 */
function effectOf(operation: Operation<unknown>, { status, isUnapplied }: Refusal): Effect {
  if (operation.effect === 'read' || isUnapplied) return 'none';
  if (status === 301 || status === 307 || status === 308) return 'none';
  return status >= 400 && status < 500 && status !== 408 ? 'none' : 'unknown';
}

/** An exchange without a usable answer. `hasTimedOut`: our own deadline ended it. */
export interface Breakdown {
  readonly error: unknown;
  readonly hasTimedOut: boolean;
  readonly timeoutMs: number;
  /** Set when the caller cancelled: its reason. */
  readonly abandoned: { readonly reason: unknown } | undefined;
  /** HTTP status, when at least the headers arrived. */
  readonly status: number | undefined;
}

/** Turns an early end of an exchange into an error. Covers one attempt only. */
export function breakdownError(operation: Operation<unknown>, breakdown: Breakdown): PlatformError {
  const { error, status } = breakdown;
  const name = operationName(operation);
  const written: Effect = operation.effect === 'read' ? 'none' : 'unknown';
  const warning = written === 'unknown' ? ' It may have been applied: read back before sending again.' : '';
  const base = { operation: name, ...(status === undefined ? {} : { status }) };
  if (breakdown.abandoned !== undefined) return cancelledError(operation, breakdown.abandoned.reason, written);
  if (breakdown.hasTimedOut) {
    const message = `${name} was not completely answered within ${breakdown.timeoutMs} ms.${warning} If the platform is only slow, raise limits.timeout.`;
    return new PlatformError(message, { ...base, code: 'PLATFORM_UNREACHABLE', retry: 'backoff', effect: written });
  }
  if (error instanceof AnswerInvalid) {
    const message = `${name} was answered ${status ?? ''} but ${error.message}.${warning} Check that baseUrl is the platform itself.`;
    const retry = error.isFinal ? 'never' : 'backoff';
    return new PlatformError(message, { ...base, code: 'PLATFORM_ANSWER_INVALID', retry, effect: written });
  }
  const failure = describeNetworkFailure(error);
  const effect = failure.isBeforeSending ? 'none' : written;
  const after = effect === 'unknown' ? warning : '';
  const { code, retry, advice } = afterFailure[failure.kind];
  const what = failure.kind === 'invalid' ? 'cannot be sent' : 'got no complete answer';
  const message = `${name} ${what}: ${failure.text}.${after} ${advice}`;
  // The cause is omitted on purpose: HTTP clients keep headers, with the token, in their errors.
  return new PlatformError(message, { ...base, code, retry, effect });
}

const afterFailure: Readonly<Record<NetworkFailure['kind'], Classification>> = {
  unreachable: later('PLATFORM_UNREACHABLE', 'Check baseUrl, the network, and that the platform is up.'),
  'broken-off': later('PLATFORM_UNREACHABLE', 'Check the network and the platform; the call can be retried.'),
  invalid: never(
    'PLATFORM_REFUSED',
    'It was not sent. Check the tokens and headers of the connection, and that it is open.',
  ),
  'too-large': never('PLATFORM_ANSWER_INVALID', 'Lower dialect.search.pageSize.'),
  tls: never('PLATFORM_UNREACHABLE', "Check the platform's certificate and the clock of this machine."),
};

/**
 * Returns the error after the caller's signal aborted. Keeps the reason's own code (`LEASE_LOST`), else `CANCELLED`.
 */
export function cancelledError(
  operation: Pick<Operation<unknown>, 'method' | 'path'>,
  reason: unknown,
  effect: Effect,
): PlatformError {
  const name = operationName(operation);
  const warning = effect === 'unknown' ? ' after it was sent; it may have been applied' : ' before it completed';
  const code = reason instanceof RollcallError ? reason.code : 'CANCELLED';
  return new PlatformError(`${name} was canceled${warning}.`, {
    code,
    retry: 'never',
    effect,
    operation: name,
    cause: reason,
  });
}

/**
 * Returns the error when there is no valid token, so nothing was sent. Keeps code and retry of the token manager's
 * error.
 */
export function tokenError(operation: Operation<unknown>, error: RollcallError): PlatformError {
  const name = operationName(operation);
  const { code, retry, message } = error;
  return new PlatformError(`${name} was not done: ${message}`, {
    code,
    retry,
    effect: 'none',
    operation: name,
    cause: error,
  });
}

/** Returns the error for a call that must not be sent. */
export function refuseToSend(operation: Pick<Operation<unknown>, 'method' | 'path'>, why: string): PlatformError {
  const name = operationName(operation);
  return new PlatformError(`${name} was not sent: ${why}`, {
    code: 'PLATFORM_REFUSED',
    retry: 'never',
    effect: 'none',
    operation: name,
  });
}

const tokenLike = /\b(?:Bearer\s+\S+|ey[\w-]{8,}\.[\w-]+\.?[\w-]*|[\w-]{40,})/gu;
const maxLength = 4000;

/**
 * Returns a text of the platform for sealed storage: our secrets and anything like a token become `…`, control
 * characters become spaces, and the text is cut to 4,000 characters. It may still hold personal data. Returns undefined
 * for an empty text.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string | undefined {
  // Cut first, because searching a hostile megabyte is slow. Four times the length keeps a value near the end whole.
  let clean = text.slice(0, 4 * maxLength);
  // Longest first: a secret may begin with another one.
  for (const secret of secrets.filter((one) => one.trim() !== '').sort((a, b) => b.length - a.length)) {
    for (const form of new Set([secret, encodeURIComponent(secret.toWellFormed())])) {
      clean = clean.replaceAll(form, '…');
    }
  }
  clean = clean.replace(tokenLike, '…');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
  clean = clean.replace(/[\u0000-\u001f\u007f-\u009f]+/gu, ' ').trim();
  return clean === '' ? undefined : clean.slice(0, maxLength);
}
