import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Alerts } from '../../../src/watch/alerts/open-alerts.ts';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** When it came, by the clock of the machine (epoch ms). */
  readonly at: number;
  json<Shape>(): Shape;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers with these statuses, in order, then with 202. It never answers a message whose status is 0. */
  answer(...statuses: readonly number[]): void;
  /** From now on the body of every answer: a text, or JSON. */
  say(body: object | string): void;
  close(): Promise<void>;
}

/** A real HTTP server that takes messages; closed after the test. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const statuses: number[] = [];
  // What makes a message taken, for every kind of receiver.
  let body = JSON.stringify({ ok: true, status: 'success', dedup_key: 'key', requestId: 'request' });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const message = { path: request.url ?? '', headers: request.headers, text, at: Date.now() };
      received.push({ ...message, json: () => JSON.parse(text) });
      const status = statuses.shift() ?? 202;
      if (status === 0) return;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (...next) => void statuses.push(...next),
    say: (next) => {
      body = typeof next === 'string' ? next : JSON.stringify(next);
    },
    close,
  };
}

/** Alerts that send what they have stored as soon as they have evaluated. */
export function sendingAtOnce(alerts: Alerts): Alerts {
  return {
    ...alerts,
    async evaluate(signal) {
      await alerts.evaluate(signal);
      await alerts.send(signal);
    },
  };
}
