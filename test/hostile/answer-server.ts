import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** Where an answer ends or goes wrong. */
export const cuts = [
  'none',
  'no-body',
  'before-headers',
  'mid-header',
  'mid-body',
  'after-content-length',
  'chunked-trailer',
  'cut-trailer',
  'rst',
] as const;

/** Content encodings of an answer. `wrong` announces gzip and sends plain text; `unknown` names no known encoding. */
export const encodings = ['identity', 'gzip', 'deflate', 'br', 'zstd', 'unknown', 'wrong', 'twice'] as const;

export const statuses = [101, 200, 201, 204, 205, 206, 301, 304, 400, 401, 404, 429, 500, 503] as const;

const text = Buffer.from(JSON.stringify({ people: Array.from({ length: 40 }, (_, id) => ({ id, name: `P ${id}` })) }));

const packed: Readonly<Record<(typeof encodings)[number], { readonly header?: string; readonly bytes: Buffer }>> = {
  identity: { bytes: text },
  gzip: { header: 'gzip', bytes: gzipSync(text) },
  deflate: { header: 'deflate', bytes: deflateSync(text) },
  br: { header: 'br', bytes: brotliCompressSync(text) },
  zstd: { header: 'zstd', bytes: zstdCompressSync(text) },
  unknown: { header: 'x-pigeon', bytes: text },
  wrong: { header: 'gzip', bytes: text },
  twice: { header: 'gzip, br', bytes: brotliCompressSync(gzipSync(text)) },
};

/** A server on loopback that answers `/STATUS/ENCODING/CUT` byte by byte, without an HTTP library. */
export async function startAnswerServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client may reset the connection at any time.
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = received.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const isWhole = /transfer-encoding: chunked/i.test(head)
        ? received.endsWith('0\r\n\r\n')
        : received.length >= end + 4 + length;
      if (!isWhole) return;
      received = '';
      const [method = '', path = ''] = head.split(' ', 2);
      respond(socket, method, path);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(socket: Socket, method: string, path: string): void {
  const [, status = '200', encoding = 'identity', cut = 'none'] = path.split('/');
  const { header, bytes } = packed[encoding as keyof typeof packed];
  const line = `HTTP/1.1 ${status} Answer\r\ncontent-type: application/json\r\n`;
  const start = header === undefined ? line : `${line}content-encoding: ${header}\r\n`;
  const body = method === 'HEAD' ? Buffer.alloc(0) : bytes;
  const whole = `${start}content-length: ${bytes.length}\r\n\r\n`;
  const half = body.subarray(0, body.length >> 1);
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n')]);
  switch (cut as (typeof cuts)[number]) {
    case 'none':
      socket.write(Buffer.concat([Buffer.from(whole), body]));
      return;
    case 'no-body':
      socket.write(`${start}content-length: 0\r\n\r\n`);
      return;
    case 'before-headers':
      socket.end();
      return;
    case 'mid-header':
      socket.end(start.slice(0, -7));
      return;
    case 'mid-body':
      socket.end(Buffer.concat([Buffer.from(whole), half]));
      return;
    case 'after-content-length':
      socket.write(Buffer.concat([Buffer.from(whole), bytes, Buffer.from('more than was announced')]));
      return;
    case 'chunked-trailer':
      socket.write(
        Buffer.concat([chunked(start), ...(method === 'HEAD' ? [] : [chunk, Buffer.from('x-sum: 1\r\n\r\n')])]),
      );
      return;
    case 'cut-trailer':
      socket.end(Buffer.concat([chunked(start), chunk, Buffer.from('x-su')]));
      return;
    case 'rst':
      socket.write(Buffer.concat([Buffer.from(whole), half]), () => socket.resetAndDestroy());
  }
}

function chunked(start: string): Buffer {
  return Buffer.from(`${start}transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n`);
}
