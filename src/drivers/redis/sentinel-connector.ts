import { Redis, SentinelConnector } from 'ioredis';
import { TlsConnector } from './tls-connector.ts';

type Given = ConstructorParameters<typeof SentinelConnector>[0];
type Endpoint = { readonly host?: string; readonly port?: number };
type Emitter = Parameters<SentinelConnector['connect']>[0];
type Stream = Awaited<ReturnType<SentinelConnector['connect']>>;

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
export class MasterConnector extends SentinelConnector {
  #lastNodeError: unknown;

  constructor(given: unknown) {
    const options = given as Given;
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
