import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Counts what HTTP clients of this process have read from sockets to a port of this machine. Call it inside a test. */
export function bytesOverHttp(port: number): () => number {
  const sockets = new Set<Socket>();
  const connected = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.remotePort === port) sockets.add(socket);
  };
  subscribe('undici:client:connected', connected);
  onTestFinished(() => void unsubscribe('undici:client:connected', connected));
  return () => sumOf(sockets);
}

/** The same for the sockets of any driver. One that was open at no call is not counted. */
export function bytesOverSockets(port: number): () => number {
  const sockets = new Set<Socket>();
  return () => {
    const handles = (process as unknown as { _getActiveHandles(): readonly unknown[] })._getActiveHandles();
    for (const one of handles) if (one instanceof Socket && one.remotePort === port) sockets.add(one);
    return sumOf(sockets);
  };
}

/** How far this process has come in files of a folder, as Linux shows it, the most of all calls. */
export function bytesOfFilesIn(folder: string): () => number {
  let most = 0;
  return () => {
    let sum = 0;
    for (const handle of readdirSync('/proc/self/fd')) sum += placeIn(handle, folder);
    most = Math.max(most, sum);
    return most;
  };
}

/** Waits until a count has stood still for a while: whoever would go on by himself has had the time to. */
export async function whenQuiet(count: () => number): Promise<number> {
  let last = count();
  for (let still = 0; still < 10; still++) {
    await wait(10);
    const now = count();
    if (now !== last) still = 0;
    last = now;
  }
  return last;
}

function sumOf(sockets: ReadonlySet<Socket>): number {
  return [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

function placeIn(handle: string, folder: string): number {
  try {
    if (!readlinkSync(`/proc/self/fd/${handle}`).startsWith(folder)) return 0;
    return Number(/^pos:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
