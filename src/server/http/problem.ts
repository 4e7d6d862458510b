import { STATUS_CODES } from 'node:http';
import type { ApiCode } from '../../core/run/codes/code-names.ts';
import { type ErrorCode, RollcallError } from '../../core/run/errors.ts';

/** An error answer by RFC 9457 (`application/problem+json`). `code` is stable; the texts are for people. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode | ApiCode;
  readonly detail: string;
  readonly requestId: string;
}

/** The words of RFC 9110. Those of Node.js are older for two of them. */
const titles: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
};

/** A request that is rejected on purpose. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: ErrorCode | ApiCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: ErrorCode | ApiCode, detail: string, retryAfterSeconds?: number) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Errors of other systems have 502: see `statusOf`. */
const statusOfCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  USAGE: 400,
  IDENTIFICATION_INVALID: 400,
  CONFIG_INVALID: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  STORE_INVALID: 503,
  CANCELLED: 503,
};

function statusOf(code: ErrorCode): number {
  const isElsewhere = /^(PLATFORM|TOKEN)_/.test(code) || ofOthers.includes(code);
  return statusOfCode[code] ?? (isElsewhere ? 502 : 500);
}

const ofOthers: readonly ErrorCode[] = ['SOURCE_UNAVAILABLE', 'SOURCE_REFUSED', 'SCAN_INCOMPLETE', 'REAUTH_REQUIRED'];

/** Converts an error for the client. An unexpected error shows nothing but the id of its request. */
export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Refusal) return makeProblem(error.status, error.code, error.message, requestId);
  if (error instanceof RollcallError) {
    return makeProblem(statusOf(error.code), error.code, error.message, requestId);
  }
  const given = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  const status = typeof given === 'number' ? given : 500;
  const detail = framework[status];
  if (detail !== undefined) return makeProblem(status, detail.code, detail.text, requestId);
  return makeProblem(500, 'INTERNAL', `unexpected error: search the log for ${requestId}`, requestId);
}

function makeProblem(status: number, code: Problem['code'], detail: string, requestId: string): Problem {
  return { type: 'about:blank', title: titles[status] ?? `Status ${status}`, status, code, detail, requestId };
}

/** Our messages for errors of the framework, whose own messages may quote the request. */
const framework: Readonly<Record<number, { readonly code: ApiCode; readonly text: string }>> = {
  400: {
    code: 'BAD_REQUEST',
    text: 'the request cannot be read: check that the body is JSON and the path is well-formed',
  },
  413: { code: 'BODY_TOO_LARGE', text: 'the body is larger than 256 KiB: name fewer employees per request' },
  414: { code: 'PATH_TOO_LONG', text: 'a part of the path is longer than 1,024 characters' },
  415: { code: 'MEDIA_TYPE', text: 'a body must be sent as application/json' },
};
