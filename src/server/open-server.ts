import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { note } from '../app/audit.ts';
import { obstacleTo } from '../core/guard/access.ts';
import { listenFailure } from '../core/run/addresses.ts';
import { RollcallError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { onDemand } from '../core/run/on-demand.ts';
import { endpoints } from './endpoints/index.ts';
import { openEventStreams } from './events.ts';
import { type Caller, callerOfToken, openTokenTable } from './http/access.ts';
import { answerUnknown, plainPolicy, readPage, renderRunbook, sendPage, servePage } from './http/page.ts';
import { problemOf, Refusal } from './http/problem.ts';
import { guessesPerMinute, networkOf, openRateLimit } from './http/rate-limit.ts';
import { type Gates, routeEndpoint, watchMethods } from './http/route-endpoint.ts';
import { openCookieSessions } from './http/sessions.ts';
import { describeApi } from './open-api.ts';
import type { EndpointParts, HealthParts, OpenApiDocument, RunningServer, ServerParts } from './server-parts.ts';
import { openOpenId, openSignInLinks, type SignIn, serveSignIn, serveSignInLinks } from './sign-in.ts';

const largestBodyBytes = 256 * 1024;
/** Time that open requests have to finish when the server closes. */
const finishWithinMs = 5000;
/** Time that a client has to send a whole request. A slower one holds a socket and is cut off with 408. */
const defaultReceiveWithinMs = 10_000;

/** Opens the server and listens. Throws USAGE when it cannot listen on the address. Must be closed. */
export async function openServer(parts: HealthParts | ServerParts): Promise<RunningServer> {
  const { settings, clock } = parts;
  const closing = new AbortController();
  const stopping = new AbortController();
  const listening = { url: '' };
  const signIn = 'app' in parts ? openSignIn(parts) : undefined;
  const tellLink = (): void => {
    if ('app' in parts && signIn?.links !== undefined) parts.onSignInLink?.(`${listening.url}${signIn.links.path()}`);
  };
  const app = buildServer(parts, { closing: closing.signal, ending: stopping.signal }, signIn, tellLink);
  try {
    await app.listen({ host: settings.host, port: settings.port });
  } catch (error) {
    await app.close();
    const { host, port } = settings;
    const isMetrics = settings.serves === 'metrics';
    const otherPort = isMetrics
      ? 'set another "server.metricsPort"'
      : 'set another "server.port", or give one with --port';
    throw listenFailure(error, { host, port, otherPort, otherHost: 'set another "server.host"' }) ?? error;
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  listening.url = `http://${host}:${port}`;
  tellLink();
  return {
    url: listening.url,
    async close() {
      closing.abort(new RollcallError('the server closes', { code: 'CANCELLED' }));
      const enough = new AbortController();
      const hurry = clock.sleep(finishWithinMs, enough.signal).then(
        () => {
          stopping.abort(new Refusal(503, 'CLOSING', 'the server is closing: retry'));
          app.server.closeAllConnections();
        },
        () => {},
      );
      await app.close();
      enough.abort();
      await hurry;
    },
  };
}

function buildServer(
  parts: HealthParts | ServerParts,
  { closing, ending: stopping }: Pick<Gates, 'closing' | 'ending'>,
  signIn: SignIn | undefined,
  tellLink: () => void,
): FastifyInstance {
  const { clock, logger, newId, settings, receiveWithinMs = defaultReceiveWithinMs } = parts;
  const app = fastify({
    http: {
      headersTimeout: receiveWithinMs,
      requestTimeout: receiveWithinMs,
      // Node.js looks for slow connections every 30 seconds by default.
      connectionsCheckingInterval: Math.ceil(receiveWithinMs / 10),
    },
    bodyLimit: largestBodyBytes,
    requestTimeout: receiveWithinMs,
    genReqId: () => newId('request'),
    trustProxy: [...settings.trustedProxies],
    routerOptions: { maxParamLength: 1024 },
    // A load balancer may finish the requests that it has begun. Later connections are refused.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply: FastifyReply) => {
      const problem = problemOf(error, request.id);
      reply.code(problem.status).type('application/problem+json').send(problem);
    },
  });
  const callers = new WeakMap<FastifyRequest, Caller>();
  const startedAt = new WeakMap<FastifyRequest, number>();

  // Bodies are read as bytes: a signature covers bytes, and access is checked before the content.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    startedAt.set(request, clock.now());
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-security-policy': plainPolicy,
    });
  });
  // Closing would otherwise wait for connections that are kept alive.
  app.addHook('onSend', async (_request, reply) => {
    if (closing.aborted) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url;
    if (route !== undefined && healthPaths.has(route)) return;
    const fields = {
      request: request.id,
      method: request.method,
      // The template, because the path itself may contain an identification.
      route: route ?? 'none',
      status: reply.statusCode,
      durationMs: clock.now() - (startedAt.get(request) ?? clock.now()),
      caller: callers.get(request)?.name ?? null,
    };
    logger.info(fields, 'request answered');
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request.id);
    if (problem.code === 'INTERNAL') {
      // The first position in our code. The message of the error may quote the request.
      const [, place = 'no place'] = /^ *(at .+)$/m.exec(error instanceof Error ? (error.stack ?? '') : '') ?? [];
      const fault = error instanceof Error ? `${error.name}: ${place}` : 'unknown';
      logger.error({ request: request.id, route: request.routeOptions.url ?? 'none', fault }, 'request failed');
    }
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="rollcall"');
    if (error instanceof Refusal && error.retryAfterSeconds !== undefined) {
      reply.header('retry-after', error.retryAfterSeconds);
    }
    reply.code(problem.status).type('application/problem+json').send(problem);
  });
  const page = settings.serves === 'everything' && 'app' in parts ? readPage() : undefined;
  app.setNotFoundHandler((request, reply) => {
    if (answerUnknown(page, request, reply)) return;
    const problem = problemOf(new Refusal(404, 'NOT_FOUND', nothingHere[settings.serves]), request.id);
    reply.code(404).type('application/problem+json').send(problem);
  });

  const refuseOtherMethods = watchMethods(app);
  serveHealth(app, parts, closing);
  if (settings.serves === 'everything' && 'app' in parts && signIn !== undefined) {
    const events = openEventStreams(parts);
    serveApi(app, { ...parts, events, signIn }, { closing: stopping, ending: closing }, callers);
    if (signIn.links !== undefined) {
      const { home = '/' } = settings;
      serveSignInLinks(app, { ...signIn, links: signIn.links, home, onTaken: tellLink });
    }
    servePage(app, page);
  }
  refuseOtherMethods();
  return app;
}

function openSignIn(parts: ServerParts): SignIn {
  const { settings, clock, logger } = parts;
  const { sessions } = parts.store;
  const { openId, publicUrl } = settings;
  const link = settings.signInLink === undefined ? undefined : openSignInLinks(settings.signInLink);
  const tokens = openTokenTable(settings.tokens, link?.token);
  // A right token or answer always passes, so that one client cannot use up the limit of others behind its address.
  const guesses = openRateLimit(guessesPerMinute, () => clock.now());
  const guessed = (address: string): void => guesses.spend(networkOf(address));
  return {
    tokens,
    links: link?.links,
    cookies: openCookieSessions({
      ...{ sessions, settings, tokens, clock },
      lost: (action, { name }, how) => note({ action, by: 'configuration', detail: `of ${name}: ${how}` }, parts),
    }),
    openId:
      openId === undefined || publicUrl === undefined
        ? undefined
        : openOpenId({ settings: openId, publicUrl, clock, logger, fetch: parts.fetch ?? fetch }),
    note: (action, { name: by, label }, detail) => note({ action, by, detail, ...given({ label }) }, parts),
    guessed,
    async refused(address, how) {
      guessed(address);
      await note({ action: 'sign-in-failed', by: '(unknown)', detail: `from ${address}, ${how}` }, parts);
    },
  };
}

/** The documents of the server. Each is made when it is first asked for. */
interface Told {
  readonly api: OpenApiDocument;
  readonly docs: string;
  readonly runbook: string;
}

function serveApi(
  app: FastifyInstance,
  parts: EndpointParts,
  signals: Pick<Gates, 'closing' | 'ending'>,
  callers: WeakMap<FastifyRequest, Caller>,
): void {
  const { clock, settings } = parts;
  const limit = openRateLimit(settings.requestsPerMinute, () => clock.now());
  const remember = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller);
  for (const endpoint of endpoints) {
    routeEndpoint(app, endpoint, parts, { limit, remember, ...signals });
  }
  const { openId, cookies, note, refused } = parts.signIn;
  if (openId !== undefined) {
    const isSecure = settings.publicUrl?.startsWith('https:') === true;
    serveSignIn(app, { openId, cookies, isSecure, note, refused, logger: parts.logger });
  }
  const told: Told = onDemand<Told>({
    api: () => describeApi(parts.version),
    docs: () => parts.renderDocs(told.api),
    runbook: renderRunbook,
  });
  app.get('/openapi.json', async () => told.api);
  app.get('/docs', async (_request, reply) => sendPage(told.docs, reply));
  app.get('/runbook', async (_request, reply) => sendPage(told.runbook, reply));
}

const nothingHere = {
  everything: 'this path does not exist: see /docs',
  health: 'this process serves only health and metrics; the API runs in a process with the role server or all',
  metrics: 'this port serves only /metrics: see server.metricsPort',
} as const;

const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/startupz', '/metrics']);

/**
 * Runs the work beside a server. When `outer` aborts, the server stops accepting and finishes its requests; then the work
 * is asked to stop at its next safe point. Returns when both have ended.
 */
export async function workBesideServer(
  server: RunningServer | undefined,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (server === undefined) return work(outer);
  const stopping = new AbortController();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  const stop = (): void => {
    close()
      .catch(() => {})
      .then(() => stopping.abort(outer.reason));
  };
  if (outer.aborted) stop();
  outer.addEventListener('abort', stop, { once: true });
  try {
    await work(stopping.signal);
  } finally {
    outer.removeEventListener('abort', stop);
    await close();
  }
}

/** A worker that has not polled for work for this long is stuck. */
export const stuckAfterMs = 60_000;
/** A dependency that does not answer within this time counts as down. */
const answerWithinMs = 2000;

/**
 * Serves `/healthz`, `/readyz` and `/startupz`, without a token and without personal data, and `/metrics`. `healthz` fails
 * only for what a restart repairs, so not for a store or a platform that is down.
 */
function serveHealth(app: FastifyInstance, parts: HealthParts, closing: AbortSignal): void {
  const { vitals, clock, metrics, settings } = parts;
  if (metrics !== undefined) {
    const admitReader = openReaders(parts);
    app.get('/metrics', async (request, reply) => {
      admitReader(request);
      return reply.type(metrics.contentType).send(await metrics.render());
    });
  }
  if (settings.serves === 'metrics') return;

  app.get('/healthz', async (_request, reply) => {
    const workedAt = vitals.workedAt();
    const silentMs = workedAt === undefined ? 0 : clock.now() - workedAt;
    if (silentMs <= stuckAfterMs || closing.aborted) return answer(reply, true, {});
    const detail = `no poll for work in ${Math.round(silentMs / 1000)} s: the process is stuck and must be restarted`;
    return answer(reply, false, { worker: detail });
  });

  app.get('/readyz', async (_request, reply) => {
    if (closing.aborted) return answer(reply, false, { server: 'it is closing' });
    if (!vitals.isStarted()) return answer(reply, false, { start: 'not finished' });
    const faults = await faultsOf(parts);
    return answer(reply, faults.length === 0, Object.fromEntries(faults));
  });

  app.get('/startupz', async (_request, reply) =>
    vitals.isStarted() ? answer(reply, true, {}) : answer(reply, false, { start: 'not finished' }),
  );
}

/** Opens the check of who reads the metrics: they name every sync, and say how many people wait. */
function openReaders({ settings, clock }: HealthParts): (request: FastifyRequest) => void {
  if (settings.serves === 'metrics' || settings.metrics === 'open') return () => {};
  const tokens = openTokenTable(settings.tokens);
  // A scraper without a token must not keep the users behind its address from signing in.
  const guesses = openRateLimit(guessesPerMinute, () => clock.now());
  const isTold = 'send a token of "server.tokens", set "server.metricsPort", or set "server.metrics: open"';
  return ({ headers, ip }) => {
    try {
      const { access, name } = callerOfToken(headers.authorization, tokens);
      if (obstacleTo(access, { role: 'monitor', people: 'none' }) === undefined) return;
      throw new Refusal(403, 'ROLE', `the metrics are about all syncs, and the role of ${name} is not`);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      guesses.spend(networkOf(ip));
      throw new Refusal(401, error.code, `${isTold}: ${error.message}`);
    }
  };
}

async function faultsOf({ vitals, clock }: HealthParts): Promise<(readonly [string, string])[]> {
  const enough = new AbortController();
  const late = clock.sleep(answerWithinMs, enough.signal).then(
    () => [['store', `no answer within ${answerWithinMs} ms`] as const],
    () => [],
  );
  const asked = vitals
    .needs()
    .then((needs) => needs.flatMap(({ name, fault }) => (fault === undefined ? [] : [[name, fault] as const])));
  try {
    return await Promise.race([asked, late]);
  } finally {
    enough.abort();
  }
}

function answer(reply: FastifyReply, isWell: boolean, faults: Readonly<Record<string, string>>): FastifyReply {
  return reply.code(isWell ? 200 : 503).send({ status: isWell ? 'ok' : 'failed', faults });
}
