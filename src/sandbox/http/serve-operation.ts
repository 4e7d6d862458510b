import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation, OperationId } from '../../platform/table/index.ts';
import { handlers } from '../api/handlers.ts';
import { type Answer, type Call, Refusal } from '../call.ts';
import type { StruckFaults } from '../faults/struck-faults.ts';
import { chooseLanguage } from '../growth/rated-topics.ts';
import type { World } from '../world.ts';
import { checkToken, readBearer } from './bearer.ts';
import { operationError } from './error-answer.ts';
import { pathOf, readPathParameters } from './path-parameters.ts';
import { readParts } from './read-parts.ts';
import { sendAnswer } from './send-answer.ts';

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
  const status = faults.has('absent') ? 404 : faults.number('status');
  return status === undefined ? undefined : faultAnswer(status, received, world);
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
  return retryAfter === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

function checkAccept(operation: Operation<OperationId>, accept: string | undefined): void {
  if (accept === undefined || /application\/(\*|json)|\*\/\*/i.test(accept)) return;
  if (operation.errorStatuses.includes(406)) {
    throw new Refusal(406, 'Not Acceptable', 'Answers are application/json');
  }
}
