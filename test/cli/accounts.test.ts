import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

test('accounts lists whose the accounts are, leaves one as it is, and writes a file without formulas', async () => {
  const shell = await openConnectedShell(['E1,Ana,Sales']);
  expect(await shell.run(['accounts', 'people'])).toMatchObject({ code: 1, stderr: expect.stringContaining('apply') });
  const body = JSON.stringify({ identification: 'P3', firstName: '=HYPERLINK("x")', lastName: 'Root' });
  const headers = { authorization: `Bearer ${shell.sandbox.accessToken}`, 'content-type': 'application/json' };
  await fetch(`${shell.sandbox.url}/os-api/public-api/v1/users/`, { method: 'POST', headers, body });
  await shell.run(['apply', 'people']);

  const listed = await shell.run(['accounts', 'people', '--unmanaged']);
  expect(listed.stdout).toMatch(/^2 accounts as read .*: 1 owned, 1 unmanaged\n/);
  expect(listed.stdout).toMatch(/P3 .*unmanaged\n {2}HR does not name the person, and no sync owns the account\n/);
  expect(listed.stdout).toContain('adopt people P3 --leave --reason TEXT');
  expect((await shell.run(['accounts', 'people', '--orphaned'])).stdout).toContain('no such account');

  const leave = ['adopt', 'people', 'P3', '--leave', '--yes'];
  expect(await shell.run(leave)).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason TEXT') });
  const left = await shell.run([...leave, '--reason', 'a service']);
  expect(left.stdout).toContain('decided: the account of "P3" stays as it is');
  expect((await shell.run(['accounts', 'people'])).stdout).toMatch(/1 unmanaged \(1 left as they are\)/);

  const written = await shell.run(['accounts', 'people', '--unmanaged', '--out', 'accounts.csv']);
  expect(written.stdout).toContain('1 account written to accounts.csv');
  expect(await readFile(join(shell.folder, 'accounts.csv'), 'utf8')).toContain(`P3,"'=HYPERLINK(""x"") Root"`);
  expect((await shell.run(['accounts', 'people', '--out', 'no/such/folder.csv'])).code).toBe(2);
  const json = (await shell.run(['accounts', 'people', '--owned', '--json'])).json<object>();
  expect(json).toMatchObject({ found: 1, counts: { owned: 1, unmanaged: 1 }, accounts: [{ identification: 'E1' }] });
});
