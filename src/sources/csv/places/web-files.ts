import { AnswerInvalid } from '../../../drivers/http/answer-invalid.ts';
import type { Deadline } from '../../../drivers/http/deadline.ts';
import type { Answer } from '../../../drivers/http/transport.ts';
import type { SourceIo } from '../../../ports/source.ts';
import type { Authority } from '../../kit/http/authority.ts';
import type { HttpLimits, HttpTls } from '../../kit/http/settings.ts';
import { type SourceClient, withSourceClient } from '../../kit/http/source-client.ts';
import type { FileState, Sink } from './place.ts';
import { maxFileBytes } from './spool.ts';

/** `timeout` applies without a byte; `deadline` to a whole file. */
export const webLimits: HttpLimits = { requestsPerSecond: 5, timeout: 60_000, deadline: 3_600_000 };

const advice = {
  busy: 'The server is busy or failing: check the server and the time of the export.',
  slow: 'Check the server and the network.',
  trickling: 'Check the server and the network; compress a file of this size (source.compression).',
};

/** A server with files. All its files have the same origin. */
export interface WebServer {
  readonly origin: string;
  readonly authority: Authority;
  readonly tls: HttpTls;
}

/** Runs `work` with a client for one server, and closes its sockets however it ends. */
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
    writtenAtNs: Number.isNaN(modified) ? undefined : BigInt(modified) * 1_000_000n,
  };
}

/**
 * Writes the body of an answer to the sink. Throws `AnswerInvalid` when it is a web page or a JSON object instead of
 * a file.
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
