import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Finished, useConnectedShells, writePeople } from '../cli/test-shell.ts';
import { openReceiver } from '../watch/alerts/receiver.ts';

const openConnectedShell = useConnectedShells();
const newKey = () => randomBytes(32).toString('base64');

/** A company whose tokens rotate; each command is run with the key and the first refresh token that it is given. */
async function openRotatingShell() {
  const shell = await openConnectedShell(['1,Ana,']);
  const receiver = await openReceiver();
  const { sandbox, folder } = shell;
  const path = join(folder, 'rollcall.yaml');
  const tokens = `applicationToken: ${sandbox.applicationToken}\n    refreshToken: "\${env:FIRST}"`;
  const config = (await readFile(path, 'utf8')).replace(/^ {4}accessToken: .*$/m, `    ${tokens}`);
  const alerts = `alerts: [{ kind: webhook, name: hr, url: "${receiver.url}" }]`;
  await writeFile(path, `encryptionKey: "\${env:KEY}"\nformerEncryptionKeys: ["\${env:FORMER}"]\n${alerts}\n${config}`);
  const unused = newKey();
  let secrets = { FIRST: sandbox.refreshToken, KEY: newKey(), FORMER: unused };
  const run = (...words: string[]): Promise<Finished> => shell.run(words, { env: secrets });
  return {
    sandbox,
    run,
    rotate: (changed: Partial<typeof secrets>) => {
      const before = secrets;
      secrets = { ...secrets, ...changed };
      return before;
    },
    employ: (...people: string[]) => writePeople(shell, people),
    told: () => receiver.received.splice(0).map(({ json }) => json<{ title: string }>().title),
  };
}

it('a new encryptionKey alone stops everything with what to do, and the former key beside it starts it again', async () => {
  const { sandbox, run, rotate, employ, told } = await openRotatingShell();
  expect((await run('apply', 'people')).code).toBe(0);

  const old = rotate({ KEY: newKey() });
  await employ('1,Ana,', '2,Bo,');
  const status = await run('token', 'status', 'acme');
  expect(status.stdout).toMatch(/^acme: sealed\n/);
  for (const way of ['restore that key', 'a new first refresh token', 'connections.acme.refreshToken']) {
    expect(status.stdout).toContain(way);
  }
  for (const words of [['plan', 'people'], ['apply', 'people'], ['token', 'refresh', 'acme'], ['check']]) {
    const { code, stdout, stderr } = await run(...words);
    expect(code, words.join(' ')).toBe(1);
    expect(stdout + stderr, words.join(' ')).toMatch(
      /cannot be opened with this encryptionKey.* \(connections\.acme\.refreshToken\)|sealed with the key [0-9a-f]{8}, and the configured encryptionKey is a different one/s,
    );
  }
  // The ledger is sealed too, which ends the run before it needs a token.
  expect(told()).toEqual([
    'CRITICAL connection acme: the tokens are sealed with another key',
    'CRITICAL sync people: the run failed',
  ]);

  // Nothing was presented meanwhile: what the old key sealed would have been used up.
  expect(sandbox.state.refreshes).toHaveLength(1);

  rotate({ FORMER: old.KEY });
  const applied = await run('apply', 'people');
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('1 applied') });
  expect((await run('token', 'status', 'acme')).stdout).toMatch(/^acme: ready\n/);
  expect((await run('token', 'refresh', 'acme')).code).toBe(0);
  expect((await run('plan', 'people')).code).toBe(0);
  expect(sandbox.state.refreshes.map(({ outcome }) => outcome)).toEqual(['granted', 'granted']);

  // The pair and the personal data are sealed with the new key by now.
  rotate({ FORMER: newKey() });
  expect((await run('plan', 'people')).code).toBe(0);
  expect((await run('admin', 'export', '1')).stdout).toContain('ledger:');
  expect(told()).toEqual([
    'RECOVERED connection acme: the tokens work again',
    'RECOVERED sync people: runs succeed again',
  ]);
});

it('what a lost encryptionKey sealed is named by check and dropped on request, and the next run goes on with its users', async () => {
  const { sandbox, run, rotate } = await openRotatingShell();
  expect((await run('apply', 'people')).code).toBe(0);
  expect(await run('admin', 'keys', 'status')).toMatchObject({
    code: 0,
    stdout: 'Every stored value can be opened.\n',
  });

  rotate({ KEY: newKey() });
  const named =
    /1 ledger entry, 1 change, 1 page of a directory, 1 token pair sealed with the key [0-9a-f]{8}, which is not configured/;
  expect((await run('check')).stdout).toMatch(named);
  expect((await run('admin', 'keys', 'status')).code).toBe(1);
  const { stdout, code } = await run('admin', 'keys', 'drop-unreadable', '--yes', '--reason', 'the key is lost');
  expect(code).toBe(0);
  for (const words of ['cannot be undone', 'for the first time', 'a new first refresh token']) {
    expect(stdout).toContain(words);
  }
  expect((await run('audit')).stdout).toMatch(/drop-unreadable.*the key is lost/s);

  // A pair has its own way out: a new first token.
  expect((await run('admin', 'keys', 'status')).stdout).toContain('1 token pair');
  expect((await run('admin', 'keys', 'drop-unreadable')).stdout).toMatch(/^Nothing to drop\.\nToken pairs stay/);
  rotate({ FIRST: sandbox.authorize().refreshToken });
  expect((await run('token', 'refresh', 'acme')).code).toBe(0);
  expect(await run('plan', 'people')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 managed') });
  expect((await run('apply', 'people')).code).toBe(0);
  expect((await run('admin', 'keys', 'status')).code).toBe(0);
});
