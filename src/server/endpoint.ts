import type { z } from 'zod';
import type { Caller } from './http/access.ts';
import type { AccessRole, ServerParts } from './server-parts.ts';

/** One operation of the API: what it takes and gives, for the router and for the OpenAPI document alike. */
export interface Endpoint {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** `/api/runs/{id}` */
  readonly path: string;
  readonly part: string;
  /** Without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** A role by bearer token, or a signature over the body. */
  readonly needs: AccessRole | 'signature';
  /** How many requests it counts for. */
  readonly cost?: number;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Header names in lower case. */
  readonly headers: z.ZodObject;
  readonly body: z.ZodType | undefined;
  readonly status: number;
  readonly answer: z.ZodType | undefined;
  /** Other media types of the answer. */
  readonly otherTypes?: readonly string[];
  /** Statuses of refusals besides 401, 403, 429 and 500. */
  readonly refusals: readonly number[];
  readonly handle: (asked: Asked<unknown, unknown, unknown, unknown>, parts: ServerParts) => Promise<unknown>;
}

/** A request whose parts have been checked. */
export interface Asked<Params, Query, Headers, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  readonly caller: Caller;
  /** For a webhook: the signature it was let in by. */
  readonly signature: string | undefined;
  /** Aborts when the caller has gone, or the server closes. */
  readonly signal: AbortSignal;
}

/** An answer that is not one JSON value. */
export class StreamAnswer {
  readonly type: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<string>;

  constructor(type: string, fileName: string, chunks: AsyncIterable<string>) {
    this.type = type;
    this.fileName = fileName;
    this.chunks = chunks;
  }
}

/** Gives `handle` the types of the schemas beside it. */
export function defineEndpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Headers extends z.ZodObject,
  Body extends z.ZodType,
>(
  endpoint: Omit<Endpoint, 'params' | 'query' | 'headers' | 'body' | 'handle'> & {
    readonly params: Params;
    readonly query: Query;
    readonly headers: Headers;
    readonly body: Body | undefined;
    readonly handle: (
      asked: Asked<z.output<Params>, z.output<Query>, z.output<Headers>, z.output<Body>>,
      parts: ServerParts,
    ) => Promise<unknown>;
  },
): Endpoint {
  return endpoint as unknown as Endpoint;
}
