import type { Limits } from '../../core/run/settings.ts';
import type { Egress } from '../../ports/runtime.ts';
import type { Deadline } from './deadline.ts';
import type { TlsOptions } from './dispatcher.ts';
import { checkHeaders, RequestInvalid } from './header-text.ts';
import { AnswerInvalid } from './json-text.ts';
import type { Answer, Exchange, Sockets } from './message.ts';

export type { Answer, Exchange, TlsOptions };

/** Largest accepted answer in bytes, before and after decompression. A page of 10,000 users has about 6 MB. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** A pool of sockets to one server. */
export type Transport = ReturnType<typeof openTransport>;

export interface TransportOptions {
  readonly tls?: TlsOptions | undefined;
  /** Absent: no proxy. */
  readonly egress?: Egress | undefined;
  /** Largest answer in bytes. Default: `maxAnswerBytes`. */
  readonly maxBytes?: number | undefined;
}

/**
 * Opens a connection pool with bounded sockets, times and sizes. Never follows redirects, so a token never reaches an
 * address that the configuration does not name. Retries nothing.
 */
export function openTransport(
  limits: Pick<Limits, 'concurrency' | 'timeoutMs'>,
  { tls, egress, maxBytes = maxAnswerBytes }: TransportOptions = {},
) {
  const options = {
    connections: limits.concurrency,
    connectTimeout: Math.min(10_000, limits.timeoutMs),
    headersTimeout: limits.timeoutMs,
    bodyTimeout: limits.timeoutMs,
    maxResponseSize: maxBytes,
  };
  let sockets: Promise<Sockets> | undefined;
  let isClosed = false;
  return {
    async send(exchange: Exchange, deadline: Deadline) {
      checkHeaders(exchange.headers);
      // Sockets that are opened after the end would never be closed.
      if (isClosed) throw new RequestInvalid('the connection is closed');
      // What sends is a third of the start of a command, and many commands send nothing.
      sockets ??= import('./sockets.ts').then(({ openSockets }) => openSockets(options, egress, tls));
      return (await sockets).send(exchange, deadline);
    },
    /** Closes every socket. Exchanges in progress fail. */
    async close() {
      isClosed = true;
      await (await sockets)?.destroy();
    },
  };
}

/** Reads a body to its end. Throws `AnswerInvalid` and closes the stream when the body exceeds `limit` bytes. */
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
