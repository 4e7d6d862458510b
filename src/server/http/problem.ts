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

const statusOfCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  USAGE: 400,
  IDENTIFICATION_INVALID: 400,
  CONFIG_INVALID: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  SOURCE_UNAVAILABLE: 502,
  SOURCE_REFUSED: 502,
  SCAN_INCOMPLETE: 502,
  PLATFORM_UNREACHABLE: 502,
  PLATFORM_ANSWER_INVALID: 502,
  PLATFORM_REFUSED: 502,
  PLATFORM_UNAUTHORIZED: 502,
  PLATFORM_FORBIDDEN: 502,
  PLATFORM_NOT_FOUND: 502,
  PLATFORM_BUSY: 502,
  PLATFORM_FAILED: 502,
  REAUTH_REQUIRED: 502,
  TOKEN_REVOKED: 502,
  TOKEN_RESTORED: 502,
  TOKEN_UNAVAILABLE: 502,
  STORE_INVALID: 503,
  CANCELLED: 503,
};

/** Converts an error for the client. An unexpected error shows nothing but the id of its request. */
export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Refusal) return makeProblem(error.status, error.code, error.message, requestId);
  if (error instanceof RollcallError) {
    return makeProblem(statusOfCode[error.code] ?? 500, error.code, error.message, requestId);
  }
  const status = statusOfFramework(error);
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

function statusOfFramework(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : 500;
}
