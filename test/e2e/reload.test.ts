import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { shellIn } from '../cli/test-shell.ts';
import { startRollcall } from '../support/rollcall-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('SIGHUP opens a good configuration in the same process, and a bad one changes nothing', async () => {
  await using sandbox = await closing(await startSandbox({ now: () => systemClock.now(), processingMs: 0 }));
  const folder = await temporaryFolder();
  const path = join(folder, 'rollcall.yaml');
  expect((await shellIn(folder).run(['init'])).code).toBe(0);
  const good = (await readFile(path, 'utf8'))
    .replace('https://platform.example.com', sandbox.url)
    .replace(/accessToken: .*/, `accessToken: \${file:token}`);
  await writeFile(path, good);
  await writeFile(join(folder, 'token'), sandbox.accessToken);
  const { child, ended } = startRollcall(folder, ['start', '--port', '0', '--json']);
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
  expect(await ended).toMatchObject({ code: 0 });
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

async function closing<Closable extends { close(): Promise<void> }>(one: Closable) {
  return { ...one, [Symbol.asyncDispose]: () => one.close() };
}
