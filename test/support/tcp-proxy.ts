import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
}

/**
 * A door before a server of 127.0.0.1 that passes bytes on. `watch` hears of every piece that the server sends: the number
 * of the connection and its bytes so far; `cut` there breaks the connection off.
 */
export async function openTcpProxy(
  target: number,
  watch: (connection: number, bytes: number) => 'pass' | 'cut',
): Promise<TcpProxy> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    connections += 1;
    const number = connections;
    let bytes = 0;
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (data) => {
      bytes += data.length;
      if (watch(number, bytes) === 'cut') near.resetAndDestroy();
      else near.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
  };
}
