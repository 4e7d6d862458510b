import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeLater } from './closing.ts';

/** One request as it arrived, body included. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

export interface LocalServer {
  readonly url: string;
  /** Everything that arrived, in order. */
  readonly seen: readonly SeenRequest[];
}

/** Answers one request; `index` counts from 0. */
export type Responder = (request: SeenRequest, response: ServerResponse, index: number) => void;

/** A real HTTP server on 127.0.0.1, closed with its sockets when the test ends. */
export async function startLocalServer(respond: Responder): Promise<LocalServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request: SeenRequest = {
        method: message.method ?? '',
        url: message.url ?? '',
        headers: message.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at: performance.now(),
      };
      seen.push(request);
      respond(request, response, seen.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** The query of a request. */
export function queryOf(request: SeenRequest): URLSearchParams {
  return new URL(request.url, 'http://127.0.0.1').searchParams;
}
