import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import ky, { type Options } from 'ky';
import { Agent, request } from 'undici';
import type { Limits } from '../core/settings.ts';
import { AnswerInvalid } from './answer-invalid.ts';
import type { Deadline } from './deadline.ts';
import type { Method, OperationBody } from './message.ts';

/** Largest answer taken, in bytes, before and after decompression. A page of 10,000 users is about 6 MB. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** One HTTP exchange, as sent. */
export interface Exchange {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OperationBody | undefined;
}

/** How to make connections secure where the system's own authorities are not enough; PEM texts. */
export interface TlsOptions {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
}

/** The head of an answer with its body still to come. `bytes` must be read or cancelled. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  /** Every value of a header that may come more than once (`set-cookie`). */
  headerAll(name: string): readonly string[];
  readonly body: AsyncIterable<Uint8Array>;
}

/** A pool of sockets to one server. */
export interface Transport {
  send(exchange: Exchange, deadline: Deadline): Promise<Answer>;
  /** Closes every socket; exchanges still under way fail. */
  close(): Promise<void>;
}

/**
 * Opens a pool with bounded connections, times and sizes. Redirects are never followed, so a token never reaches an
 * address that the configuration does not name. Nothing is retried here.
 */
export function openTransport(
  limits: Pick<Limits, 'concurrency' | 'timeoutMs'>,
  tls?: TlsOptions,
  maxBytes: number = maxAnswerBytes,
): Transport {
  const agent = new Agent({
    connections: limits.concurrency,
    connectTimeout: Math.min(10_000, limits.timeoutMs),
    headersTimeout: limits.timeoutMs,
    bodyTimeout: limits.timeoutMs,
    maxResponseSize: maxBytes,
    ...(tls === undefined ? {} : { connect: tls }),
  });
  return {
    send: (exchange, deadline) =>
      isSmallWrite(exchange) ? sendByKy(exchange, agent, deadline) : sendByUndici(exchange, agent, deadline),
    close: () => agent.destroy(),
  };
}

/**
 * ky carries the small writes. Files and reads go by undici's own request: fetch buffers or chunks streams, refuses a
 * GET with a body, and costs 0.2 ms of CPU per page more, which a scan of a million users would pay 10,000 times.
 */
function isSmallWrite({ method, body }: Exchange): boolean {
  return method !== 'GET' && body?.kind === 'json';
}

const http = ky.create({ retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual' });

async function sendByKy(exchange: Exchange, dispatcher: Agent, deadline: Deadline): Promise<Answer> {
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
    headerAll: (name) => (name === 'set-cookie' ? response.headers.getSetCookie() : listed(response.headers.get(name))),
    body: response.body ?? noBytes(),
  };
}

/** Follows no redirect (undici's default). */
async function sendByUndici(exchange: Exchange, dispatcher: Agent, deadline: Deadline): Promise<Answer> {
  const { method, url, headers, body } = exchange;
  const response = await request(url, {
    dispatcher,
    method,
    headers: { ...headers, 'accept-encoding': 'gzip', ...lengthOf(body) },
    signal: deadline.signal,
    ...(body === undefined ? {} : { body: bytesOf(body, deadline) }),
    // While a long file is on its way nothing can answer yet: the deadline, extended by each chunk, watches instead.
    ...(body?.kind === 'stream' ? { headersTimeout: 0 } : {}),
  });
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const headerAll = (name: string): readonly string[] => listed(response.headers[name]);
  const { statusCode: status, body: raw } = response;
  // A body that is given up half-way emits an error; whoever reads it sees that too, nobody else needs to.
  raw.on('error', () => {});
  switch (header('content-encoding')?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
      return { status, header, headerAll, body: raw };
    case 'gzip':
      // What goes wrong comes out of the last stream, where it is read.
      return { status, header, headerAll, body: pipeline(raw, createGunzip(), () => {}) };
    default:
      raw.destroy();
      throw new AnswerInvalid('the body is compressed in a way that was not asked for', true);
  }
}

function listed(value: string | readonly string[] | null | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function lengthOf(body: OperationBody | undefined): Record<string, string> {
  return body?.kind === 'stream' ? { 'content-length': String(body.stream.contentLength) } : {};
}

function bytesOf(body: OperationBody, deadline: Deadline): string | Readable {
  if (body.kind === 'json') return JSON.stringify(body.value);
  if (body.kind === 'text') return body.text;
  return Readable.from(watched(body.stream.open(), deadline), { objectMode: false });
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
