import { RollcallError } from '../../../core/run/errors.ts';
import type { Deadline } from '../../../drivers/http/deadline.ts';
import { ownBody } from '../../../drivers/http/foreign-answer.ts';
import type { Answer } from '../../../drivers/http/transport.ts';
import type { SourceBase, SourceIo } from '../../../ports/source.ts';
import { type Authority, openAuthority } from '../../kit/http/authority.ts';
import type { HttpLimits, HttpTls } from '../../kit/http/settings.ts';
import { type SourceClient, withSourceClient } from '../../kit/http/source-client.ts';
import type { Https } from './config.ts';
import type { FileState, Place, Sink } from './place.ts';
import { maxFileBytes } from './spool.ts';

/** `timeout` applies without a byte; `deadline` to a whole file. */
export const webLimits: HttpLimits = { requestsPerSecond: 5, timeout: 60_000, deadline: 3_600_000 };

const advice = {
  busy: 'The server is busy or failing: check the server and the time of the export.',
  slow: 'Check the server and the network.',
  trickling: 'Check the server and the network; compress a file of this size (source.compression).',
};

/** Runs `work` with a client for one server, and closes its sockets however it ends. */
export async function withWebServer<T>(
  server: { readonly origin: string; readonly authority: Authority; readonly tls: HttpTls },
  io: SourceIo,
  work: (client: SourceClient) => Promise<T>,
): Promise<T> {
  const { tls, ...parts } = server;
  const settings = {
    ...parts,
    limits: webLimits,
    maxBytes: maxFileBytes,
    io,
    adviceFor: advice,
    ...(tls === undefined ? {} : { tls }),
  };
  const read = withSourceClient<never, T>(settings, (client) => endOnly(work(client)));
  const { value } = await read.next();
  return value;
}

/** Adapts a read without pages, of which only the result matters. */
async function* endOnly<T>(work: Promise<T>): AsyncGenerator<never, T> {
  yield* [];
  return await work;
}

/** Returns the state of a file from the headers of an answer (RFC 9110, 8.8). */
export function stateOf(answer: Answer): FileState {
  const length = answer.header('content-length');
  // Content-Encoding makes the length differ from the file's.
  const isPacked = (answer.header('content-encoding') ?? 'identity') !== 'identity';
  const modified = Date.parse(answer.header('last-modified') ?? '');
  return {
    bytes: length === undefined || isPacked ? undefined : Number(length),
    version: answer.header('etag') ?? answer.header('last-modified'),
    isTimeOnly: answer.header('etag') === undefined,
    writtenAtNs: Number.isNaN(modified) ? undefined : BigInt(modified) * 1_000_000n,
    charset: /charset="?([^";\s]+)/i.exec(answer.header('content-type') ?? '')?.[1],
  };
}

/** Writes the body of an answer to the sink. Throws `ForeignAnswer` when it is a web page instead of a file. */
export async function takeFile(answer: Answer, deadline: Deadline, sink: Sink): Promise<FileState> {
  await sink.restart();
  for await (const chunk of ownBody(answer.body, 'a file')) {
    deadline.extend();
    if (!(await sink.write(chunk))) break;
  }
  return stateOf(answer);
}

/** Statuses of a server that fails at HEAD, or whose address is signed for GET. Only a GET shows what they mean. */
const noHead = [...Array.from({ length: 25 }, (_, i) => 400 + i).filter((status) => status !== 408), 500, 501];

/** Opens a file at an address. Follows no redirects: the credentials stay with the configured host. */
export function httpsPlace({ url, auth, tls }: Https, base: SourceBase): Place {
  let authority: Authority | undefined;
  return {
    visit(io, work) {
      authority ??= openAuthority(auth, base, webLimits.timeout, tls);
      return withWebServer({ origin: new URL(url).origin, authority, tls }, io, (client) =>
        work({
          find: async () => ({ file: url }),
          nameOf,
          async stat(file) {
            const request = { name: `HEAD ${nameOf(file)}`, url: file, headers: anyType };
            const head = await client.receive({ ...request, method: 'HEAD', answers: noHead }, async (answer) =>
              answer.status === 200 ? stateOf(answer) : undefined,
            );
            if (head !== undefined) return head;
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
