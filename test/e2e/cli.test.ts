import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { openTestShell } from '../cli/test-shell.ts';
import { startRollcall } from '../support/rollcall-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s stops a run at a safe point with exit code %d, and the next one ends it', async (signal, code) => {
  const sandbox = await startSandbox({ now: Date.now, faults: [parseFault('search:slow=700@1')] });
  onTestFinished(() => sandbox.close());
  const env = { ROLLCALL_ACCESS_TOKEN: sandbox.accessToken };
  const { folder, run } = await openTestShell(env);
  await run(['init']);
  const path = join(folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('https://platform.example.com', sandbox.url));
  const stopped = startRollcall(folder, ['apply', 'people'], env);
  await stopped.seen(/read \d/);
  stopped.child.kill(signal);
  const first = await stopped.ended;
  const second = await run(['apply', 'people', '--json']);

  expect(first).toMatchObject({ code, stdout: '' });
  expect(first.stderr).toContain('stopping at the next safe point; run the command again to continue');
  expect(second.json()).toMatchObject({ resumed: [{ outcome: 'succeeded' }] });
});

test('a reader who has seen enough is no error', async () => {
  const folder = await temporaryFolder();
  const running = startRollcall(folder, ['--help']);
  running.child.stdout?.destroy();

  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
});
