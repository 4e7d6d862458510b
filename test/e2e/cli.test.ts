import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runRollcall, startRollcall } from '../support/rollcall-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('from nothing: init, sandbox, check, plan, apply, and nothing left to do', async () => {
  const folder = await temporaryFolder();
  const missing = await runRollcall(folder, ['check']);
  const init = await runRollcall(folder, ['init']);
  const unset = await runRollcall(folder, ['check', '--json']);
  const sandbox = startRollcall(folder, ['sandbox', '--port', '0', '--users', '2', '--json']);
  const [line] = await sandbox.seen(/\{.*\}\n/);
  const { url, accessToken } = JSON.parse(line);
  const path = join(folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('https://platform.example.com', url));
  const env = { ROLLCALL_ACCESS_TOKEN: accessToken };
  const check = await runRollcall(folder, ['check'], env);
  const plan = await runRollcall(folder, ['plan', 'people', '--json'], env);
  const apply = await runRollcall(folder, ['apply', 'people'], env);
  const again = await runRollcall(folder, ['plan', 'people', '--json'], env);
  sandbox.child.kill('SIGTERM');

  expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('rollcall init') });
  expect(init).toMatchObject({ code: 0, stderr: '' });
  expect(unset.code).toBe(2);
  expect(JSON.parse(unset.stdout).error).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ connection acme') });
  expect(plan).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(plan.stdout)).toMatchObject({
    id: expect.stringMatching(/^plan_/),
    outcome: 'planned',
    counts: { create: 3 },
  });
  expect(apply).toMatchObject({ code: 0, stdout: expect.stringContaining('3 applied') });
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'nothing-to-do' });
  expect((await sandbox.ended).code).toBe(0);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s stops a run at a safe point with exit code %d, and the next one ends it', async (signal, code) => {
  const folder = await temporaryFolder();
  await runRollcall(folder, ['init']);
  const sandbox = startRollcall(folder, ['sandbox', '--port', '0', '--json', '--fault', 'search:slow=700@1']);
  const [line] = await sandbox.seen(/\{.*\}\n/);
  const { url, accessToken } = JSON.parse(line);
  const path = join(folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('https://platform.example.com', url));
  const env = { ROLLCALL_ACCESS_TOKEN: accessToken };
  const stopped = startRollcall(folder, ['apply', 'people'], env);
  await stopped.seen(/read \d/);
  stopped.child.kill(signal);
  const first = await stopped.ended;
  const second = await runRollcall(folder, ['apply', 'people', '--json'], env);
  sandbox.child.kill('SIGINT');
  await sandbox.ended;

  expect(first).toMatchObject({ code, stdout: '' });
  expect(first.stderr).toContain('stopping at the next safe point; run the command again to continue');
  expect(JSON.parse(second.stdout).resumed).toMatchObject([{ outcome: 'succeeded' }]);
});

test('a reader who has seen enough is no error', async () => {
  const folder = await temporaryFolder();
  const running = startRollcall(folder, ['--help']);
  running.child.stdout?.destroy();

  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
});
