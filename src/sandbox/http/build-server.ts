import multipart from '@fastify/multipart';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { operations, renderOpenApi } from '../../platform/table/index.ts';
import { type ErrorFacts, platformError } from '../call.ts';
import { html } from '../docs/html.ts';
import { renderDocsPage } from '../docs/render-docs-page.ts';
import type { World } from '../world.ts';
import { serveControl } from './control.ts';
import { type Exchange, hasEmptySegment, pathOf, serveOperation } from './serve-operation.ts';

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

/** Allows nothing from other servers, and calls to this sandbox only. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";

/**
 * Serves `/openapi.json` and `/docs`, the contract for machines and people, and `/` with links to everything. They need no token, are not counted as
 * requests, and no fault strikes them. The page contains valid tokens, because a sandbox has no secrets.
 */
function serveDocs(app: FastifyInstance, world: World): void {
  app.get('/', async (_request, reply) => {
    world.files.settle();
    const page = renderFrontPage({
      users: world.directory.all.size,
      files: world.files.all.size,
      hasImportSource: world.importSource() !== undefined,
    });
    return reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page);
  });
  app.get('/openapi.json', async (request) => renderOpenApi({ serverUrl: originOf(request) }));
  app.get('/docs', async (request, reply) => {
    const { applicationToken, tokens } = world;
    const page = renderDocsPage(renderOpenApi({ serverUrl: originOf(request) }), {
      applicationToken,
      ...tokens.authorize(),
    });
    return reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page);
  });
}

function originOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

const views = [
  ['/docs', 'The API: read it, and try each operation'],
  ['/openapi.json', 'The same for programs: OpenAPI 3.1'],
  ['/_sandbox/state', 'State: users, files, faults, quirks, requests by operation'],
  ['/_sandbox/files', 'Provisioning files, also those of the import job, and how they ended'],
  ['/_sandbox/log', 'Every change of a user, in order'],
  ['/_sandbox/feedback-requests', 'Feedback requests with their ids, which the API does not return'],
] as const;

/** Renders the page at `/`. */
function renderFrontPage({
  users,
  files,
  hasImportSource,
}: {
  readonly users: number;
  readonly files: number;
  readonly hasImportSource: boolean;
}): string {
  const source = hasImportSource
    ? html`The import job has a source. <code>PATCH /os-api/public-api/v1/admin/import-users-job</code> processes it as a file.`
    : html`The import job has no source and is refused. Define one: <code>PUT /_sandbox/import-source</code> with <code>{"csv": "…"}</code>.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sandbox platform</title>
<link rel="icon" href="data:,">
<style>:root { color-scheme: light dark } body { font: 15px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>Sandbox platform</h1>
<p>${users} users, ${files} provisioning files. It keeps nothing when it ends.</p>
<ul>${views.map(([path, text]) => html`<li><a href="${path}">${path}</a> ${text}</li>`)}</ul>
<p>${source}</p>
</body>
</html>
`.html;
}
