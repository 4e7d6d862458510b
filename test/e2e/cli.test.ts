import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const executable = resolve('src/main/cli.ts');
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

function start(folder: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [executable, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
  });
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

const run = (folder: string, words: readonly string[], env?: Readonly<Record<string, string>>) =>
  start(folder, words, env).ended;

/** Resolves as soon as what the process wrote matches. */
async function seen(running: Running, what: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = what.exec(running.stdout() + running.stderr());
    if (match !== null) return match;
    const event = await Promise.race([
      once(running.child.stdout ?? running.child, 'data'),
      once(running.child.stderr ?? running.child, 'data'),
      running.ended,
    ]);
    if (!Array.isArray(event)) throw new Error(`ended without ${what}: ${running.stdout()}${running.stderr()}`);
  }
}

test('from nothing: init, sandbox, check, plan, apply, and nothing left to do', async () => {
  const folder = await temporaryFolder();
  const missing = await run(folder, ['check']);
  const init = await run(folder, ['init']);
  const unset = await run(folder, ['check', '--json']);
  const sandbox = start(folder, ['sandbox', '--port', '0', '--users', '2', '--json']);
  const [line] = await seen(sandbox, /\{.*\}\n/);
  const { url, accessToken } = JSON.parse(line);
  const path = join(folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('https://platform.example.com', url));
  const env = { ROLLCALL_ACCESS_TOKEN: accessToken };
  const check = await run(folder, ['check'], env);
  const plan = await run(folder, ['plan', 'people', '--json'], env);
  const apply = await run(folder, ['apply', 'people'], env);
  const again = await run(folder, ['plan', 'people', '--json'], env);
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
  await run(folder, ['init']);
  const sandbox = start(folder, ['sandbox', '--port', '0', '--json', '--fault', 'search:slow=700@1']);
  const [line] = await seen(sandbox, /\{.*\}\n/);
  const { url, accessToken } = JSON.parse(line);
  const path = join(folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('https://platform.example.com', url));
  const env = { ROLLCALL_ACCESS_TOKEN: accessToken };
  const stopped = start(folder, ['apply', 'people'], env);
  await seen(stopped, /read \d/);
  stopped.child.kill(signal);
  const first = await stopped.ended;
  const second = await run(folder, ['apply', 'people', '--json'], env);
  sandbox.child.kill('SIGINT');
  await sandbox.ended;

  expect(first).toMatchObject({ code, stdout: '' });
  expect(first.stderr).toContain('stopping at the next safe point; run the command again to continue');
  expect(JSON.parse(second.stdout).resumed).toMatchObject([{ outcome: 'succeeded' }]);
});

test('a reader who has seen enough is no error', async () => {
  const folder = await temporaryFolder();
  const running = start(folder, ['--help']);
  running.child.stdout?.destroy();

  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
});
