import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../../src/ports/runtime.ts';
import type { SourceIo } from '../../../../src/ports/source.ts';
import { type Authority, fixedAuthority } from '../../../../src/sources/kit/http/authority.ts';
import {
  type SourceClient,
  type SourceClientParts,
  withSourceClient,
} from '../../../../src/sources/kit/http/source-client.ts';
import { type MemoryLogger, memoryLogger } from '../../../support/memory-logger.ts';
import { slowly } from '../../../support/slowness.ts';

/** 2026-11-21T12:00:00Z. */
export const noon = Date.UTC(2026, 10, 21, 12);

export interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Respond = (response: ServerResponse, number: number, seen: Seen) => void;

export interface Server {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Sockets that clients hold open. */
  sockets(): Promise<number>;
}

/** A server that answers as the test says. Closed after it. */
export async function serve(respond: Respond): Promise<Server> {
  const seen: Seen[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { url = '', method = '', headers } = incoming;
    const one = { url, method, headers, body: Buffer.concat(chunks).toString('utf8') };
    seen.push(one);
    respond(response, seen.length, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    sockets: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

export function answer(
  response: ServerResponse,
  status: number,
  body = '',
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** A clock that jumps over every sleep, and keeps how long each was. */
export interface JumpingClock extends Clock {
  readonly slept: number[];
}

export function jumpingClock(): JumpingClock {
  let now = noon;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

export interface Bench {
  readonly io: SourceIo & { readonly clock: JumpingClock; readonly logger: MemoryLogger };
  readonly abort: AbortController;
  /** Runs `work` as a read does. */
  run<T>(work: (client: SourceClient) => Promise<T>): Promise<T>;
}

export function openBench(
  url: string,
  more: Partial<SourceClientParts> & { readonly authority?: Authority } = {},
): Bench {
  const abort = new AbortController();
  const io = { clock: jumpingClock(), logger: memoryLogger(), signal: abort.signal, previous: undefined };
  const limits = { requestsPerSecond: 1000, timeout: slowly(2_000), deadline: 900_000 };
  const parts = { origin: new URL(url).origin, authority: fixedAuthority({ authority: 'none' }), limits, io, ...more };
  return {
    io,
    abort,
    async run(work) {
      const read = withSourceClient(parts, async function* (client) {
        yield await work(client);
        return undefined;
      });
      const { value } = await read.next();
      await read.next();
      return value as Awaited<ReturnType<typeof work>>;
    },
  };
}

export const people = (url: string) => ({ name: 'GET /people', url: `${url}/people` });
