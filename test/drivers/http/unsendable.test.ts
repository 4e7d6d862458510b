import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDeadline } from '../../../src/drivers/http/deadline.ts';
import { headerTextProblem } from '../../../src/drivers/http/header-text.ts';
import type { OperationBody } from '../../../src/drivers/http/message.ts';
import { openTransport, readBytes, type Transport } from '../../../src/drivers/http/transport.ts';

const concurrency = 2;

async function serve(): Promise<{ readonly url: string; readonly transport: Transport }> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = openTransport({ concurrency, timeoutMs: 5000 });
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/users`, transport };
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OperationBody | undefined;
}

const plain: Sent = { method: 'GET', headers: {}, body: undefined };
const json: OperationBody = { kind: 'json', value: {} };
const stream: OperationBody = {
  kind: 'stream',
  stream: { contentType: 'text/plain', contentLength: Number.NaN, open: async function* () {} },
};

async function send({ url, transport }: { readonly url: string; readonly transport: Transport }, sent: Sent) {
  const deadline = startDeadline(new AbortController().signal, 4000);
  try {
    const answer = await transport.send({ ...sent, url }, deadline);
    await readBytes(answer);
    return answer.status;
  } finally {
    deadline.dispose();
  }
}

describe('a request that cannot be sent', () => {
  it.each<[string, Sent]>([
    ['a line feed in a value', { ...plain, headers: { authorization: 'Bearer a\nb' } }],
    ['a character outside Latin-1', { ...plain, headers: { authorization: 'Bearer €' } }],
    ['a space in a name', { ...plain, headers: { 'x y': 'a' } }],
    ['a header that the client owns', { ...plain, headers: { 'transfer-encoding': 'chunked' } }],
    ['a header that the client does not support', { ...plain, headers: { expect: '100-continue' } }],
    ['a length that is no number', { ...plain, method: 'POST', body: stream }],
    ['a line feed in a small write', { method: 'POST', headers: { authorization: 'a\nb' }, body: json }],
  ])('leaves its place in the pool to others: %s', async (_, sent) => {
    const at = await serve();
    for (let i = 0; i < 3 * concurrency; i++) await expect(send(at, sent)).rejects.toThrow();
    const many = Array.from({ length: 3 * concurrency }, () => send(at, plain));
    expect(await Promise.all(many)).toEqual(many.map(() => 200));
  });

  it('names the header and the character, and never the value', async () => {
    const at = await serve();
    const sending = send(at, { ...plain, headers: { Authorization: 'Bearer geheim\r\n' } });
    await expect(sending).rejects.toThrow(
      'the header authorization contains a carriage return (U+000D) at position 14',
    );
    await expect(sending).rejects.not.toThrow('geheim');
  });
});

describe('a secret for a header', () => {
  it.each([
    ['abc.DEF-123_~+/=', undefined],
    ['with space', undefined],
    ['a\0b', 'a NUL (U+0000) at position 2'],
    ['a\u0007', 'a control character (U+0007) at position 2'],
    ['a\u007f', 'a delete character (U+007F) at position 2'],
    ['añb', 'a character outside ASCII (U+00F1) at position 2'],
    ['a😀', 'a character outside ASCII (U+1F600) at position 2'],
    [' a', 'white space at its beginning or end'],
  ])('%j', (text, problem) => {
    expect(headerTextProblem(text)).toBe(problem);
  });
});
