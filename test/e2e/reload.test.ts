import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
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

test('SIGHUP opens a good configuration in the same process, and a bad one changes nothing', async () => {
  await using sandbox = await closing(await startSandbox({ now: () => systemClock.now(), processingMs: 0 }));
  const folder = await temporaryFolder();
  const path = join(folder, 'rollcall.yaml');
  await run(folder, ['init']);
  const good = (await readFile(path, 'utf8'))
    .replace('https://platform.example.com', sandbox.url)
    .replace(/accessToken: .*/, `accessToken: \${file:token}`);
  await writeFile(path, good);
  await writeFile(join(folder, 'token'), sandbox.accessToken);
  const child = start(folder, ['start', '--port', '0', '--json']);
  const ended = once(child, 'close');
  const said = lines(child.stdout);
  const logged = lines(child.stderr);
  const first = await said(() => true);

  await writeFile(path, good.replace('policy: upsert-only', 'policy: everything'));
  child.kill('SIGHUP');
  const refused = await logged(({ msg }) => String(msg).startsWith('SIGHUP'));
  const health = await fetch(`${first.url}/healthz`);

  await writeFile(path, `${good}\nlog: { level: debug }\n`.replace('  people:', '  staff:'));
  await writeFile(join(folder, 'token'), `${sandbox.accessToken}\n`);
  child.kill('SIGHUP');
  const second = await said(() => true);
  const ready = await fetch(`${second.url}/healthz`);
  child.kill('SIGTERM');

  expect(first.syncs).toMatchObject([{ name: 'people' }]);
  expect(refused).toMatchObject({
    level: 'error',
    msg: 'SIGHUP: the configuration has problems, so this process continues with the one it has',
    problems: [expect.stringMatching(/syncs\.people\.policy: .*upsert-only/)],
  });
  expect(health.status).toBe(200);
  expect(second.syncs).toMatchObject([{ name: 'staff' }]);
  expect(ready.status).toBe(200);
  expect(await ended).toEqual([0, null]);
});

type Line = Readonly<Record<string, unknown>>;

/** Returns the next line of JSON that is meant. Throws at the end of the stream. */
function lines(stream: NodeJS.ReadableStream): (isMeant: (line: Line) => boolean) => Promise<Line> {
  const iterator = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async (isMeant) => {
    for (;;) {
      const { value, done } = await iterator.next();
      if (done === true) throw new Error('the process ended');
      const line: Line = JSON.parse(value);
      if (isMeant(line)) return line;
    }
  };
}

function start(folder: string, words: readonly string[]) {
  const env = { PATH: process.env.PATH };
  const child = spawn(process.execPath, [executable, ...words], { cwd: folder, env, stdio: 'pipe' });
  children.push(child);
  return child;
}

async function run(folder: string, words: readonly string[]): Promise<void> {
  const [code] = await once(start(folder, words), 'close');
  expect(code).toBe(0);
}

async function closing<Closable extends { close(): Promise<void> }>(one: Closable) {
  return { ...one, [Symbol.asyncDispose]: () => one.close() };
}
