import { RollcallError } from '../../../core/run/errors.ts';
import type { SourceBase } from '../../../ports/source.ts';
import { type Authority, openAuthority } from '../../kit/http/authority.ts';
import type { Place } from './place.ts';
import type { Https } from './schema.ts';
import { stateOf, takeFile, webLimits, withWebServer } from './web-files.ts';

/** Statuses of a server that does not support HEAD. */
const noHead = [405, 501];

/** Opens a file at an address. Follows no redirects: the credentials stay with the configured host. */
export function httpsPlace({ url, auth, tls }: Https, base: SourceBase): Place {
  let authority: Authority | undefined;
  return {
    visit(io, work) {
      authority ??= openAuthority(auth, base, webLimits.timeout, tls);
      return withWebServer({ origin: new URL(url).origin, authority, tls }, io, (client) =>
        work({
          find: async () => url,
          nameOf,
          async stat(file) {
            const request = { name: `HEAD ${nameOf(file)}`, url: file, headers: anyType };
            const answers = [404, 410, ...noHead];
            const head = await client.receive({ ...request, method: 'HEAD', answers }, async (answer) => ({
              status: answer.status,
              state: stateOf(answer),
            }));
            if (!noHead.includes(head.status)) return head.status === 200 ? head.state : undefined;
            // Only the headers are used; the body is discarded.
            const name = `GET ${nameOf(file)}`;
            return client.receive({ ...request, name, answers: [404, 410] }, async (answer) =>
              answer.status === 200 ? stateOf(answer) : undefined,
            );
          },
          async fetch(file, sink) {
            const request = { name: `GET ${nameOf(file)}`, url: file, headers: anyType, answers: [404, 410] };
            const taken = await client.receive(request, async (answer, deadline) =>
              answer.status === 200 ? takeFile(answer, deadline, sink) : answer.status,
            );
            if (typeof taken === 'number') throw notThere(file, taken);
            return taken;
          },
        }),
      );
    },
  };
}

const anyType = { accept: '*/*' };

/** Removes the query, which may hold a key. */
function nameOf(file: string): string {
  const { origin, pathname } = new URL(file);
  return `${origin}${pathname}`;
}

function notThere(file: string, status: number): RollcallError {
  const message = `${nameOf(file)} is not there (${status}): check source.https.url, and that the export has run`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
