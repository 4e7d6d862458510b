import { AnswerInvalid } from '../../http/answer-invalid.ts';
import type { Deadline } from '../../http/deadline.ts';
import type { Answer } from '../../http/transport.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { Authority } from '../../source-kit/http/authority.ts';
import type { HttpLimits, HttpTls } from '../../source-kit/http/settings.ts';
import { type SourceClient, withSourceClient } from '../../source-kit/http/source-client.ts';
import type { FileState, Sink } from './place.ts';
import { maxFileBytes } from './spool.ts';

/** `timeout`: without a byte; `patience`: for one file. */
export const webLimits: HttpLimits = { requestsPerSecond: 5, timeout: 60_000, patience: 3_600_000 };

const advice = {
  busy: 'The server is busy or failing: look at it, and at when the export runs.',
  slow: 'Look at the server, and at the network between.',
  trickling: 'Look at the server and the network between; a file that large should be packed (source.compression).',
};

/** A server with files: all its files have one origin. */
export interface WebServer {
  readonly origin: string;
  readonly authority: Authority;
  readonly tls: HttpTls;
}

/** Lets `work` use a client for one server, and closes its sockets however that ends. */
export async function withWebServer<T>(
  server: WebServer,
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

/** A read that gives no pages: its end is all there is. */
async function* endOnly<T>(work: Promise<T>): AsyncGenerator<never, T> {
  yield* [];
  return await work;
}

/** How a file stands, by the head of an answer (RFC 9110, 8.8). */
export function stateOf(answer: Answer): FileState {
  const length = answer.header('content-length');
  // Packed for the way, the length is not that of the file.
  const isPacked = (answer.header('content-encoding') ?? 'identity') !== 'identity';
  const modified = Date.parse(answer.header('last-modified') ?? '');
  return {
    bytes: length === undefined || isPacked ? undefined : Number(length),
    version: answer.header('etag') ?? answer.header('last-modified'),
    writtenAtNs: Number.isNaN(modified) ? undefined : BigInt(modified) * 1_000_000n,
  };
}

/**
 * Takes the body of an answer into the sink. Throws `AnswerInvalid` when it is a page or an object instead of a file.
 */
export async function takeFile(answer: Answer, deadline: Deadline, sink: Sink): Promise<FileState> {
  const type = answer.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.endsWith('html')) throw new AnswerInvalid('the body is a web page instead of a file', true);
  if (/[/+](?:json|xml)$/.test(type)) throw new AnswerInvalid('the body is JSON or XML instead of a file', true);
  await sink.restart();
  for await (const chunk of answer.body) {
    deadline.extend();
    if (!(await sink.write(chunk))) break;
  }
  return stateOf(answer);
}
