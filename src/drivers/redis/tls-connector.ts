import { type ConnectionOptions, connect } from 'node:tls';
import { AbstractConnector } from 'ioredis';
import { given } from '../../core/run/given.ts';

type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

/** The ioredis options that a connector receives. */
interface Given {
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
export class TlsConnector extends AbstractConnector {
  readonly #given: Given;

  constructor(options: unknown) {
    super((options as Given).disconnectTimeout ?? 2000);
    this.#given = options as Given;
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
