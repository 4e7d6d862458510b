import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Stands between a client and a server of 127.0.0.1, and breaks each connection off once the server has sent so many
 * bytes. Gives the port to connect to. Call it inside a test; it ends with it.
 */
export async function startCuttingProxy(port: number, afterBytes: number): Promise<number> {
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const cut = (): void => {
      client.destroy();
      server.destroy();
    };
    let passed = 0;
    server.on('data', (bytes) => {
      passed += bytes.length;
      if (passed < afterBytes) client.write(bytes);
      else cut();
    });
    client.pipe(server);
    for (const socket of [client, server]) socket.on('error', cut).on('close', cut);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => void proxy.close(() => resolve())));
  return (proxy.address() as AddressInfo).port;
}
