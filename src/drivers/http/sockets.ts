import { Readable } from 'node:stream';
import type { Options } from 'ky';
import { type Dispatcher, request } from 'undici';
import { RollcallError } from '../../core/run/errors.ts';
import type { Egress } from '../../ports/runtime.ts';
import { decodedBody, noBytes, owned } from './answer-body.ts';
import type { Deadline } from './deadline.ts';
import { type DispatcherOptions, openDispatchers, type TlsOptions } from './dispatcher.ts';
import { RequestInvalid } from './header-text.ts';
import type { Answer, Exchange, OperationBody, Sockets } from './message.ts';
import { describeNetworkFailure, ProxyFailure } from './network-failure.ts';

export function openSockets(options: DispatcherOptions, egress?: Egress, tls?: TlsOptions): Sockets {
  const dispatchers = openDispatchers(options, egress, tls);
  return {
    async send(exchange, deadline) {
      const { dispatcher, proxy } = dispatchers.to(exchange.url);
      const send = isSmallWrite(exchange) ? sendByKy : sendByUndici;
      if (proxy === undefined) return send(exchange, dispatcher, deadline);
      const answer = await send(exchange, dispatcher, deadline).catch((error: unknown) => {
        throw deadline.signal.aborted ? error : new ProxyFailure(proxy, error);
      });
      if (answer.status !== 407) return answer;
      // Only a proxy asks for this.
      answer.discard();
      throw new ProxyFailure(proxy, undefined, 407);
    },
    destroy: () => dispatchers.destroy(),
  };
}

/**
 * Returns a fetch that goes through the proxies of the environment, for a library that brings its own requests. Throws
 * `PLATFORM_UNREACHABLE` with the cause in words.
 */
export function openFetch(egress: Egress | undefined): typeof globalThis.fetch {
  const timeout = 10_000;
  const options = { connections: 4, connectTimeout: timeout, headersTimeout: timeout, bodyTimeout: timeout };
  const dispatchers = openDispatchers(options, egress);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { dispatcher, proxy } = dispatchers.to(url.href);
    try {
      return await fetch(input, Object.assign({}, init, { dispatcher }));
    } catch (error) {
      const { text } = describeNetworkFailure(proxy === undefined ? error : new ProxyFailure(proxy, error));
      throw new RollcallError(`${url.host} did not answer: ${text}`, { code: 'PLATFORM_UNREACHABLE', cause: error });
    }
  };
}

/**
 * Sends small writes with ky. Files and reads use undici's own request, because fetch buffers or chunks streams and
 * refuses a GET with a body. It also costs 0.2 ms of CPU more per page, and a scan of a million users reads 10,000
 * pages.
 */
function isSmallWrite({ method, body }: Exchange): boolean {
  return method !== 'GET' && body?.kind === 'json';
}

async function sendByKy(exchange: Exchange, dispatcher: Dispatcher, deadline: Deadline): Promise<Answer> {
  const { method, url, headers, body } = exchange;
  const options: Options = {
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    method,
    headers,
    signal: deadline.signal,
    ...(body?.kind === 'json' ? { body: jsonText(body.value) } : {}),
  };
  // ky passes unknown options to fetch, and Node's fetch accepts a dispatcher of undici 7.
  Object.assign(options, { dispatcher });
  const { default: ky } = await import('ky');
  const response = await ky(url, options);
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    headerAll: (name) => (name === 'set-cookie' ? response.headers.getSetCookie() : listed(response.headers.get(name))),
    body: response.body ?? noBytes(),
    // A reader that holds the lock cancels the body itself when it stops.
    discard: () => void response.body?.cancel().catch(() => {}),
  };
}

/** undici follows no redirects by default. */
async function sendByUndici(exchange: Exchange, dispatcher: Dispatcher, deadline: Deadline): Promise<Answer> {
  const { method, url, headers, body } = exchange;
  const response = await request(url, {
    dispatcher,
    method,
    headers: { ...headers, 'accept-encoding': 'gzip', ...lengthOf(body) },
    signal: deadline.signal,
    ...(body === undefined ? {} : { body: bytesOf(body, deadline) }),
    // During a long upload no answer can arrive yet. The deadline, extended by each chunk, limits it instead.
    ...(body?.kind === 'stream' ? { headersTimeout: 0 } : {}),
  });
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const headerAll = (name: string): readonly string[] => listed(response.headers[name]);
  const { statusCode: status, body: raw } = response;
  return {
    status,
    header,
    headerAll,
    body: decodedBody(raw, { method, status, encoding: header('content-encoding') }),
    discard: () => void raw.destroy(),
  };
}

function listed(value: string | readonly string[] | null | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function lengthOf(body: OperationBody | undefined): Record<string, string> {
  return body?.kind === 'stream' ? { 'content-length': String(body.stream.contentLength) } : {};
}

function bytesOf(body: OperationBody, deadline: Deadline): string | Readable {
  if (body.kind === 'json') return jsonText(body.value);
  if (body.kind === 'text') return body.text;
  return owned(Readable.from(watched(body.stream.open(), deadline), { objectMode: false }));
}

/** Throws `RequestInvalid` for a value that JSON cannot hold: a circle, or a BigInt. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new RequestInvalid('the body cannot be written as JSON');
  }
}

async function* watched(chunks: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    deadline.extend();
    yield chunk;
  }
  deadline.extend();
}
