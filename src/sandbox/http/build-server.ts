import multipart from '@fastify/multipart';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { operations } from '../../platform/table/index.ts';
import type { World } from '../world.ts';
import { serveControl } from './control.ts';
import { serveDocs } from './docs.ts';
import { type ErrorFacts, platformError } from './error-answer.ts';
import { hasEmptySegment, pathOf } from './path-parameters.ts';
import { type Exchange, serveOperation } from './serve-operation.ts';

const maxBodyBytes = 512 * 1024 * 1024;

/** Builds the HTTP server of a world: every operation of the contract, and the control paths. Does not listen yet. */
export async function buildServer(world: World, closing: AbortSignal): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (_error, request, reply: FastifyReply) => {
      refuse({ request, reply }, { status: 400, title: 'Bad Request', detail: 'The path cannot be read' }, world);
    },
  });
  // GET users may have its parameters in the body: the contract does not define their place.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  await app.register(multipart, { limits: { fileSize: maxBodyBytes, fieldSize: maxBodyBytes } });
  acceptUnreadableBodies(app);
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{([^}]+)\}/g, (_match, name: string) => `:${name.replaceAll('-', '_')}`),
      handler: (request, reply) =>
        hasEmptySegment(operation.path, pathOf(request))
          ? reply.callNotFound()
          : serveOperation(operation, { request, reply }, world, closing),
    });
  }
  serveControl(app, world);
  serveDocs(app, world);
  answerErrors(app, world);
  return app;
}

/** Passes a body that is not JSON as undefined, so that tokens and faults are checked first. */
function acceptUnreadableBodies(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const isJson = /^application\/(\w+\+)?json\b/i.test(request.headers['content-type'] ?? '');
    try {
      done(null, isJson && body !== '' ? JSON.parse(String(body)) : undefined);
    } catch {
      done(null, undefined);
    }
  });
}

function answerErrors(app: FastifyInstance, world: World): void {
  app.setNotFoundHandler((request, reply) => {
    refuse({ request, reply }, { status: 404, title: 'Not Found', detail: 'There is no such endpoint' }, world);
  });
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    const title = status < 500 ? 'Bad Request' : 'Internal Server Error';
    refuse({ request, reply }, { status, title, detail: 'The request could not be read or answered' }, world);
  });
}

function refuse({ request, reply }: Exchange, facts: Omit<ErrorFacts, 'path' | 'at'>, world: World): void {
  const { status, body } = platformError({ ...facts, path: pathOf(request), at: world.now() });
  reply.code(status).send(body);
}
