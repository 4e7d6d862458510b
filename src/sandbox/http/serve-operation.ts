import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation, OperationId } from '../../platform/table/index.ts';
import { administrationHandlers } from '../api/administration.ts';
import { growthHandlers } from '../api/growth.ts';
import { userHandlers } from '../api/users.ts';
import { type Answer, badRequest, type Call, type Handler, operationError, Refusal } from '../call.ts';
import type { StruckFaults } from '../faults/fault-book.ts';
import { chooseLanguage } from '../growth/catalog.ts';
import type { World } from '../world.ts';

const handlers: Readonly<Record<OperationId, Handler>> = {
  ...administrationHandlers,
  ...userHandlers,
  ...growthHandlers,
};

/** A request, and what answers it. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Serves one request of an operation: early faults, token, handler, late faults, answer. */
export async function serveOperation(
  operation: Operation<OperationId>,
  { request, reply }: Exchange,
  world: World,
  closing: AbortSignal,
): Promise<void> {
  world.requests[operation.id] += 1;
  const faults = world.faults.strikeCall(operation.id);
  const slowMs = faults.number('slow');
  if (slowMs !== undefined) await delay(slowMs, undefined, { signal: closing }).catch(() => undefined);
  const body = request.isMultipart() ? await readParts(request) : request.body;
  const answer = closing.aborted ? 'reset' : answerCall({ operation, request, body, faults }, world);
  // From here on this code controls the connection, so that an answer can be cut, slow or absent.
  reply.hijack();
  if (answer === 'hang') return;
  try {
    if (answer === 'reset') request.raw.socket.resetAndDestroy();
    else await sendAnswer(reply.raw, answer, faults, closing);
  } catch (error) {
    request.raw.socket.destroy();
    throw error;
  }
}

/** Returns the result of the call: an answer, or none. */
function answerCall(received: Received, world: World): Answer | 'reset' | 'hang' {
  const { faults } = received;
  if (faults.has('reset-before-commit')) return 'reset';
  if (faults.has('hang')) return 'hang';
  const early = answerEarly(received, world);
  if (early !== undefined) return early;
  const answer = perform(received, world);
  if (faults.has('reset-after-commit')) return 'reset';
  if (faults.has('hang-after-commit')) return 'hang';
  return answerLate(received, world) ?? answer;
}

interface Received {
  readonly operation: Operation<OperationId>;
  readonly request: FastifyRequest;
  readonly body: unknown;
  readonly faults: StruckFaults;
}

function perform(received: Received, world: World): Answer {
  const { operation, request } = received;
  const path = pathOf(request);
  try {
    const call = readCall(received);
    checkToken({ operation: operation.id, path, bearer: call.bearer }, world);
    checkAccept(operation, request.headers.accept);
    world.files.settle();
    const answer = { status: operation.successStatus, ...handlers[operation.id](call, world) };
    return operation.needsLanguage ? { ...answer, headers: { 'content-language': call.language } } : answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, title, message } = error;
    return operationError(operation.id, { status, title, detail: message, path, at: world.now() });
  }
}

function readCall({ operation, request, body, faults }: Received): Call {
  const query = request.raw.url?.split('?').slice(1).join('?') ?? '';
  return {
    operation: operation.id,
    parameters: readPathParameters(operation.path, pathOf(request)),
    query: new URLSearchParams(query),
    contentType: (request.headers['content-type'] ?? '').toLowerCase(),
    body,
    bearer: readBearer(request.headers.authorization),
    language: chooseLanguage(request.headers['accept-language']),
    faults,
  };
}

/** Returns the answer of a fault that strikes before the operation. */
function answerEarly(received: Received, world: World): Answer | undefined {
  const { faults } = received;
  const location = faults.text('redirect');
  if (location !== undefined) return { status: 302, headers: { location } };
  // The body comes with the faults of sending.
  if (faults.number('page') !== undefined || faults.text('instead') !== undefined) return { status: 200, headers: {} };
  const status = faults.has('absent') ? 404 : (statusByBody(received) ?? faults.number('status'));
  return status === undefined ? undefined : faultAnswer(status, received, world);
}

/** Returns the status of a fault that depends on the body. */
function statusByBody({ body, faults }: Received): number | undefined {
  const text = faults.text('refuse-if');
  if (text !== undefined && textOf(body).includes(text)) return 403;
  const rows = faults.number('too-large');
  return rows !== undefined && textOf(body).trimEnd().split('\n').length - 1 > rows ? 413 : undefined;
}

/** Returns the text of a body, or of the largest of its parts. */
function textOf(body: unknown): string {
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  if (typeof body !== 'object' || body === null) return String(body ?? '');
  const texts = Object.values(body).map(textOf);
  return texts.toSorted((one, other) => other.length - one.length)[0] ?? '';
}

function answerLate(received: Received, world: World): Answer | undefined {
  const status = received.faults.number('status-after-commit');
  return status === undefined ? undefined : faultAnswer(status, received, world);
}

function faultAnswer(status: number, { operation, request, faults }: Received, world: World): Answer {
  const facts = {
    status,
    title: 'Injected fault',
    detail: `Injected ${status}`,
    path: pathOf(request),
    at: world.now(),
  };
  const answer = operationError(operation.id, facts);
  const retryAfter = faults.list().find((spec) => spec.retryAfter !== undefined)?.retryAfter;
  if (retryAfter === undefined) return answer;
  const date = new Date(world.now()).toUTCString();
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter, date } };
}

function checkAccept(operation: Operation<OperationId>, accept: string | undefined): void {
  if (accept === undefined || /application\/(\*|json)|\*\/\*/i.test(accept)) return;
  if (operation.errorStatuses.includes(406)) {
    throw new Refusal(406, 'Not Acceptable', 'Answers are application/json');
  }
}

/** Returns the token of an `Authorization` header; undefined when missing or malformed (RFC 6750 section 2.1). */
function readBearer(header: string | undefined): string | undefined {
  return /^Bearer +(?<token>[A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? '')?.groups?.token;
}

interface Presented {
  readonly operation: OperationId;
  readonly path: string;
  readonly bearer: string | undefined;
}

/**
 * Throws for a call with a wrong token (contract, "Authentication"). A revoked token is rejected only under `/os-api/`.
 * Refresh and revoke check their tokens themselves.
 */
function checkToken({ operation, path, bearer }: Presented, world: World): void {
  if (operation === 'token' || operation === 'revoke') return;
  if (bearer === undefined) throw unauthorized('The token is missing or malformed');
  const isAboutRoles = operation === 'roles' || operation === 'role';
  if (bearer === world.applicationToken) {
    if (isAboutRoles && world.quirks.rolesToken !== 'access') return;
    throw new Refusal(403, 'Forbidden', 'This operation requires an access token, not the application token');
  }
  const standing = world.tokens.useAccess(bearer);
  if (standing === 'unknown' || standing === 'expired') throw unauthorized(`The token is ${standing}`);
  if (standing === 'revoked' && path.startsWith('/os-api/')) throw unauthorized('The token is revoked');
  if (isAboutRoles && world.quirks.rolesToken === 'application') {
    throw new Refusal(403, 'Forbidden', 'This operation requires the application token');
  }
}

function unauthorized(detail: string): Refusal {
  return new Refusal(401, 'Unauthorized', detail);
}

/**
 * Returns the parts of a multipart form by name: files as bytes, fields as text; the last part of a name wins. Returns
 * undefined for an unreadable body, which the operation judges.
 */
async function readParts(request: FastifyRequest): Promise<Record<string, unknown> | undefined> {
  const parts: Record<string, unknown> = {};
  try {
    for await (const part of request.parts()) {
      parts[part.fieldname] = part.type === 'file' ? await part.toBuffer() : part.value;
    }
    return parts;
  } catch {
    return undefined;
  }
}

/** Sends the answer with the faults applied. `closing` ends a slow answer. */
async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  faults: StruckFaults,
  closing: AbortSignal,
): Promise<void> {
  const plain = answer.body === undefined ? undefined : JSON.stringify(answer.body);
  const { status, type, body } = spoilBody({ status: answer.status, type: 'application/json', body: plain }, faults);
  const bytes = Buffer.from(body ?? '');
  response.writeHead(status, {
    ...answer.headers,
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(status === 204 ? {} : { 'content-length': bytes.length }),
  });
  if (faults.has('cut-body')) {
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.resetAndDestroy());
    return;
  }
  const dripMs = faults.number('drip');
  if (dripMs !== undefined && !(await drip(response, bytes, dripMs, closing))) return;
  response.end(dripMs === undefined ? bytes : undefined);
}

/** Sends byte by byte. Returns false when the client disconnected or the sandbox closed. */
async function drip(response: ServerResponse, bytes: Buffer, everyMs: number, closing: AbortSignal): Promise<boolean> {
  for (const byte of bytes) {
    if (closing.aborted || response.destroyed) return false;
    response.write(Buffer.of(byte));
    await delay(everyMs, undefined, { signal: closing }).catch(() => undefined);
  }
  return !closing.aborted;
}

interface WireAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | undefined;
}

const maintenancePage = '<!doctype html><html><body><h1>Under maintenance</h1></body></html>';

function spoilBody(answer: WireAnswer, faults: StruckFaults): WireAnswer {
  const status = faults.number('page');
  if (status !== undefined) return { status, type: 'text/html; charset=utf-8', body: maintenancePage };
  const instead = faults.text('instead');
  if (instead !== undefined) return { status: 200, type: 'application/json', body: instead };
  if (faults.has('html')) return { status: 200, type: 'text/html; charset=utf-8', body: maintenancePage };
  if (faults.has('empty')) return { ...answer, status: 200, body: '' };
  let body = answer.body;
  if (body === undefined) return answer;
  body = mergeMembers(spoilRows(body, faults), faults.text('merge'));
  if (faults.has('truncate-json')) body = body.slice(0, Math.floor(body.length / 2));
  const extra = faults.number('huge');
  if (extra !== undefined) body += ' '.repeat(Math.max(0, extra));
  if (faults.has('bom')) body = `\uFEFF${body}`;
  return { ...answer, body };
}

function mergeMembers(body: string, patch: string | undefined): string {
  if (patch === undefined) return body;
  const merged = { ...(JSON.parse(body) as object), ...(JSON.parse(patch) as object) };
  return JSON.stringify(Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)));
}

function spoilRows(body: string, faults: StruckFaults): string {
  if (!faults.has('missing-page') && !faults.has('duplicate-row') && !faults.has('null-row')) return body;
  const content = JSON.parse(body) as { result?: unknown };
  if (!Array.isArray(content.result)) return body;
  let rows: unknown[] = content.result;
  if (faults.has('missing-page')) rows = [];
  if (faults.has('duplicate-row')) rows = rows.map((row, i) => (i === rows.length - 1 ? rows[0] : row));
  if (faults.has('null-row')) rows = rows.map((row, i) => (i === 0 ? null : row));
  return JSON.stringify({ ...content, result: rows });
}

/**
 * Returns path parameters by the template's names, each percent-decoded exactly once. The router decodes the whole path,
 * and an identification may contain `%2F` or `%25`.
 */
function readPathParameters(template: string, path: string): Record<string, string> {
  const segments = path.split('/');
  const parameters: Record<string, string> = {};
  for (const [i, part] of template.split('/').entries()) {
    const name = /^\{(?<name>.+)\}$/.exec(part)?.groups?.name;
    if (name !== undefined) parameters[name] = decode(segments[i] ?? '');
  }
  return parameters;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The path is not percent-encoded UTF-8');
  }
}

/** Returns whether a path parameter is empty: the router accepts `users/` for `users/{identification}`, the contract does not. */
export function hasEmptySegment(template: string, path: string): boolean {
  const segments = path.split('/');
  return template.split('/').some((part, i) => part !== '' && segments[i] === '');
}

/** Returns the path of a request as sent, without its query. */
export function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split('?')[0] ?? '';
}
