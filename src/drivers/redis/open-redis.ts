import { type ConnectionOptions, connect } from 'node:tls';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { given } from '../../core/run/given.ts';
import type { RedisAccess, RedisSettings } from '../../ports/redis.ts';
import type { Clock } from '../../ports/runtime.ts';

export type RedisClient = Redis | Cluster;

/**
 * `worker`: waits for Redis without limit. `producer`: fails within seconds when Redis is not available, so that the
 * caller can do other work.
 */
type RedisPurpose = 'worker' | 'producer' | 'budget';

const longestRetryMs = 1000;
const connectTimeoutMs = 5000;
const keepAliveMs = 10_000;
/**
 * A connection without data for so long after a command is opened again, and the command is repeated: a peer that is gone
 * and says nothing would keep a worker waiting for hours. BullMQ blocks for at most ten seconds.
 */
const socketTimeoutMs = 25_000;
/** Time limit for the answer to a command (ms). Commands of a worker may block and have no limit of their own. */
const commandTimeoutMs = { producer: 3000, budget: 3000 } as const;

/**
 * Opens a connection to Redis in any of its forms. It connects at the first command and reconnects without limit.
 * `onError` is called once per failed attempt. `silentMs`: see `socketTimeoutMs`. Must be closed with `closeRedis`.
 */
export function openRedis(
  settings: RedisSettings,
  purpose: RedisPurpose,
  onError: (error: unknown) => void,
  silentMs = socketTimeoutMs,
): RedisClient {
  const base = { ...baseOptions(settings, purpose), socketTimeout: silentMs };
  const client = settings.kind === 'cluster' ? openCluster(settings, base) : new Redis(nodeOptions(settings, base));
  client.on('error', onError);
  return client;
}

/** Options that return answers in the form that the queue expects, for any protocol. */
type NodeOptions = RedisOptions & { readonly replyMapping: 'legacy' };

function nodeOptions(settings: RedisSettings, base: NodeOptions): NodeOptions {
  const common = { ...base, db: settings.db };
  switch (settings.kind) {
    case 'single':
      return { ...common, host: settings.host, port: settings.port };
    case 'sentinel':
      return {
        ...common,
        sentinels: settings.sentinels.map(({ host, port }) => ({ host, port })),
        name: settings.master,
        ...given({
          sentinelUsername: settings.sentinelUsername,
          sentinelPassword: settings.sentinelPassword?.reveal(),
        }),
        ...(settings.tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: settings.tls }),
        sentinelRetryStrategy: retryDelay,
      };
    case 'cluster':
      return common;
  }
}

function openCluster(settings: Extract<RedisSettings, { kind: 'cluster' }>, redisOptions: NodeOptions): Cluster {
  const options: ClusterOptions & { redisOptions: NodeOptions } = {
    redisOptions,
    clusterRetryStrategy: retryDelay,
    lazyConnect: true,
    // Certificates contain host names, not their addresses.
    ...(settings.tls === undefined ? {} : { dnsLookup: (address, callback) => callback(null, address) }),
  };
  return new Cluster(
    settings.nodes.map(({ host, port }) => ({ host, port })),
    options,
  );
}

function baseOptions({ kind, username, password, tls }: RedisSettings, purpose: RedisPurpose): NodeOptions {
  return {
    replyMapping: 'legacy',
    connectTimeout: connectTimeoutMs,
    keepAlive: keepAliveMs,
    retryStrategy: retryDelay,
    reconnectOnError: isReadOnlyReplica,
    ...given({ username, password: password?.reveal(), tls }),
    ...(kind === 'sentinel' ? { Connector: MasterConnector } : tls === undefined ? {} : { Connector: TlsConnector }),
    lazyConnect: true,
    ...(purpose === 'worker'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 0, commandTimeout: commandTimeoutMs[purpose] }),
  };
}

/** Returns the prefix in the form that keeps all keys in one slot of a cluster, as the queue's scripts require. */
export function keyPrefix({ prefix }: RedisAccess): string {
  return prefix.includes('{') ? prefix : `{${prefix}}`;
}

function retryDelay(times: number): number {
  return Math.min(100 * times, longestRetryMs);
}

/** Reconnects and repeats the command: a former master answers with this error after a failover. */
function isReadOnlyReplica(error: Error): 2 | false {
  return replyCode(error) === 'READONLY' ? 2 : false;
}

/** Returns the code of an error that Redis answered: its first word (RESP specification, "Simple errors"). */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return /^[A-Z]+(?=\s|$)/.exec(error.message)?.[0];
}

/**
 * Returns the answer, or throws an error with the code ETIMEDOUT after `withinMs`. A cluster that is down keeps
 * commands waiting beyond their own timeout.
 */
export async function answerWithin<T>(answer: Promise<T>, withinMs: number, clock: Clock): Promise<T> {
  const answered = new AbortController();
  const late = clock.sleep(withinMs, answered.signal).then(
    () => Promise.reject(Object.assign(new Error(`Redis did not answer within ${withinMs} ms`), { code: 'ETIMEDOUT' })),
    () => answer,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    answered.abort();
    late.catch(() => {});
  }
}

/** Closes a connection at once. Commands that wait for an answer fail. */
export function closeRedis(client: RedisClient): void {
  client.disconnect();
}

const oldest = [6, 2] as const;

/**
 * Returns the problems of a reachable Redis, from its INFO (Redis documentation, "INFO"), as sentences for the
 * operator. Returns none when there is no problem. A setting that INFO does not report counts as correct.
 */
export function troublesOf(info: string): readonly string[] {
  const wordOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const troubles: string[] = [];
  const policy = wordOf('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    troubles.push(
      `Redis evicts jobs when its memory is full (maxmemory-policy ${policy}), and runs wait until the missing jobs are detected: set maxmemory-policy noeviction`,
    );
  // Compatible servers with another name count their versions differently.
  const version = wordOf('valkey_version') === undefined ? wordOf('redis_version') : undefined;
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  if (version !== undefined && (major < oldest[0] || (major === oldest[0] && minor < oldest[1])))
    troubles.push(`Redis ${version} is too old: use ${oldest.join('.')} or newer`);
  return troubles;
}

type SentinelGiven = ConstructorParameters<typeof SentinelConnector>[0];
type Endpoint = { readonly host?: string; readonly port?: number };
type Emitter = Parameters<SentinelConnector['connect']>[0];

/** Private members of ioredis. */
interface Inside {
  connectToSentinel(endpoint: Endpoint, more?: object): Redis;
  resolve(endpoint: Endpoint): Promise<unknown>;
}

/**
 * Asks the Sentinels for the master and connects to it as ioredis does, with two differences. With TLS, it handles
 * socket errors for as long as the sockets live, also those to the Sentinels (`TlsConnector` gives the reason). When no
 * Sentinel answers, the error carries the last Sentinel's own error, as a cluster's does (`lastNodeError`).
 */
class MasterConnector extends SentinelConnector {
  #lastNodeError: unknown;

  constructor(settings: unknown) {
    const options = settings as SentinelGiven;
    super(options);
    // ioredis offers no other way to configure its connections to Sentinels.
    const inside = this as unknown as Inside;
    const resolve = inside.resolve.bind(this);
    const ours: Inside = {
      connectToSentinel: (endpoint, more = {}) => {
        const sentinel = openSentinel(options, endpoint, more);
        // The answer to AUTH is reported only here. The next command fails as if no password was sent.
        sentinel.on('error', (error) => {
          this.#lastNodeError ??= error;
        });
        return sentinel;
      },
      resolve: async (endpoint) => {
        this.#lastNodeError = undefined;
        try {
          return await resolve(endpoint);
        } catch (error) {
          this.#lastNodeError ??= error;
          throw error;
        }
      },
    };
    Object.assign(this, ours);
  }

  override async connect(emit: Emitter): Promise<Stream> {
    const stream = await super.connect((type, error) => {
      emit(type, type === 'error' ? Object.assign(error, { lastNodeError: this.#lastNodeError ?? error }) : error);
    });
    stream.on('error', (error) => {
      this.firstError ??= error;
    });
    return stream;
  }
}

/** Opens a connection to one Sentinel for one query, without retries. */
function openSentinel(options: SentinelGiven, { host, port }: Endpoint, more: object): Redis {
  const { sentinelUsername, sentinelPassword, sentinelTLS, connectTimeout, sentinelCommandTimeout } = options;
  return new Redis({
    ...(host === undefined ? {} : { host }),
    port: port ?? 26_379,
    ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(sentinelTLS === undefined ? {} : { tls: sentinelTLS, Connector: TlsConnector }),
    ...(connectTimeout === undefined ? {} : { connectTimeout }),
    ...(sentinelCommandTimeout === undefined ? {} : { commandTimeout: sentinelCommandTimeout }),
    retryStrategy: () => null,
    enableReadyCheck: false,
    replyMapping: 'legacy',
    ...more,
  });
}

type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

/** The ioredis options that a connector receives. */
interface TlsGiven {
  readonly disconnectTimeout?: number;
  readonly host?: string;
  readonly port?: number;
  readonly family?: number;
  readonly tls?: ConnectionOptions;
}

/**
 * Opens TLS connections as ioredis does, with one difference: it handles socket errors for as long as the socket lives.
 * ioredis handles one error only, and a handshake may fail twice: a certificate that we refuse, then the server's
 * alert. An unhandled error would end the process.
 */
class TlsConnector extends AbstractConnector {
  readonly #given: TlsGiven;

  constructor(options: unknown) {
    super((options as TlsGiven).disconnectTimeout ?? 2000);
    this.#given = options as TlsGiven;
  }

  connect(): Promise<Stream> {
    const { host, port, family, tls } = this.#given;
    this.connecting = true;
    return new Promise((resolve, reject) => {
      process.nextTick(() => {
        // ioredis recognizes this message.
        if (!this.connecting) return reject(new Error('Connection is closed.'));
        const stream = connect({ ...given({ host, port, family }), ...tls } as ConnectionOptions);
        stream.on('error', (error) => {
          this.firstError ??= error;
        });
        this.stream = stream;
        resolve(stream);
      });
    });
  }
}
