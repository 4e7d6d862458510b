import type { CodeEntry } from './code-entry.ts';

const webhooks = 'http-api.md#webhooks';
const roles = 'http-api.md#who-may-do-what';
const operations = 'http-api.md#operations';

/**
 * Requests that the HTTP API refuses before they reach the product. The status is in the answer. `NOT_FOUND` and `USAGE`
 * are errors.
 */
export const apiEntries = {
  BAD_REQUEST: {
    meaning: 'The request cannot be read (400).',
    cause: 'The body is not JSON, or the path is not well-formed.',
    cure: ['Send JSON in UTF-8, and percent-encode names in the path.'],
    page: operations,
  },
  BODY_INVALID: {
    meaning: 'The body is not JSON in UTF-8 (400).',
    cause: 'The body was cut, is encoded differently, or has a syntax error.',
    cure: ['Send one JSON value in UTF-8.'],
    page: operations,
  },
  BODY_TOO_LARGE: {
    meaning: 'The body is larger than 256 KiB (413).',
    cause: 'The request names too many people.',
    cure: ['Name fewer people in each request.'],
    page: operations,
  },
  CLOSING: {
    meaning: 'The server is closing (503).',
    cause: 'The process was asked to stop.',
    cure: ['Send the request again in a few seconds.'],
    page: 'http-api.md#health',
  },
  CSRF: {
    meaning: 'A request of a signed-in browser lacks the token against forged requests (403).',
    cause: 'The header `x-csrf-token` is missing or belongs to another session.',
    cure: ['Read `csrf` from `GET /api/session`, and send it in the header.'],
    page: 'sign-in.md#sessions',
  },
  GONE: {
    meaning: 'The client closed the connection before the answer (503).',
    cause: 'The client or a proxy in front of the server has a shorter timeout.',
    cure: ['Raise the timeout of the client or proxy, and send the request again.'],
    page: operations,
  },
  INTERNAL: {
    meaning: 'An unexpected error occurred in the server (500).',
    cause: 'Rollcall has a fault. The log has the details under the id of the request.',
    cure: ['Search the log for the `requestId` of the answer, and report the fault with that line.'],
    page: 'operations.md#logs',
  },
  KEY_REUSED: {
    meaning: 'The `Idempotency-Key` was used for a different request (422).',
    cause: 'The client sends one key with two different bodies.',
    cure: ['Use a new key for each new request.'],
    page: operations,
  },
  MEDIA_TYPE: {
    meaning: 'The body has the wrong media type (415).',
    cause: 'The header `content-type` is not `application/json`.',
    cure: ['Send `content-type: application/json`.'],
    page: operations,
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path does not support this method (405).',
    cause: 'The client used a method that the operation does not have.',
    cure: ['Use a method that the header `allow` of the answer lists.'],
    page: operations,
  },
  NO_WEBHOOK: {
    meaning: 'No webhook has this name (404).',
    cause: '`server.webhooks` has no entry for this sync.',
    cure: ['Add the sync to `server.webhooks`, and restart.'],
    page: webhooks,
  },
  PEOPLE: {
    meaning: 'The operation shows personal data, and the caller does not see people (403).',
    cause: 'The token or the groups of the user have the role `monitor`, or a scope with `people: false`.',
    cure: ['Use a token that sees people, or ask an administrator for the role.'],
    page: roles,
  },
  PATH_TOO_LONG: {
    meaning: 'A part of the path is longer than 1,024 characters (414).',
    cause: 'An identification or name in the path is too long.',
    cure: ['Send the name in the body where the operation allows it.'],
    page: operations,
  },
  REQUEST_INVALID: {
    meaning: 'A parameter or a key of the body is not allowed (400).',
    cause: 'The message names each parameter and what is allowed.',
    cure: ['Compare the request with `GET /openapi.json`.'],
    page: operations,
  },
  ROLE: {
    meaning: 'The role of the caller does not allow the operation (403).',
    cause: 'The operation needs a higher role than the token or user has.',
    cure: ['Use a token with the role that the message names.'],
    page: roles,
  },
  SESSION_EXPIRED: {
    meaning: 'The browser session has ended (401).',
    cause: 'Its lifetime has passed, or the user signed out.',
    cure: ['Sign in again.'],
    page: 'sign-in.md#sessions',
  },
  SIGNATURE_MISSING: {
    meaning: 'The webhook has no signature (401).',
    cause: 'The sender does not sign its requests.',
    cure: ['Make the sender sign the timestamp and the body with the secret from `server.webhooks`.'],
    page: webhooks,
  },
  SIGNATURE_OLD: {
    meaning: 'The signature of the webhook is too old (401).',
    cause: 'The request was delayed or repeated, or a clock is wrong.',
    cure: ['Sign the request with the current time, and compare the clocks of both machines.'],
    page: webhooks,
  },
  SIGNATURE_USED: {
    meaning: 'The signed request was accepted before (409).',
    cause: 'The sender repeats a request without a new signature.',
    cure: ['Sign a repeated request with a new time.'],
    page: webhooks,
  },
  SIGNATURE_WRONG: {
    meaning: 'The signature of the webhook does not match the body (401).',
    cause: 'The secrets differ, or a proxy changes the body.',
    cure: ['Configure the same secret on both sides, and sign exactly the bytes that are sent.'],
    page: webhooks,
  },
  TOKEN_MISSING: {
    meaning: 'The request has no token (401).',
    cause: 'The header `authorization` is missing.',
    cure: ['Send `Authorization: Bearer …` with a token of `server.tokens`, or sign in.'],
    page: roles,
  },
  TOKEN_UNKNOWN: {
    meaning: 'The token is not one of `server.tokens` (401).',
    cause: 'The token has a typing error, or was removed from the configuration.',
    cure: ['Compare the token with the configuration, and restart after a change.'],
    page: roles,
  },
  TOO_MANY_REQUESTS: {
    meaning: 'The caller sent too many requests (429).',
    cause: 'The caller reached its request limit.',
    cure: ['Wait for the time in the header `retry-after`.'],
    page: operations,
  },
  TOO_MANY_STREAMS: {
    meaning: 'Too many event streams are open (429).',
    cause: 'Clients keep more event streams open than the server allows.',
    cure: ['Close unused streams, and connect again after the time in `retry-after`.'],
    page: 'http-api.md#events',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ApiCode = keyof typeof apiEntries;
