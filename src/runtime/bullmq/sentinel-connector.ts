import { Redis, SentinelConnector } from 'ioredis';
import { TlsConnector } from './tls-connector.ts';

type Given = ConstructorParameters<typeof SentinelConnector>[0];
type Endpoint = { readonly host?: string; readonly port?: number };
type Emitter = Parameters<SentinelConnector['connect']>[0];
type Stream = Awaited<ReturnType<SentinelConnector['connect']>>;

/** What ioredis keeps private. */
interface Inside {
  connectToSentinel(endpoint: Endpoint, more?: object): Redis;
  resolve(endpoint: Endpoint): Promise<unknown>;
}

/**
 * Asks the Sentinels for the master and connects to it as ioredis does, with two differences. With TLS, errors of sockets
 * are listened to for as long as these live, to the Sentinels as well (`TlsConnector` says why). And when no Sentinel
 * could be asked, the error that is told carries the last one's own, as a cluster's does (`lastNodeError`).
 */
export class MasterConnector extends SentinelConnector {
  #lastNodeError: unknown;

  constructor(given: unknown) {
    const options = given as Given;
    super(options);
    // ioredis has no other way in to how it speaks with Sentinels.
    const inside = this as unknown as Inside;
    const resolve = inside.resolve.bind(this);
    const ours: Inside = {
      connectToSentinel: (endpoint, more = {}) => {
        const sentinel = openSentinel(options, endpoint, more);
        // What it answers to AUTH is told here alone; the question after it fails as one without a password.
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

/** A connection to one Sentinel for one question: it is not tried again. */
function openSentinel(options: Given, { host, port }: Endpoint, more: object): Redis {
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
