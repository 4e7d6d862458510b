import type { Deadline } from './deadline.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that can be produced again for a second attempt (after a 401). */
export interface StreamedBody {
  readonly contentType: string;
  readonly contentLength: number;
  open(): AsyncIterable<Uint8Array>;
}

/** The body of a request. `text` is sent unchanged; the request's headers name its media type. */
export type OperationBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly stream: StreamedBody };

/** One HTTP request, as it is sent. */
export interface Exchange {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OperationBody | undefined;
}

/** Status and headers of an answer. The body is still to come: it must be read to its end or discarded. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  /** Returns every value of a header that may occur more than once (`set-cookie`). */
  headerAll(name: string): readonly string[];
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives the socket back without reading the body. Does nothing after the end of the body. */
  discard(): void;
}

/** What sends the exchanges of a transport. */
export interface Sockets {
  send(exchange: Exchange, deadline: Deadline): Promise<Answer>;
  destroy(): Promise<void>;
}
