import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useConnectedShells } from '../cli/test-shell.ts';
import { ask, operatorToken, viewerToken } from '../server/open-test-server.ts';

const openConnectedShell = useConnectedShells();

const server = `server:
  port: 0
  tokens:
    - { name: ops, role: operator, token: ${operatorToken} }
    - { name: auditor, role: viewer, token: ${viewerToken} }
`;

it('a preview is requested over HTTP, made by the deployment, followed live and opened by others', async () => {
  const shell = await openConnectedShell(['1,Ana,', '2,Bo,']);
  await appendFile(join(shell.folder, 'rollcall.yaml'), server);
  const listening = Promise.withResolvers<{ url: string; stop: () => void }>();
  const ended = shell.run(['start', '--json'], {
    onStdout: (text, stop) => listening.resolve({ url: (JSON.parse(text) as { url: string }).url, stop }),
  });
  const { url, stop } = await listening.promise;
  const asked = await ask(`${url}/api/previews`, { method: 'POST', body: { sync: 'people', users: ['2'] } });
  const { text } = await ask(`${url}/api/previews/${asked.json.id}/events`, { token: viewerToken });
  expect(text).toContain('event: preview');
  expect(text).toContain('event: end');
  const { json } = await ask(`${url}/api/previews/${asked.json.id}`, { token: viewerToken });
  expect(json).toMatchObject({ state: 'done', users: ['2'], report: { counts: { create: 1 } } });
  expect(shell.sandbox.state.users.get('2')).toBeUndefined();
  const audit = await ask(`${url}/api/audit?action=preview`);
  expect(audit.json.entries).toMatchObject([{ by: 'token:ops', sync: 'people', detail: asked.json.id }]);

  const shared = await shell.run(['plan', 'people', '--share', '--json']);
  const { preview } = shared.json<{ preview: string }>();
  const opened = await ask(`${url}/api/previews/${preview}/changes/search`, { token: viewerToken });
  expect(opened.json).toMatchObject({ total: 2, changes: [{ identification: '1' }, { identification: '2' }] });
  const named = await shell.run(['plan', 'people', '--user', '1', '--share']);
  expect(named.stdout).toContain('1 change');
  expect(named.stdout).toMatch(/to share it: \/previews\/preview_\w+ on the page, until /);
  stop();
  await ended;
  const path = join(shell.folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('port: 0', 'publicUrl: https://rollcall.example.com'));
  const linked = await shell.run(['plan', 'people', '--user', '1', '--share']);
  expect(linked.stdout).toMatch(/to share it: https:\/\/rollcall\.example\.com\/previews\/preview_\w+, until /);
});
