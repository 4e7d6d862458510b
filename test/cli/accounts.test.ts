import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountWords } from '../../src/cli/commands/accounts.ts';
import { accounts } from '../../src/web/texts/en/people.ts';
import { useConnectedShells } from './test-shell.ts';

test('the states of accounts have the words of the page', () => {
  const inLowerCase = (words: string) => words.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  expect(Object.entries(accountWords)).toEqual(
    Object.entries(accounts.states).map(([state, words]) => [state, inLowerCase(words)]),
  );
});

const openConnectedShell = useConnectedShells();

test('accounts lists whose the accounts are, leaves one as it is, and writes a file without formulas', async () => {
  const shell = await openConnectedShell(['E1,Ana,Sales']);
  expect(await shell.run(['accounts', 'people'])).toMatchObject({ code: 1, stderr: expect.stringContaining('apply') });
  const body = JSON.stringify({ identification: 'P3', firstName: '=HYPERLINK("x")', lastName: 'Root' });
  const headers = { authorization: `Bearer ${shell.sandbox.accessToken}`, 'content-type': 'application/json' };
  await fetch(`${shell.sandbox.url}/os-api/public-api/v1/users/`, { method: 'POST', headers, body });
  await shell.run(['apply', 'people']);

  expect((await shell.run(['undo', 'run_XYZ'])).stderr).toContain('run_XYZ');
  const listed = await shell.run(['accounts', 'people', '--unmanaged']);
  expect(listed.stdout).toMatch(/^2 accounts as read .*: 1 unmanaged, 1 owned\n/);
  expect(listed.stdout).toMatch(/P3 .*unmanaged\n {2}HR does not name the person, and no sync owns the account\n/);
  expect(listed.stdout).toContain('adopt people P3 --leave --reason TEXT');
  expect((await shell.run(['accounts', 'people', '--orphaned'])).stdout).toContain('no such account');

  const leave = ['adopt', 'people', 'P3', '--leave', '--yes'];
  expect(await shell.run(leave)).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason TEXT') });
  const left = await shell.run([...leave, '--reason', 'a service']);
  expect(left.stdout).toContain('decided: the account of "P3" stays as it is');
  expect((await shell.run(['accounts', 'people'])).stdout).toMatch(/1 unmanaged \(1 decided\)/);

  const written = await shell.run(['accounts', 'people', '--unmanaged', '--out', 'accounts.csv']);
  expect(written.stdout).toContain('1 account written to accounts.csv');
  expect(await readFile(join(shell.folder, 'accounts.csv'), 'utf8')).toContain(`P3,"'=HYPERLINK(""x"") Root"`);
  for (const words of [
    ['accounts', 'people'],
    ['report', 'leavers'],
  ]) {
    const refused = await shell.run([...words, '--out', 'no/such/folder.csv']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be written to') });
  }
  const json = (await shell.run(['accounts', 'people', '--owned', '--json'])).json<object>();
  expect(json).toMatchObject({ found: 1, counts: { owned: 1, unmanaged: 1 }, accounts: [{ identification: 'E1' }] });
});

test('an unknown account is disabled by a decision: planned, explained, held, approved and undone like any other', async () => {
  const shell = await openConnectedShell([]);
  const { url: baseUrl, accessToken } = shell.sandbox;
  const sync = {
    connection: 'acme',
    source: { kind: 'csv', path: 'a.csv' },
    policy: 'sync',
    mapping: { identification: 'id', firstName: 'first', lastName: 'last' },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    settle: { every: '50ms', deadline: '1m' },
    guards: { disables: { absolute: 0, percent: 0 } },
  };
  const connection = { baseUrl, accessToken, limits: { requestsPerSecond: 1000 } };
  const config = { connections: { acme: connection }, syncs: { people: sync } };
  await writeFile(join(shell.folder, 'rollcall.yaml'), JSON.stringify(config));
  await writeFile(join(shell.folder, 'a.csv'), 'id,first,last,status\nE1,Ana,Li,active\n');
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ identification: 'P3', firstName: 'Root', lastName: 'Root' });
  await fetch(`${baseUrl}/os-api/public-api/v1/users/`, { method: 'POST', headers, body });
  expect((await shell.run(['apply', 'people'])).code).toBe(0);

  const disable = ['adopt', 'people', 'P3', '--disable', '--yes'];
  expect(await shell.run(disable)).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason TEXT') });
  const owned = await shell.run(['adopt', 'people', 'E1', '--disable', '--yes', '--reason', 'x']);
  expect(owned).toMatchObject({ code: 2, stderr: expect.stringContaining('E1: sync people owns the account') });
  const decided = await shell.run([...disable, '--reason', 'left in 2024', '--as', 'Ana']);
  expect(decided.stdout).toMatch(/decided: the account of "P3" with the id ".*" will be disabled\n.*apply people/);

  const why = await shell.run(['why', 'people', 'P3']);
  expect(why.stdout).toContain('To be disabled: missing, and tester decided to disable the account: left in 2024');
  const plan = await shell.run(['plan', 'people']);
  expect(plan.code).toBe(3);
  expect(plan.stdout).toMatch(/P3.*disable/s);
  const held = (await shell.run(['apply', 'people', '--json'])).json<{ id: string; counts: object }>();
  expect(held.counts).toMatchObject({ disable: 1, held: 1 });
  expect(shell.sandbox.state.users.get('P3')?.enabled).toBe(true);
  expect((await shell.run(['approve', held.id, '--yes'])).code).toBe(0);
  const applied = (await shell.run(['apply', 'people', '--json'])).json<{ id: string; counts: object }>();
  expect(applied.counts).toMatchObject({ disable: 1, applied: 1, held: 0 });
  expect(shell.sandbox.state.users.get('P3')?.enabled).toBe(false);
  const listed = await shell.run(['accounts', 'people', '--disabled-by-us']);
  expect(listed.stdout).toMatch(/P3 .*disabled by Rollcall\n.*tester decided to disable it \(left in 2024\)/);

  expect((await shell.run(['undo', applied.id, '--yes', '--reason', 'she is a contractor'])).code).toBe(0);
  expect(shell.sandbox.state.users.get('P3')?.enabled).toBe(true);
  // The account is ours by now, and what was undone is not done again.
  expect((await shell.run(['apply', 'people', '--json'])).json<object>()).toMatchObject({ counts: { disable: 0 } });
});
