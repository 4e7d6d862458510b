import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { openConfiguredApp } from '../../src/main/process.ts';
import { parseFault } from '../../src/sandbox/faults/parse-fault.ts';
import { type ConnectedShell, useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const people = Array.from({ length: 8 }, (_, i) => `${200 + i},Person,Support,active`);

/** Who did what, oldest first. */
async function auditOf({ folder, sandbox }: ConnectedShell): Promise<readonly string[]> {
  const env = { ROLLCALL_ACCESS_TOKEN: sandbox.accessToken };
  const options = { mayPresentSeed: false, logs: 'off', env, stderr: process.stderr } as const;
  const app = await openConfiguredApp(join(folder, 'rollcall.yaml'), options);
  try {
    const entries = await findAudit(app, { limit: 50 });
    const words = entries.map(({ by, action, detail, reason }) => [by, action, detail, reason]);
    return words.map((entry) => entry.filter((word) => word !== undefined).join(' ')).toReversed();
  } finally {
    await app.close();
  }
}

test('a sync is paused and resumed from a shell, each once', async () => {
  const shell = await openConnectedShell(people);
  const paused = await shell.run(['pause', 'people', '--reason', 'the file is wrong']);
  const twice = await shell.run(['pause', 'people']);
  const listed = await shell.run(['runs']);
  const resumed = await shell.run(['resume', 'people', '--json', '--reason', 'it is right']);
  const again = await shell.run(['resume', 'people']);

  expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('rollcall resume people') });
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('people is already paused') });
  expect(listed.stdout).toContain('people is paused by tester');
  expect(resumed.json()).toEqual({ sync: 'people', isPaused: false });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('people is not paused') });
  expect((await shell.run(['runs'])).stdout).not.toContain('paused');
  expect(await shell.run(['pause', 'peolpe'])).toMatchObject({ code: 2, stderr: expect.stringContaining('people') });
  expect(await auditOf(shell)).toEqual(['tester pause the file is wrong', 'tester resume it is right']);
});

test('without a deployment, apply, resync and retry of a paused sync are refused and request nothing', async () => {
  const shell = await openConnectedShell(people);
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  await shell.run(['pause', 'people']);
  const commands = [
    ['apply', 'people'],
    ['resync', 'people'],
    ['resync', 'people', '--wait'],
    ['retry', run],
  ];
  for (const words of commands) {
    const refused = await shell.run(words);
    expect(refused.code, words.join(' ')).toBe(2);
    expect(refused.stderr).toMatch(
      /people has been paused by tester since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, so no new run starts\. .*then run "rollcall resume people"/,
    );
  }
  expect((await shell.run(['resume', 'people'])).code).toBe(0);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  expect(await auditOf(shell)).toEqual([
    'tester request-run all employees',
    'tester pause',
    'tester resume',
    'tester request-run all employees',
  ]);
});

test('a resync of a paused sync waits until somebody resumes it; with --wait, and beyond its --timeout, it never ends with 0', async () => {
  const shell = await openConnectedShell(people);
  await shell.run(['pause', 'people']);
  const results: Awaited<ReturnType<typeof shell.run>>[] = [];
  let asked: Promise<void> | undefined;
  await shell.run(['start', '--json'], {
    onStdout: (text, stop) => {
      if (!text.includes('"ready":true')) return;
      asked = (async () => {
        results.push(await shell.run(['resync', 'people']), await shell.run(['resync', 'people', '--wait']));
        await shell.run(['resume', 'people']);
        shell.sandbox.setFaults([parseFault('upload:status=409'), parseFault('create:status=429')]);
        results.push(await shell.run(['resync', 'people', '--wait', '--timeout', '3s']));
      })().finally(stop);
    },
  });
  await asked;
  const [queued, paused, late] = results;
  expect(queued).toMatchObject({ code: 0, stdout: expect.stringContaining('tester paused people') });
  expect(paused).toMatchObject({ code: 1, stdout: expect.stringContaining('tester paused people') });
  expect(late).toMatchObject({ code: 1, stdout: expect.stringContaining('has not ended within --timeout') });
});

test('resync --wait ends with the run of the deployment, its report and its exit code; its key asks for it once', async () => {
  const shell = await openConnectedShell(people);
  const ids = join(shell.folder, 'ids.txt');
  await writeFile(ids, '200\n 201 \n\n');
  const results: Awaited<ReturnType<typeof shell.run>>[] = [];
  let asked: Promise<void> | undefined;
  await shell.run(['start', '--json'], {
    onStdout: (text, stop) => {
      if (!text.includes('"ready":true')) return;
      const order = ['resync', 'people', '--user', '@ids.txt', '--wait', '--key', 'ticket-1', '--json'];
      asked = (async () => {
        results.push(await shell.run([...order, '--as', 'ana', '--reason', 'ticket 1']));
        results.push(await shell.run(order));
        results.push(await shell.run(['resync', 'people', '--wait', '--key', 'ticket-1']));
        results.push(await shell.run(['resync', 'people', '--wait']));
      })().finally(stop);
    },
  });
  await asked;
  const [first, again, other, everybody] = results;
  expect(first).toMatchObject({ code: 0 });
  expect(first?.json()).toMatchObject({ outcome: 'succeeded', counts: { create: 2, applied: 2 } });
  expect(again?.json<{ id: string }>().id).toBe(first?.json<{ id: string }>().id);
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the key ticket-1 is already used by another request'),
  });
  expect(everybody).toMatchObject({ code: 0, stdout: expect.stringContaining('people: done') });
  expect(await auditOf(shell)).toEqual([
    'tester request-run 2 named people ticket 1',
    'tester request-run all employees',
  ]);
});

/** Gives the connection rotating tokens in place of the fixed one. */
async function rotateTokens({ folder, sandbox }: ConnectedShell): Promise<void> {
  const path = join(folder, 'rollcall.yaml');
  const tokens = `    applicationToken: ${sandbox.applicationToken}\n    refreshToken: ${sandbox.refreshToken}`;
  const config = (await readFile(path, 'utf8')).replace(/^ {4}accessToken: .*$/m, tokens);
  await writeFile(path, `encryptionKey: ${Buffer.alloc(32, 7).toString('base64')}\n${config}`);
}

test('a refused refresh token stops no run before the access token expires, and check says when that is', async () => {
  const shell = await openConnectedShell(people);
  await rotateTokens(shell);
  await shell.run(['token', 'refresh', 'acme']);
  shell.sandbox.setFaults([parseFault('token:invalid_grant')]);
  const refused = await shell.run(['token', 'refresh', 'acme']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('REAUTH_REQUIRED') });
  const check = await shell.run(['check', 'acme']);
  expect(check.stdout).toMatch(
    /! connection acme +token: reauth-required\. Syncs work until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\. Run `rollcall token refresh/,
  );
  expect(check.stdout).not.toContain('✗ connection acme');
  expect(await shell.run(['apply', 'people'])).toMatchObject({ code: 0 });
});

test('who refreshed or revoked a token, and why, is in the audit of its connection, also when it failed', async () => {
  const shell = await openConnectedShell(people);
  await rotateTokens(shell);
  await shell.run(['token', 'refresh', 'acme']);
  await shell.run(['token', 'revoke', 'acme', '--yes', '--reason', 'the token leaked']);
  await shell.run(['token', 'status', 'acme']);
  await shell.sandbox.close();
  const failed = await shell.run(['token', 'refresh', 'acme', '--json', '--reason', 'a try']);
  const { error } = failed.json<{ error: { code: string } }>();
  expect(await auditOf(shell)).toEqual([
    'tester token-refresh now ready',
    'tester token-revoke now revoked the token leaked',
    `tester token-refresh failed: ${error.code} a try`,
  ]);
});
