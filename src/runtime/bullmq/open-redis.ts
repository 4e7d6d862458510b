import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { Clock } from '../../ports/runtime.ts';
import type { RedisSettings } from './redis-settings.ts';
import { MasterConnector } from './sentinel-connector.ts';
import { TlsConnector } from './tls-connector.ts';

export type RedisClient = Redis | Cluster;

/**
 * `worker`: waits for Redis as long as it takes. `producer`: fails within seconds when Redis is away, so that whoever
 * asked can do something else. */
export type RedisPurpose = 'worker' | 'producer' | 'budget';

const longestRetryMs = 1000;
const connectTimeoutMs = 5000;
const keepAliveMs = 10_000;
/** A command without an answer for this long has failed; a worker's commands may block and have no limit. */
const commandTimeoutMs = { producer: 3000, budget: 3000 } as const;

/**
 * A connection to Redis in any of its forms. It reconnects by itself for ever; every error is told to `onError`, once
 * per failed try. Connects at the first command. Must be closed with `closeRedis`.
 */
export function openRedis(
  settings: RedisSettings,
  purpose: RedisPurpose,
  onError: (error: unknown) => void,
): RedisClient {
  const client =
    settings.kind === 'cluster' ? openCluster(settings, purpose) : new Redis(nodeOptions(settings, purpose));
  client.on('error', onError);
  return client;
}

/** Answers in the shapes that the queue knows, whatever the protocol. */
type NodeOptions = RedisOptions & { readonly replyMapping: 'legacy' };

function nodeOptions(settings: RedisSettings, purpose: RedisPurpose): NodeOptions {
  const common = { ...baseOptions(settings, purpose), db: settings.db };
  switch (settings.kind) {
    case 'single':
      return { ...common, host: settings.host, port: settings.port };
    case 'sentinel':
      return {
        ...common,
        sentinels: settings.sentinels.map(({ host, port }) => ({ host, port })),
        name: settings.master,
        ...(settings.sentinelUsername === undefined ? {} : { sentinelUsername: settings.sentinelUsername }),
        ...(settings.sentinelPassword === undefined ? {} : { sentinelPassword: settings.sentinelPassword }),
        ...(settings.tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: settings.tls }),
        sentinelRetryStrategy: retryDelay,
      };
    case 'cluster':
      return common;
  }
}

function openCluster(settings: Extract<RedisSettings, { kind: 'cluster' }>, purpose: RedisPurpose): Cluster {
  const options: ClusterOptions & { redisOptions: NodeOptions } = {
    redisOptions: baseOptions(settings, purpose),
    clusterRetryStrategy: retryDelay,
    lazyConnect: true,
    // Certificates name hosts, not the addresses behind them.
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
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
    ...(kind === 'sentinel' ? { Connector: MasterConnector } : tls === undefined ? {} : { Connector: TlsConnector }),
    lazyConnect: true,
    ...(purpose === 'worker'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 0, commandTimeout: commandTimeoutMs[purpose] }),
  };
}

function retryDelay(times: number): number {
  return Math.min(100 * times, longestRetryMs);
}

/** A former master answers so after a failover: connect anew and send the command again. */
function isReadOnlyReplica(error: Error): 2 | false {
  return replyCode(error) === 'READONLY' ? 2 : false;
}

/** The first word of an error that Redis answered is its code (RESP specification, "Simple errors"). */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return /^[A-Z]+(?=\s|$)/.exec(error.message)?.[0];
}

/**
 * The answer, or an error with the code ETIMEDOUT when it takes longer: a cluster that is down keeps commands waiting
 * whatever their timeout.
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

/** Ends a connection at once; commands that wait for an answer fail. */
export function closeRedis(client: RedisClient): void {
  client.disconnect();
}
