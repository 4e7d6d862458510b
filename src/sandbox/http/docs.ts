import type { FastifyInstance, FastifyRequest } from 'fastify';
import { renderOpenApi } from '../../platform/table/index.ts';
import { renderDocsPage } from '../docs/render-docs-page.ts';
import { renderFrontPage } from '../docs/render-front-page.ts';
import type { World } from '../world.ts';

/** Allows nothing from other servers, and calls to this sandbox only. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";

/**
 * Serves `/openapi.json` and `/docs`, the contract for machines and people, and `/` with links to everything. They need no token, are not counted as
 * requests, and no fault strikes them. The page contains valid tokens, because a sandbox has no secrets.
 */
export function serveDocs(app: FastifyInstance, world: World): void {
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
