import { isIPv6, type Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, Client, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Egress } from '../../ports/runtime.ts';
import { RequestInvalid } from './header-text.ts';
import { ProxyFailure } from './network-failure.ts';
import { readVersion } from './version.ts';

/** TLS settings as PEM texts, for servers that the system's certificate authorities do not cover. */
export interface TlsOptions {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
}

export interface DispatcherOptions {
  readonly connections: number;
  readonly connectTimeout: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  readonly maxResponseSize?: number;
}

/** Pools of sockets: one for direct requests, and one per proxy. Every request names Rollcall as its `user-agent`. */
export function openDispatchers(options: DispatcherOptions, egress?: Egress, tls?: TlsOptions) {
  let direct: Agent | undefined;
  let isClosed = false;
  const proxied = new Map<string, ProxyAgent>();
  return {
    /** Returns the pool for an address, and the host and port of its proxy. */
    to(url: string) {
      // A pool that is opened after the end would never be closed.
      if (isClosed) throw new RequestInvalid('the connection is closed');
      const address = egress?.proxyFor(new URL(url));
      if (address === undefined) {
        direct ??= openAgent({ ...options, ...(tls === undefined ? {} : { connect: tls }) });
        return { dispatcher: direct.compose(withOwnHeaders), proxy: undefined };
      }
      const agent = proxied.get(address) ?? openProxy(address, options, tls);
      proxied.set(address, agent);
      return { dispatcher: agent.compose(withOwnHeaders), proxy: new URL(address).host };
    },
    async destroy() {
      isClosed = true;
      await Promise.all([direct?.destroy(), ...[...proxied.values()].map((agent) => agent.destroy())]);
    },
  };
}

/** Tunnels https (CONNECT) and sends http in absolute form. The proxy sees the credentials of an http request. */
function openProxy(address: string, options: DispatcherOptions, tls: TlsOptions | undefined): ProxyAgent {
  const place = new URL(address);
  const token = loginOf(place);
  const timeout = options.connectTimeout;
  return new ProxyAgent({
    ...options,
    uri: place.origin,
    proxyTunnel: false,
    requestTls: { timeout, ...tls },
    // A proxy that inspects TLS and the servers behind it often share an authority.
    proxyTls: { timeout, ...(tls?.ca === undefined ? {} : { ca: [...getCACertificates('default'), tls.ca] }) },
    ...(token === undefined ? {} : { token }),
  });
}

/** Returns what `proxy-authorization` says, if the address of the proxy has a user. */
function loginOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
}

/**
 * Opens a pool of sockets per server, in which a request that undici refuses to send leaves its place free. Without
 * this, undici takes the refusal for a busy connection that will report itself free. After as many refusals as there
 * are connections, every later request waits forever.
 */
function openAgent(options: Agent.Options): Agent {
  return new Agent({
    ...options,
    factory: (origin, pool: Pool.Options) =>
      new Pool(origin, { ...pool, factory: (...by) => new RefusingClient(...by) }),
  });
}

class RefusingClient extends Client {
  override dispatch(...args: Parameters<Client['dispatch']>): boolean {
    const before = this.stats.size;
    // False means busy, except when nothing was added to the queue: then the request was refused.
    return super.dispatch(...args) || this.stats.size <= before;
  }
}

/** How Rollcall names itself to every server (RFC 9110, section 10.1.5). */
const userAgent = `rollcall/${readVersion()}`;

type Headers = Dispatcher.DispatchOptions['headers'];

/** What fetch adds where the request says nothing, because it is made for browsers. */
const ofFetch: Readonly<Record<string, readonly string[]>> = {
  'user-agent': ['node', 'undici'],
  'accept-language': ['*'],
  'sec-fetch-mode': ['cors'],
};

/** Adds `user-agent`, unless the request brings its own, and leaves out what fetch adds for browsers. */
const withOwnHeaders: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, headers: ownHeaders(options.headers) }, handler);

function ownHeaders(headers: Headers): Record<string, string | string[]> {
  const own: Record<string, string | string[]> = { 'user-agent': userAgent };
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase();
    if (value !== undefined && ofFetch[key]?.includes(String(value)) !== true) own[key] = value;
  }
  return own;
}

function* entriesOf(headers: Headers): Generator<[string, string | string[] | undefined]> {
  if (headers === null || headers === undefined) return;
  // undici's own form: name, value, name, value.
  if (Array.isArray(headers)) for (let i = 0; i + 1 < headers.length; i += 2) yield [headers[i] ?? '', headers[i + 1]];
  else if (Symbol.iterator in headers) yield* headers as Iterable<[string, string | string[] | undefined]>;
  else yield* Object.entries(headers);
}

/** How to reach a server through a proxy. */
interface Tunnel {
  /** Address of an HTTP proxy; may hold a user and a password. */
  readonly proxy: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a connection to a server through an HTTP proxy (CONNECT, RFC 9110, 9.3.6), for protocols other than HTTP. Throws
 * ProxyFailure, with the status when the proxy refuses. An abort closes the socket until the tunnel is open.
 */
export function openTunnel({ proxy, host, port }: Tunnel, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const place = new URL(proxy);
  const { protocol, hostname, port: proxyPort, host: shown } = place;
  const login = loginOf(place);
  const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const isTls = protocol === 'https:';
  // An import of these would load the fetch of Node.js too.
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const asked = request({
    method: 'CONNECT',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: proxyPort === '' ? (isTls ? 443 : 80) : Number(proxyPort),
    path: target,
    headers: {
      host: target,
      ...(login === undefined ? {} : { 'proxy-authorization': login }),
    },
    agent: false,
    timeout: timeoutMs,
    signal,
  });
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(signal.aborted ? signal.reason : new ProxyFailure(shown, cause));
    asked.once('timeout', () => {
      asked.destroy(Object.assign(new Error('no answer in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
    });
    asked.once('error', fail);
    // Only a proxy that does not know CONNECT answers it like any other request.
    const refuse = (status = 502): void => reject(new ProxyFailure(shown, undefined, status));
    asked.once('response', (answer) => {
      answer.destroy();
      refuse(answer.statusCode);
    });
    asked.once('connect', (answer, socket: Socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        refuse(answer.statusCode);
        return;
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
