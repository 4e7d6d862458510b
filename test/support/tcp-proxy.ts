import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
  /** Ends the server's end of every connection, and the client hears nothing of it. Later connections are passed on. */
  vanish(): void;
}

/**
 * A door before a server of 127.0.0.1 that passes bytes on. `watch` hears of every piece that the server sends: the number
 * of the connection and its bytes so far; `cut` there breaks the connection off.
 */
export async function openTcpProxy(
  target: number,
  watch: (connection: number, bytes: number) => 'pass' | 'cut',
  whenOver: (close: () => Promise<void>) => void = onTestFinished,
): Promise<TcpProxy> {
  let connections = 0;
  const sockets = new Set<Socket>();
  let vanish: (() => void)[] = [];
  const server = createServer((near) => {
    connections += 1;
    const number = connections;
    let bytes = 0;
    const far = connect(target, '127.0.0.1');
    let isSilent = false;
    vanish.push(() => {
      isSilent = true;
      near.unpipe(far);
      near.resume();
      far.destroy();
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isSilent) near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (data) => {
      bytes += data.length;
      if (isSilent) return;
      if (watch(number, bytes) === 'cut') near.resetAndDestroy();
      else near.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenOver(
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
    vanish() {
      for (const end of vanish) end();
      vanish = [];
    },
  };
}
