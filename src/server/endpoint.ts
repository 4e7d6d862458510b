import { z } from 'zod';
import type { Caller } from './http/access.ts';
import type { Sight } from './http/admit.ts';
import { type Needs, needsOf } from './needs.ts';
import type { EndpointParts } from './server-parts.ts';

/** One operation of the API with its input and output, for the router and for the OpenAPI document. */
export interface Endpoint {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** For example `/api/runs/{id}`. */
  readonly path: string;
  readonly part: string;
  /** Without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** What the caller needs, a signature over the body, or nothing: see the table of needs. */
  readonly needs: Needs | 'signature' | 'none';
  /** How many requests it counts as in the rate limit. */
  readonly cost?: number;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Header names in lower case. */
  readonly headers: z.ZodObject;
  readonly body: z.ZodType | undefined;
  readonly status: number;
  readonly answer: z.ZodType | undefined;
  /** Additional media types of the answer. */
  readonly otherTypes?: readonly string[];
  /** The answer is a stream of server-sent events whose data are of `answer`. `handle` returns its text, or undefined for 204. */
  readonly isEventStream?: boolean;
  /** Error statuses besides 401, 403, 429 and 500. */
  readonly refusals: readonly number[];
  readonly handle: (
    request: CheckedRequest<unknown, unknown, unknown, unknown>,
    parts: EndpointParts,
  ) => Promise<unknown>;
}

/** A request with validated parts. */
export interface CheckedRequest<Params, Query, Headers, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  readonly caller: Caller;
  /** The signed-in user, if any. Only for an endpoint that needs no role. */
  readonly visitor: Caller | undefined;
  /** What the caller may see of the answer. */
  readonly sight: Sight;
  /** The client's address, behind the trusted proxies. */
  readonly address: string;
  /** For a webhook: what the verified signature is known by. Undefined for a message that only tests the address. */
  readonly signature: string | undefined;
  /** Aborts when the client disconnects, or the server closes. */
  readonly signal: AbortSignal;
  /** Aborts when the client disconnects, or the server begins to close: for answers without an end of their own. */
  readonly ending: AbortSignal;
}

/** An answer that is streamed and is not one JSON value. */
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

/** An answer that sets a cookie. */
export class CookieAnswer {
  readonly body: unknown;
  readonly cookie: string;

  constructor(body: unknown, cookie: string) {
    this.body = body;
    this.cookie = cookie;
  }
}

const nothing = z.object({});
const defaults = {
  method: 'GET',
  params: nothing,
  query: nothing,
  headers: nothing,
  body: undefined,
  status: 200,
  refusals: [],
} as const;

/**
 * Returns what defines the endpoints of one part of the API. It types `handle` by the schemas of the same endpoint, and adds
 * what the caller needs and what the endpoint leaves out: see `defaults`.
 */
export function definerOf(part: string) {
  return <
    Params extends z.ZodObject = typeof nothing,
    Query extends z.ZodObject = typeof nothing,
    Headers extends z.ZodObject = typeof nothing,
    Body extends z.ZodType = z.ZodUndefined,
  >(
    endpoint: Omit<Endpoint, keyof typeof defaults | 'part' | 'handle' | 'needs'> &
      Partial<Pick<Endpoint, 'method' | 'status' | 'refusals'>> & {
        readonly params?: Params;
        readonly query?: Query;
        readonly headers?: Headers;
        readonly body?: Body;
        readonly handle: (
          request: CheckedRequest<z.output<Params>, z.output<Query>, z.output<Headers>, z.output<Body>>,
          parts: EndpointParts,
        ) => Promise<unknown>;
      },
  ): Endpoint => ({ ...defaults, part, ...endpoint, needs: needsOf(endpoint.id) }) as unknown as Endpoint;
}
