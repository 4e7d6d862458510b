import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckLine } from '../../src/app/app-io.ts';
import type { SourceTrial } from '../../src/app/try-source.ts';
import { startVendor } from '../fakes/hris/vendor-server.ts';
import { openTestShell } from './test-shell.ts';

/** An HR system whose refresh tokens are good once: R1 gives A1 and R2, R2 gives A2 and R3. */
async function startRotating() {
  const presented: string[] = [];
  const people = [{ id: '1', first: 'Ana', last: 'Paz', status: 'active' }];
  const vendor = await startVendor({
    isData: ({ url }) => url.pathname === '/people',
    answer({ url, headers, body }) {
      if (url.pathname === '/people') {
        const isKnown = headers.authorization === `Bearer A${presented.length}`;
        return isKnown
          ? { status: 200, body: JSON.stringify({ data: people, total: 1 }) }
          : { status: 401, body: '{}' };
      }
      const token = new URLSearchParams(body).get('refresh_token') ?? '';
      presented.push(token);
      const count = presented.length;
      if (token !== `R${count}`) return { status: 400, body: '{"error":"invalid_grant"}' };
      const pair = { access_token: `A${count}`, refresh_token: `R${count + 1}`, expires_in: 3600 };
      return { status: 200, body: JSON.stringify(pair) };
    },
  });
  return { url: vendor.url, presented };
}

const key = Buffer.alloc(32, 7).toString('base64');

test('source try presents a rotating token only when it must, says so, and keeps what came', async () => {
  const { url, presented } = await startRotating();
  const shell = await openTestShell({ ROLLCALL_ACCESS_TOKEN: 'x', ROLLCALL_KEY: key });
  await shell.run(['init', '--source', 'rest']);
  const path = join(shell.folder, 'rollcall.yaml');
  const grant = `{ kind: refresh-token, tokenUrl: ${url}/token, clientId: rollcall, refreshToken: R1 }`;
  const source = `source: { kind: rest, baseUrl: ${url}, path: /people, items: data, key: id, total: total, paging: { style: none }, auth: ${grant} }`;
  const text = (await readFile(path, 'utf8'))
    .replace(/^ {4}source:\n(?: {6}.*\n| *\n)*/m, `    ${source}\n\n`)
    .replace('https://platform.example.com', 'http://127.0.0.1:1')
    .replace('first_name', 'first')
    .replace('last_name', 'last')
    .replace('status: rollcallStatus', 'status: status')
    .replace(/^connections:/m, `encryptionKey: "\${env:ROLLCALL_KEY}"\nconnections:`);
  await writeFile(path, text);

  const untouched = await shell.run(['check', '--json']);
  const presentedByCheck = [...presented];
  const first = await shell.run(['source', 'try', 'people']);
  const second = await shell.run(['source', 'try', 'people', '--json']);
  const checked = await shell.run(['check', '--json']);

  const lineOf = (run: typeof first) =>
    run.json<{ lines: readonly CheckLine[] }>().lines.find(({ subject }) => subject === 'sync people');
  expect(presentedByCheck).toEqual([]);
  expect(lineOf(untouched)).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(/was not exchanged yet.* Run `rollcall source try people` first/),
  });
  expect(lineOf(checked)).toMatchObject({
    message: expect.stringContaining('access works; the first page has 1 record'),
  });
  expect(first.stderr + first.stdout).toContain('a refresh token was presented');
  expect(first.stdout).toContain('people: 1 record read from rest');
  expect(second.json<SourceTrial>()).toMatchObject({ rows: 1, end: { kind: 'complete' }, isTokenPresented: false });
  expect(presented).toEqual(['R1']);
});
