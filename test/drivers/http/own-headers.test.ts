import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDeadline } from '../../../src/drivers/http/deadline.ts';
import { type Exchange, openTransport, readBytes } from '../../../src/drivers/http/transport.ts';
import type { Egress } from '../../../src/ports/runtime.ts';
import { postJson } from '../../../src/watch/alerts/channels/post-json.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** A server that keeps the headers of what it was asked, also as a proxy. */
async function openListener(): Promise<{ readonly url: string; readonly seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

type Sent = Omit<Exchange, 'url'>;

async function send(sent: Sent, url: string, egress?: Egress): Promise<void> {
  const transport = openTransport({ concurrency: 1, timeoutMs: 5000 }, { egress });
  const deadline = startDeadline(new AbortController().signal, 4000);
  try {
    await readBytes(await transport.send({ ...sent, url }, deadline));
  } finally {
    deadline.dispose();
    await transport.close();
  }
}

const chunk = Buffer.from('id\n');
const kinds: Readonly<Record<string, Sent>> = {
  'a read': { method: 'GET', headers: {}, body: undefined },
  'a small write': {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', value: {} },
  },
  'a file': {
    method: 'POST',
    headers: {},
    body: {
      kind: 'stream',
      stream: {
        contentType: 'text/csv',
        contentLength: chunk.length,
        open: async function* () {
          yield chunk;
        },
      },
    },
  },
};

describe.each(Object.entries(kinds))('%s', (_, sent) => {
  it('names Rollcall and its version, and sends nothing that only a browser has reason to send', async () => {
    const server = await openListener();
    await send(sent, server.url);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ 'user-agent': `rollcall/${version}`, ...sent.headers });
    expect(
      Object.keys(server.seen[0] ?? {}).filter((name) => /^sec-|^accept-language$|^origin$|^referer$/.test(name)),
    ).toEqual([]);
  });

  it('does so through a proxy', async () => {
    const proxy = await openListener();
    await send(sent, 'http://platform.example/users', { proxyFor: () => proxy.url });
    expect(proxy.seen[0]).toMatchObject({ host: 'platform.example', 'user-agent': `rollcall/${version}` });
  });

  it('keeps the name that the configuration gives it', async () => {
    const server = await openListener();
    await send({ ...sent, headers: { ...sent.headers, 'User-Agent': 'acme-hr' } }, server.url);
    expect(server.seen[0]?.['user-agent']).toBe('acme-hr');
  });
});

it('a notice names Rollcall and its version', async () => {
  const server = await openListener();
  const settings = {
    kind: 'webhook',
    name: 'w',
    url: { reveal: () => server.url },
    afterMs: 0,
    remindMs: undefined,
  } as const;
  await postJson(settings, { url: server.url, body: '{}', signal: AbortSignal.timeout(4000), egress: undefined });
  expect(server.seen[0]?.['user-agent']).toBe(`rollcall/${version}`);
});
