import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { FaultName } from '../../contracts/source-faults.ts';
import type { TestCertificate } from '../../support/services/authority.ts';

/** One whole answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface FileDoor {
  readonly port: number;
  /** Every request that came, as `GET /path`. */
  readonly asked: readonly string[];
}

/** A web server in front of files: gives what `answer` gives, but plays the fault, once or for good as the fault says. */
export async function openFileDoor(
  answer: (request: IncomingMessage) => Promise<Reply>,
  fault?: FaultName,
  tls?: TestCertificate,
): Promise<FileDoor> {
  const asked: string[] = [];
  let gets = 0;
  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === 'GET') gets += 1;
    void answer(request).then((reply) => {
      if (request.method !== 'GET' || !play(fault, gets, reply, response)) give(reply, request, response);
    });
  };
  return { port: await listen(tls === undefined ? createServer(listener) : createSecureServer(tls, listener)), asked };
}

/** A host that must not be asked: another port is another origin. */
export async function openOtherHost(): Promise<FileDoor> {
  return openFileDoor(async () => ({ status: 200, headers: {}, body: Buffer.from('id,name\n1,Ana\n') }));
}

function give(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(reply.status, { 'content-length': reply.body.length, ...reply.headers });
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

function play(fault: FaultName | undefined, gets: number, reply: Reply, response: ServerResponse): boolean {
  const busy = (status: number, headers: Record<string, string>): boolean => {
    if (gets > 1) return false;
    response.writeHead(status, headers).end();
    return true;
  };
  switch (fault) {
    case 'cut body':
    case 'cut for good':
      if (fault === 'cut body' && gets > 1) return false;
      response.writeHead(reply.status, { 'content-length': reply.body.length, ...reply.headers });
      response.write(reply.body.subarray(0, reply.body.length / 2), () => response.destroy());
      return true;
    case 'server error':
      return busy(502, {});
    case 'web page':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Please log in</html>');
      return true;
    case 'error with 200':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"expired"}');
      return true;
    case 'busy, seconds':
      return busy(429, { 'retry-after': '2' });
    case 'busy, date':
      return busy(429, { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' });
    case 'busy, no word':
      return busy(429, {});
    case 'busy, 503':
      return busy(503, { 'retry-after': '1' });
    case 'token ends':
      return busy(401, {});
    case 'no right':
      response.writeHead(403).end();
      return true;
    default:
      return false;
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return (server.address() as AddressInfo).port;
}
