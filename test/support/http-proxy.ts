import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestCertificate } from './services/authority.ts';

/** Listens on the loopback interface and returns the port. The server is closed when the test has ended. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

export interface TestProxy {
  readonly port: number;
  /** Method and target of each request, in order. */
  readonly seen: readonly string[];
}

/** An HTTP proxy of both forms. It sends every host to one port of this machine; with credentials it refuses others (407). */
export async function startProxy(originPort: number, credentials?: string): Promise<TestProxy> {
  const seen: string[] = [];
  const allows = (given: string | undefined) =>
    credentials === undefined || given === `Basic ${Buffer.from(credentials).toString('base64')}`;
  const forward = forwardTo(originPort);
  const server = createHttpServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url}`);
    if (!allows(asked.headers['proxy-authorization'])) return void answer.writeHead(407).end();
    forward(asked, answer);
  });
  server.on('connect', (asked, socket) => {
    seen.push(`CONNECT ${asked.url}`);
    if (!allows(asked.headers['proxy-authorization'])) return void socket.end('HTTP/1.1 407 No\r\n\r\n');
    const origin = connect(originPort, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    origin.on('error', () => socket.destroy());
    socket.on('error', () => origin.destroy());
    socket.on('close', () => origin.destroy());
    origin.pipe(socket).pipe(origin);
  });
  return { port: await listen(server), seen };
}

/** Speaks TLS with the certificate, and sends every request on to a port of this machine as plain HTTP. */
export function listenWithTls({ key, cert }: TestCertificate, originPort: number): Promise<number> {
  return listen(createHttpsServer({ key, cert }, forwardTo(originPort)));
}

type Forward = (asked: IncomingMessage, answer: ServerResponse) => void;

function forwardTo(port: number): Forward {
  return (asked, answer) => {
    const { 'proxy-authorization': _, ...headers } = asked.headers;
    const { pathname, search } = new URL(asked.url ?? '', 'http://origin');
    const sent = request({ port, host: '127.0.0.1', path: `${pathname}${search}`, method: asked.method, headers });
    sent.on('response', (got) => got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers)));
    sent.on('error', () => answer.destroy());
    asked.pipe(sent);
  };
}
