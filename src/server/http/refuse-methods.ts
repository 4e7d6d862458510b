import type { FastifyInstance } from 'fastify';
import { Refusal } from './problem.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Answers other methods of an existing path with 405 and `Allow` (RFC 9110 section 15.5.6), and OPTIONS with `Allow`.
 * Call it before the routes are added, and call the returned function after them.
 */
export function watchMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const taken = known.get(url) ?? new Set();
    for (const name of [method].flat()) taken.add(name);
    known.set(url, taken);
  });
  return () => {
    for (const [url, taken] of [...known]) {
      const allowed = [...taken, 'OPTIONS'].join(', ');
      app.options(url, async (_request, reply) => reply.code(204).header('allow', allowed).send());
      app.route({
        method: methods.filter((name) => !taken.has(name)),
        url,
        handler: async (request, reply) => {
          reply.header('allow', allowed);
          throw new Refusal(
            405,
            'METHOD_NOT_ALLOWED',
            `${request.method} is not allowed for this path; allowed: ${allowed}`,
          );
        },
      });
    }
  };
}
