import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BuiltPage, PageFile } from './read-page.ts';
import { pageRoutes } from './routes.ts';

/** Only its own files, and calls to this server. The browser refuses texts as HTML (trusted types). */
const policy = [
  "default-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const notBuilt = 'The page is not built. Run: npm run web:build. Then restart this process. The API works: see /docs\n';

/** Serves the page of the operators. Every route answers with the same document: its script reads the address. */
export function servePage(app: FastifyInstance, page: BuiltPage | undefined): void {
  for (const path of pageRoutes) {
    app.get(path, async (request, reply) => {
      if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
      return sendFile(page.document, request, reply.header('content-security-policy', policy));
    });
  }
  for (const [path, file] of page?.files ?? []) {
    app.get(path, async (request, reply) => {
      // A file with a hash in its name never changes.
      const isHashed = path.startsWith('/assets/');
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
      return sendFile(file, request, reply);
    });
  }
}

function sendFile({ type, bytes, gzip }: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.type(type);
  if (gzip === undefined) return reply.send(bytes);
  reply.header('vary', 'accept-encoding');
  const accepted = request.headers['accept-encoding'];
  if (typeof accepted !== 'string' || !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted)) {
    return reply.send(bytes);
  }
  return reply.header('content-encoding', 'gzip').send(gzip);
}
