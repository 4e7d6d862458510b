import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation, OperationId } from '../../platform/schema/index.ts';
import { handlers } from '../api/handlers.ts';
import { type Answer, type Call, Refusal } from '../call.ts';
import type { StruckFaults } from '../faults/struck-faults.ts';
import { chooseLanguage } from '../growth/rated-topics.ts';
import type { World } from '../world.ts';
import { checkToken, readBearer } from './bearer.ts';
import { operationError } from './error-answer.ts';
import { pathOf, readPathParameters } from './path-parameters.ts';
import { sendAnswer } from './send-answer.ts';

/** Serves one request of an operation: faults that come first, token, handler, faults that come after, answer. */
export async function serveOperation(
  operation: Operation<OperationId>,
  request: FastifyRequest,
  reply: FastifyReply,
  world: World,
  closing: AbortSignal,
): Promise<void> {
  // The answer is written by hand from here on, so that it can also be cut, dripped or left out.
  reply.hijack();
  world.requests[operation.id] += 1;
  const faults = world.faults.strikeCall(operation.id);
  const slowMs = faults.number('slow');
  if (slowMs !== undefined) await delay(slowMs, undefined, { signal: closing }).catch(() => undefined);
  if (closing.aborted) return;
  if (faults.has('reset-before-commit')) return reset(request);
  if (faults.has('hang')) return;
  const answer = answerEarly(operation.id, faults, request, world) ?? perform(operation, request, faults, world);
  if (faults.has('reset-after-commit')) return reset(request);
  if (faults.has('hang-after-commit')) return;
  const late = answerLate(operation.id, faults, request, world);
  await sendAnswer(reply.raw, late ?? answer, faults, closing);
}

function perform(
  operation: Operation<OperationId>,
  request: FastifyRequest,
  faults: StruckFaults,
  world: World,
): Answer {
  const path = pathOf(request);
  try {
    const call = readCall(operation, request, faults);
    checkToken({ operation: operation.id, path, bearer: call.bearer }, world);
    checkAccept(operation, request.headers.accept);
    world.files.settle();
    const answer = handlers[operation.id](call, world);
    return operation.needsLanguage ? { ...answer, headers: { 'content-language': call.language } } : answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, title, message } = error;
    return operationError(operation.id, { status, title, detail: message, path, at: world.now() });
  }
}

function readCall(operation: Operation<OperationId>, request: FastifyRequest, faults: StruckFaults): Call {
  const query = request.raw.url?.split('?').slice(1).join('?') ?? '';
  return {
    operation: operation.id,
    parameters: readPathParameters(operation.path, pathOf(request)),
    query: new URLSearchParams(query),
    contentType: (request.headers['content-type'] ?? '').toLowerCase(),
    body: request.body,
    bearer: readBearer(request.headers.authorization),
    language: chooseLanguage(request.headers['accept-language']),
    faults,
  };
}

/** Answers that come before anything is done. */
function answerEarly(id: OperationId, faults: StruckFaults, request: FastifyRequest, world: World): Answer | undefined {
  const location = faults.text('redirect');
  if (location !== undefined) return { status: 302, headers: { location } };
  const status = faults.has('absent') ? 404 : faults.number('status');
  return status === undefined ? undefined : faultAnswer(id, status, faults, request, world);
}

function answerLate(id: OperationId, faults: StruckFaults, request: FastifyRequest, world: World): Answer | undefined {
  const status = faults.number('status-after-commit');
  return status === undefined ? undefined : faultAnswer(id, status, faults, request, world);
}

function faultAnswer(
  id: OperationId,
  status: number,
  faults: StruckFaults,
  request: FastifyRequest,
  world: World,
): Answer {
  const facts = {
    status,
    title: 'Injected fault',
    detail: `Injected ${status}`,
    path: pathOf(request),
    at: world.now(),
  };
  const answer = operationError(id, facts);
  const retryAfter = faults.list().find((spec) => spec.retryAfter !== undefined)?.retryAfter;
  return retryAfter === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

function checkAccept(operation: Operation<OperationId>, accept: string | undefined): void {
  if (accept === undefined || /application\/(\*|json)|\*\/\*/i.test(accept)) return;
  if (operation.errorStatuses.includes(406)) {
    throw new Refusal(406, 'Not Acceptable', 'Answers are application/json');
  }
}

function reset(request: FastifyRequest): void {
  request.raw.socket.resetAndDestroy();
}
