import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { fullAccess } from '../../core/guard/access.ts';
import { hidingPeople } from '../../views/wire.ts';
import { CookieAnswer, type Endpoint, StreamAnswer } from '../endpoint.ts';
import type { EndpointParts } from '../server-parts.ts';
import { type Caller, callerOfToken } from './access.ts';
import { admit, admitRole, fullSight } from './admit.ts';
import { Refusal } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { backgroundHeader, checkCsrf, csrfHeader } from './sessions.ts';
import { checkSignature } from './webhook-signature.ts';

export interface Gates {
  readonly limit: RateLimit;
  readonly closing: AbortSignal;
  /** Aborts when the server begins to close. Other requests may still finish. */
  readonly ending: AbortSignal;
  /** Records the caller for the log. */
  readonly remember: (request: FastifyRequest, caller: Caller) => void;
}

/** Adds one endpoint to the router. Checks the caller, then the rate, then the request. */
export function routeEndpoint(app: FastifyInstance, endpoint: Endpoint, parts: EndpointParts, gates: Gates): void {
  const { isEventStream = false } = endpoint;
  const hide = hidingPeople(endpoint.answer);
  app.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{([^}]+)\}/g, ':$1'),
    handler: async (request, reply) => {
      const { caller, signature, visitor } = await letIn(endpoint, request, parts);
      gates.remember(request, caller);
      // A message that only tests the address.
      if (endpoint.needs === 'signature' && signature === undefined) return reply.send({});
      // Visitors share no limit, because one of them could then keep all others from signing in.
      if (caller !== nobody) gates.limit.spend(caller.name, endpoint.cost);
      checkCsrf(caller, endpoint.method, headerOf(request, csrfHeader));
      const { needs } = endpoint;
      if (typeof needs !== 'string') admitRole(caller, needs, parts.app);
      const gone = new AbortController();
      const leave = (): void => gone.abort(new Refusal(503, 'GONE', 'the client has disconnected'));
      reply.raw.once('close', leave);
      const signal = AbortSignal.any([gone.signal, gates.closing]);
      const asked = {
        params: read(endpoint.params, request.params, 'path'),
        // A misspelled filter must not return everything.
        query: read(endpoint.query.strict(), request.query, 'query'),
        headers: read(endpoint.headers, request.headers, 'headers'),
        body: endpoint.body === undefined ? undefined : read(endpoint.body, parseBody(request.body), 'body'),
      };
      const sight = typeof needs === 'string' ? fullSight : await admit(caller, needs, asked, parts.app);
      const checked = {
        ...asked,
        caller,
        sight,
        visitor,
        address: request.ip,
        signature,
        signal,
        ending: AbortSignal.any([signal, gates.ending, ...sessionEnd(endpoint, caller, parts, { request, signal })]),
      };
      const result = await endpoint.handle(checked, parts);
      return answer(isEventStream || sight.seesPeople ? result : hide(result), endpoint, reply);
    },
  });
}

/** `visitor`: the signed-in user, if any. */
async function letIn(endpoint: Endpoint, request: FastifyRequest, parts: EndpointParts) {
  const { settings, clock, signIn } = parts;
  try {
    if (endpoint.needs !== 'signature') {
      const caller = await callerOf(endpoint, request, parts);
      return { caller: caller ?? nobody, visitor: caller, signature: undefined };
    }
    const { sync = '' } = request.params as { sync?: string };
    const webhook = settings.webhooks.get(sync);
    if (webhook === undefined) {
      throw new Refusal(404, 'NO_WEBHOOK', 'no webhook is configured under this name: see "server.webhooks"');
    }
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const caller = { name: `webhook:${sync}`, access: fullAccess, groups: [] };
    const isPing = webhook.ping?.test(body.toString()) === true;
    const signed = { sync, body, headers: request.headers };
    const signature = isPing ? undefined : checkSignature(signed, webhook, clock.now());
    return { caller, visitor: undefined, signature };
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'SESSION_EXPIRED') signIn.guessed(request.ip);
    throw error;
  }
}

/** A stream of a session ends within this time after the session. */
const checkedEveryMs = 1000;

function sessionEnd(
  { isEventStream }: Endpoint,
  { session }: Caller,
  { clock, signIn: { cookies } }: EndpointParts,
  { request, signal }: { readonly request: FastifyRequest; readonly signal: AbortSignal },
): readonly AbortSignal[] {
  if (isEventStream !== true || session === undefined) return [];
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(checkedEveryMs, signal);
      // A store that is away ends no session.
      await cookies.find(request.headers.cookie, true).catch((error: unknown) => {
        if (error instanceof Refusal) over.abort(error);
      });
      if (over.signal.aborted) return;
    }
  };
  watch().catch(() => {});
  return [over.signal];
}

/** Who asks an endpoint that needs no role, without a token or session. */
const nobody: Caller = { name: '(visitor)', access: [], groups: [] };

/** A token decides before a cookie. Returns undefined only for an endpoint that needs neither. */
async function callerOf(
  { needs, isEventStream }: Endpoint,
  request: FastifyRequest,
  { signIn }: EndpointParts,
): Promise<Caller | undefined> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) return callerOfToken(authorization, signIn.tokens);
  const isBackground = isEventStream === true || headerOf(request, backgroundHeader) !== undefined;
  const found = await signIn.cookies.find(cookie, isBackground).catch((error: unknown) => {
    // A signed-out user may ask how to sign in.
    if (needs === 'none' && error instanceof Refusal) return undefined;
    throw error;
  });
  return found ?? (needs === 'none' ? undefined : callerOfToken(undefined, signIn.tokens));
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Parses a body from bytes, because the signature covers bytes. */
function parseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal(400, 'BODY_INVALID', 'the body is not JSON in UTF-8');
  }
}

/** Validates a part of the request. Throws 400 with every problem; it names positions, never values. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: false });
  if (result.success) return result.data;
  const faults = result.error.issues.slice(0, 5).map(({ path, message }) => {
    return `${[where, ...path.map(String)].join('.')}: ${message}`;
  });
  throw new Refusal(400, 'REQUEST_INVALID', faults.join('; '));
}

function answer(result: unknown, { status, isEventStream = false }: Endpoint, reply: FastifyReply): unknown {
  reply.code(status);
  if (isEventStream) return sendEvents(result as AsyncIterable<string> | undefined, reply);
  if (result instanceof CookieAnswer) return reply.header('set-cookie', result.cookie).send(result.body);
  if (!(result instanceof StreamAnswer)) return reply.send(result);
  return reply
    .type(result.type)
    .header('content-disposition', `attachment; filename="${result.fileName}"`)
    .send(Readable.from(result.chunks));
}

/** 204 tells a client with all events not to connect again. */
function sendEvents(chunks: AsyncIterable<string> | undefined, reply: FastifyReply): FastifyReply {
  if (chunks === undefined) return reply.code(204).send();
  return (
    reply
      .type('text/event-stream')
      // Proxies that collect an answer before they pass it on would hold the events back.
      .header('x-accel-buffering', 'no')
      // A closing server waits for connections that stay open after their answer.
      .header('connection', 'close')
      .send(Readable.from(chunks))
  );
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Answers other methods of an existing path with 405 and `Allow` (RFC 9110 section 15.5.6), and OPTIONS with `Allow`.
 * Call it before the routes are added, and call the returned function after them.
 */
export function watchMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const taken = known.get(url) ?? new Set();
    for (const name of [method].flat()) taken.add(name);
    known.set(url, taken);
  });
  return () => {
    for (const [url, taken] of [...known]) {
      const allowed = [...taken, 'OPTIONS'].join(', ');
      app.options(url, async (_request, reply) => reply.code(204).header('allow', allowed).send());
      app.route({
        method: methods.filter((name) => !taken.has(name)),
        url,
        handler: async (request, reply) => {
          reply.header('allow', allowed);
          throw new Refusal(
            405,
            'METHOD_NOT_ALLOWED',
            `${request.method} is not allowed for this path; allowed: ${allowed}`,
          );
        },
      });
    }
  };
}
