import { Readable } from 'node:stream';
import ky, { type Options } from 'ky';
import { Agent, request } from 'undici';
import type { Limits } from '../core/settings.ts';
import { AnswerInvalid } from './answer.ts';
import type { Deadline } from './deadline.ts';
import type { Method, OperationBody } from './operation.ts';

/** Largest answer taken, in bytes, before and after decompression. A page of 10,000 users is about 6 MB. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** One HTTP exchange, as sent. */
export interface Exchange {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OperationBody | undefined;
}

/** The head of an answer with its body still to come. `bytes` must be read or cancelled. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A pool of sockets to one platform. */
export interface Transport {
  send(exchange: Exchange, deadline: Deadline): Promise<Answer>;
  /** Closes every socket; exchanges still under way fail. */
  close(): Promise<void>;
}

/**
 * Opens a pool with bounded connections, times and sizes. Redirects are never followed, so a token never reaches an
 * address that the configuration does not name. Nothing is retried here.
 */
export function openTransport(limits: Limits): Transport {
  const agent = new Agent({
    connections: limits.concurrency,
    connectTimeout: Math.min(10_000, limits.timeoutMs),
    headersTimeout: limits.timeoutMs,
    bodyTimeout: limits.timeoutMs,
    maxResponseSize: maxAnswerBytes,
  });
  return {
    send: (exchange, deadline) =>
      isPlain(exchange) ? sendPlain(exchange, agent, deadline) : sendStreamed(exchange, agent, deadline),
    close: () => agent.destroy(),
  };
}

/** fetch refuses a GET with a body and buffers or chunks streams; undici's own request does neither. */
function isPlain({ method, body }: Exchange): boolean {
  return body === undefined || (body.kind === 'json' && method !== 'GET');
}

const http = ky.create({ retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual' });

async function sendPlain(exchange: Exchange, dispatcher: Agent, deadline: Deadline): Promise<Answer> {
  const { method, url, headers, body } = exchange;
  const options: Options = {
    method,
    headers,
    signal: deadline.signal,
    ...(body?.kind === 'json' ? { body: JSON.stringify(body.value) } : {}),
  };
  // ky hands options it does not know to fetch, and Node's fetch takes a dispatcher of undici 7.
  Object.assign(options, { dispatcher });
  const response = await http(url, options);
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    body: response.body ?? noBytes(),
  };
}

async function sendStreamed(exchange: Exchange, dispatcher: Agent, deadline: Deadline): Promise<Answer> {
  const { method, url, headers, body } = exchange;
  const response = await request(url, {
    dispatcher,
    method,
    headers: body?.kind === 'stream' ? { ...headers, 'content-length': String(body.stream.contentLength) } : headers,
    body:
      body?.kind === 'stream'
        ? Readable.from(watched(body.stream.open(), deadline), { objectMode: false })
        : JSON.stringify(body?.value),
    signal: deadline.signal,
    // While a long file is on its way nothing can answer yet: the deadline, extended by each chunk, watches instead.
    headersTimeout: 0,
  });
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  if (header('content-encoding') !== undefined && header('content-encoding') !== 'identity') {
    response.body.destroy();
    throw new AnswerInvalid('the body is compressed although this was not asked for', true);
  }
  return { status: response.statusCode, header, body: response.body };
}

async function* watched(chunks: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    deadline.extend();
    yield chunk;
  }
  deadline.extend();
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** Reads a body to its end, at most `limit` bytes of it; more throws `AnswerInvalid` and closes the stream. */
export async function readBytes(answer: Answer, limit: number = maxAnswerBytes): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > limit) throw new AnswerInvalid(`the body is larger than ${limit} bytes`, true);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}
