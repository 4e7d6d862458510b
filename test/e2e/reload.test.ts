import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { shellIn } from '../cli/test-shell.ts';
import { answerForms, clientSecret, openBrowser, openProvider } from '../support/identity-provider.ts';
import { startRollcall } from '../support/rollcall-process.ts';
import { freePort } from '../support/services/programs.ts';
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

test('SIGHUP takes a role, then the sign-in itself, from an open session in every process', async () => {
  await using sandbox = await closing(await startSandbox({ now: () => systemClock.now(), processingMs: 0 }));
  const folder = await temporaryFolder();
  const port = await freePort();
  const issuer = await openProvider(`http://127.0.0.1:${port}/auth/callback`);
  expect((await shellIn(folder).run(['init'])).code).toBe(0);
  const path = join(folder, 'rollcall.yaml');
  const base = (await readFile(path, 'utf8'))
    .replace('https://platform.example.com', sandbox.url)
    .replace(/accessToken: .*/, `accessToken: ${sandbox.accessToken}`);
  const openId = { issuer, clientId: 'rollcall', clientSecret, scopes: ['openid', 'email', 'groups'] };
  const configure = (roles: object | undefined) => {
    const given = roles === undefined ? {} : { openId: { ...openId, groupsClaim: 'groups', roles } };
    const server = { port, publicUrl: `http://127.0.0.1:${port}`, sessions: { idle: '30m' }, ...given };
    return writeFile(path, `${base}\nserver: ${JSON.stringify(server)}\n`);
  };
  await configure({ viewer: ['staff'], operator: ['hr-it'] });
  const processes = [
    ['start', '--json'],
    ['start', '--json', '--role', 'server', '--port', '0'],
  ].map((words) => {
    const { child } = startRollcall(folder, words);
    return { child, said: lines(child.stdout) };
  });
  const started = () => Promise.all(processes.map(async ({ said }) => (await said(() => true)).url as string));
  const urls = await started();
  const browser = openBrowser();
  await answerForms(browser, await browser.go(`${urls[0]}/auth/sign-in`), 'ana');
  const { rollcall = '' } = browser.cookies(`127.0.0.1:${port}`);
  const roles = (from: readonly string[]) =>
    Promise.all(
      from.map(async (url) => {
        const answer = await fetch(`${url}/api/session`, { headers: { cookie: `rollcall=${rollcall}` } });
        return ((await answer.json()) as { role: string | null }).role;
      }),
    );
  expect(await roles(urls)).toEqual(['operator', 'operator']);
  for (const [now, role] of [
    [{ viewer: ['staff'] }, 'viewer'],
    [undefined, null],
  ] as const) {
    await configure(now);
    for (const { child } of processes) child.kill('SIGHUP');
    expect(await roles(await started())).toEqual([role, role]);
  }
  const { entries } = (await shellIn(folder).run(['audit', '--json'])).json() as { entries: Line[] };
  expect(entries.map(({ action, detail }) => `${action} ${detail}`)).toEqual([
    'end-session of user:ana: was viewer, has no role',
    'lose-right of user:ana: was operator, is viewer',
    'sign-in as viewer; operator',
  ]);
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
