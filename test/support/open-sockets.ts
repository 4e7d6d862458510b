import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Counts the client sockets to a port of this machine that this process holds open. Call it inside a test. */
export function watchSockets(port: number): () => number {
  const sockets = new Set<Socket>();
  const connected = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.remotePort === port) sockets.add(socket);
  };
  subscribe('undici:client:connected', connected);
  onTestFinished(() => void unsubscribe('undici:client:connected', connected));
  return () => [...sockets].filter(({ destroyed }) => !destroyed).length;
}
