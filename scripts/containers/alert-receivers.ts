import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedAlert {
  /** The notice's id, the same in every copy. */
  readonly notice: string;
  readonly kind: 'problem' | 'recovery';
  readonly text: string;
}

/** Where notices arrive: a real mail server, or a real web server. */
export interface AlertReceiver {
  readonly url: string;
  readonly received: readonly ReceivedAlert[];
  close(): Promise<void>;
}

/** Takes e-mails on a free port of this machine, from anybody. */
export async function openMailReceiver(): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1]?.trim() ?? '';
        const kind = /recovered/i.test(header('Subject')) ? 'recovery' : 'problem';
        received.push({ notice: header('X-Rollcall-Notice'), kind, text });
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Takes webhooks on a free port of this machine. One whose signature is not right is refused. */
export async function openWebReceiver(secret: string): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const [, at, signature] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(request.headers['x-rollcall-signature'])) ?? [];
      const isSigned = signature === createHmac('sha256', secret).update(`${at}.${text}`).digest('hex');
      if (isSigned) {
        const { kind } = JSON.parse(text) as Pick<ReceivedAlert, 'kind'>;
        received.push({ notice: String(request.headers['x-rollcall-notice']), kind, text });
      }
      response.writeHead(isSigned ? 204 : 403).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/alerts`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
