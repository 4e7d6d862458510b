import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { Sentinels } from './sentinels.ts';

/** Replaces the answer to some calls. */
export interface Spoiling {
  readonly matches: (method: string, path: string) => boolean;
  readonly answer: (request: string, response: ServerResponse) => void;
}

export interface HostileServer {
  readonly url: string;
  /** How many calls have got another answer so far. */
  struck(): number;
  /** From now on these calls get another answer; every other one goes to the server behind. */
  spoil(spoiling: Spoiling | undefined): void;
  close(): Promise<void>;
}

/** Stands before a real server, or before none, and answers with what repeats all that was sent to it. */
export async function openHostileServer(behind?: string): Promise<HostileServer> {
  let now: Spoiling | undefined;
  let struck = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = 'GET', url = '/' } = request;
      if (now?.matches(method, url) === true) {
        struck += 1;
        now.answer(body.toString('utf8'), response);
      } else if (behind === undefined) response.writeHead(404).end();
      else void pass(behind, request, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    struck: () => struck,
    spoil: (spoiling) => {
      now = spoiling;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function pass(behind: string, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
  const hasBody = body.length > 0;
  const answer = await fetch(`${behind}${url}`, {
    method,
    headers: rest as Record<string, string>,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(bytes);
}

/** An error that fills every field a client may read, and repeats the request. */
export function hostileError(status: number, sentinels: Sentinels): Spoiling['answer'] {
  const said = (where: string) => sentinels.said(`${status} ${where}`);
  return (request, response) => {
    const error = { code: said('error.code'), message: { value: said('error.message') }, innererror: said('inner') };
    const body = {
      title: said('title'),
      detail: `${said('detail')} ${request}`,
      message: said('message'),
      details: said('details'),
      type: `uri=/${said('type')}`,
      error: status % 2 === 0 ? said('error') : error,
      error_description: said('error_description'),
      scimType: said('scimType'),
      code: said('code'),
      errors: [{ path: said('path'), value: request }],
    };
    response
      .writeHead(status, {
        'content-type': `application/problem+json; charset=${said('charset')}`,
        'x-request-id': said('header'),
        'retry-after': '0',
        'www-authenticate': `Bearer realm="${said('realm')}"`,
        ...(status >= 300 && status < 400 ? { location: `http://${said('host')}.invalid/${said('location')}` } : {}),
      })
      .end(JSON.stringify(body));
  };
}

/** Successes that cannot be used: a page, another type, cut JSON, another shape with odd keys. */
export function hostileSuccesses(sentinels: Sentinels): readonly Spoiling['answer'][] {
  const said = (where: string) => sentinels.said(`200 ${where}`);
  const send = (type: string, body: () => string): Spoiling['answer'] => {
    return (_request, response) => void response.writeHead(200, { 'content-type': type }).end(body());
  };
  return [
    send('text/html', () => `<title>${said('page')}</title>`),
    send(`text/${said('content type')}`, () => said('body')),
    send('application/json', () => `{"result":{"id":"${said('cut')}`),
    send('application/json', () =>
      JSON.stringify({ [said('key')]: said('value'), result: [{ [said('row key')]: 1 }] }),
    ),
    send('application/json', () =>
      JSON.stringify({ result: { id: { [said('id')]: said('id value') } }, page: said('page') }),
    ),
  ];
}

/** A TCP server that greets with text, as a server of another protocol does. */
export async function openGreeter(greeting: string): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.end(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
