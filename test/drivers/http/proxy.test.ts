import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { startDeadline } from '../../../src/drivers/http/deadline.ts';
import { openTunnel } from '../../../src/drivers/http/dispatcher.ts';
import { egressWith, environmentEgress } from '../../../src/drivers/http/egress.ts';
import { describeNetworkFailure } from '../../../src/drivers/http/network-failure.ts';
import { openTransport, readBytes } from '../../../src/drivers/http/transport.ts';
import { listen, startProxy } from '../../support/http-proxy.ts';

async function get(url: string, proxy: string): Promise<string> {
  const egress = egressWith(proxy, undefined);
  const transport = openTransport({ concurrency: 1, timeoutMs: 5_000 }, { egress });
  const deadline = startDeadline(new AbortController().signal, 5_000);
  try {
    const answer = await transport.send({ method: 'GET', url, headers: {}, body: undefined }, deadline);
    return Buffer.from(await readBytes(answer)).toString();
  } catch (error) {
    return describeNetworkFailure(error).text;
  } finally {
    deadline.dispose();
    await transport.close();
  }
}

test('an http address goes through the proxy in absolute form, with its user and password', async () => {
  const origin = await listen(createServer((_, answer) => answer.end('people')));
  const { port, seen } = await startProxy(origin, 'ana:se cret');
  expect(await get('http://hr.example.com/people', `http://ana:se%20cret@127.0.0.1:${port}`)).toBe('people');
  expect(seen).toEqual(['GET http://hr.example.com/people']);
  const refused = await get('http://hr.example.com/people', `http://ana:wrong-word@127.0.0.1:${port}`);
  expect(refused).toContain(`the proxy 127.0.0.1:${port} refused to connect (407)`);
  expect(refused).not.toContain('wrong-word');
});

test('an https address asks the proxy for a tunnel, and a refusal names the proxy', async () => {
  const { port, seen } = await startProxy(1, 'ana:secret');
  const text = await get('https://hr.example.com/people', `http://ana:wrong-word@127.0.0.1:${port}`);
  expect(seen).toEqual(['CONNECT hr.example.com:443']);
  expect(text).toContain(`the proxy 127.0.0.1:${port} refused to connect (407)`);
  expect(text).not.toContain('wrong-word');
});

test('a proxy that is down is named', async () => {
  expect(await get('https://hr.example.com/', 'http://ana:secret@127.0.0.1:9')).toMatch(
    /^the proxy 127\.0\.0\.1:9 cannot be reached: the connection was refused/,
  );
});

test.each([
  ['refuses', 'HTTP/1.1 403 No\r\n\r\n', 'refused to connect (403)'],
  ['hangs up', '', '(through the proxy 127.0.0.1:'],
  ['speaks another protocol', 'SSH-2.0-x\r\n', 'the answer is not valid HTTP'],
])('a tunnel through a proxy that %s fails, and names the proxy', async (_, answer, words) => {
  const asked: string[] = [];
  const server = createServer();
  server.on('connect', ({ url }, socket) => {
    asked.push(`${url}`);
    socket.end(answer);
  });
  const port = await listen(server);
  const { signal } = new AbortController();
  const tunnel = openTunnel({ proxy: `http://ana:secret@127.0.0.1:${port}`, host: '::1', port: 22 }, 5_000, signal);

  const { text } = describeNetworkFailure(await tunnel.catch((error: unknown) => error));

  expect(asked).toEqual(['[::1]:22']);
  expect(text).toContain(`the proxy 127.0.0.1:${port}`);
  expect(text).toContain(words);
  expect(text).not.toContain('secret');
});

test.each([
  ['https://hr.example.com/', 'http://s:3'],
  ['http://hr.example.com/', 'http://h:3'],
  ['https://inside.example.org/', undefined],
  ['https://example.org/', undefined],
  ['https://notexample.org/', 'http://s:3'],
  ['https://10.1.2.3/', undefined],
  ['https://11.1.2.3/', 'http://s:3'],
  ['https://ported.example.net:8443/', undefined],
  ['https://ported.example.net/', 'http://s:3'],
  ['http://127.0.0.1:1/', undefined],
  ['http://[::1]:1/', undefined],
  ['sftp://hr.example.com:2222', 'http://s:3'],
  ['sftp://10.1.2.3', undefined],
  ['smtps://mail.example.com', 'http://s:3'],
  ['smtp://mail.example.net:587', undefined],
  ['smtp://mail.example.net', undefined],
  ['smtp://mail.example.net:25', 'http://s:3'],
])('of the environment %s goes through %s', (url, proxy) => {
  const NO_PROXY = '.example.org, 10.0.0.0/8 ported.example.net:8443 mail.example.net:587';
  const egress = environmentEgress({ HTTP_PROXY: 'h:3', HTTPS_PROXY: 'http://s:3', NO_PROXY });
  expect(egress.proxyFor(new URL(url))).toBe(proxy);
});
