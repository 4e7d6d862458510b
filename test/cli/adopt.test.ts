import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConnectedShell, useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const row = (id: string, status = 'active') => `${id},Ana,Test,${id}@example.com,${status}\n`;
const header = 'id,first,last,mail,status\n';

/** Two syncs; the first owns 1 and 2, and says that 1 left; the second has 1 as active. */
async function openTwo(dialect: object = {}): Promise<ConnectedShell> {
  const shell = await openConnectedShell([]);
  const sync = (path: string) => ({
    connection: 'acme',
    source: { kind: 'csv', path },
    policy: 'sync',
    mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    settle: { every: '50ms', deadline: '1m' },
  });
  const { url: baseUrl, accessToken } = shell.sandbox;
  const connection = { baseUrl, accessToken, limits: { requestsPerSecond: 1000 }, dialect };
  const config = { connections: { acme: connection }, syncs: { staff: sync('a.csv'), guests: sync('b.csv') } };
  await writeFile(join(shell.folder, 'rollcall.yaml'), JSON.stringify(config));
  await writeFile(join(shell.folder, 'a.csv'), header + row('1') + row('2'));
  await shell.run(['apply', 'staff']);
  await writeFile(join(shell.folder, 'a.csv'), header + row('1', 'left') + row('2'));
  await shell.run(['apply', 'staff']);
  await writeFile(join(shell.folder, 'b.csv'), header + row('1') + row('3'));
  return shell;
}

test('adopt shows the account, its sync and what changes, asks, and is in the audit', async () => {
  const shell = await openTwo();
  const declined = await shell.run(['adopt', 'guests', '1'], { answer: 'n' });
  expect(declined.code).toBe(1);
  expect(declined.stdout).toMatch(/1 +disabled +staff +moves from sync staff to sync guests/);
  expect(declined.stderr).toContain('adopt 1 user into sync guests?');
  expect(declined.stdout).toContain('nothing was changed');
  const unasked = await shell.run(['adopt', 'guests', '1']);
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('Use --yes to confirm') });
  const words = ['--yes', '--as', 'Ana Díaz', '--reason', 'hired again'];
  const adopted = await shell.run(['adopt', 'guests', '1', ...words]);
  expect(adopted.code).toBe(0);
  expect(adopted.stdout).toMatch(/adopted 1 user; the next run decides about them: {2}rollcall apply guests/);
  const audit = (await shell.run(['audit', '--json'])).json<{ entries: object[] }>();
  expect(audit.entries[0]).toMatchObject({ action: 'adopt', by: 'tester', as: 'Ana Díaz', sync: 'guests' });
  expect((await shell.run(['audit'])).stdout).toContain('users of other syncs: 1 (staff): hired again');
  await shell.run(['apply', 'guests']);
  expect(shell.sandbox.state.users.get('1')?.enabled).toBe(true);
  const json = (await shell.run(['adopt', 'guests', '1', '--json', '--yes'])).json<object>();
  expect(json).toMatchObject({ sync: 'guests', adoptions: [{ identification: '1', kind: 'none', isDone: false }] });
  expect((await shell.run(['adopt', 'guests', '1'])).stdout).toContain('nothing to adopt');
});

test('an unknown person or sync is wrong usage, and nothing is changed', async () => {
  const shell = await openTwo();
  const unknown = await shell.run(['adopt', 'guests', '1', '99', '--yes']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('99. Nothing was changed') });
  expect((await shell.run(['adopt', 'none', '1', '--yes'])).code).toBe(2);
  expect((await shell.run(['audit', '--json'])).json<{ entries: { action: string }[] }>().entries).not.toContainEqual(
    expect.objectContaining({ action: 'adopt' }),
  );
});

/** Person 2 left, and N2 is the same person; the platform refuses to change an identification. */
async function openPair(): Promise<ConnectedShell> {
  // The sandbox does not know users by their uid.
  const shell = await openTwo({ userId: 'uid' });
  await writeFile(join(shell.folder, 'a.csv'), `${header}${row('2', 'left')}${row('2').replace('2,', 'N2,')}`);
  expect((await shell.run(['apply', 'staff'])).stdout).toContain('rollcall adopt staff N2');
  return shell;
}

test('a refused adopt names the other ways; the way that is chosen is asked about, and the next run applies it', async () => {
  const shell = await openPair();
  const refused = await shell.run(['adopt', 'staff', 'N2', '--yes']);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/N2 was not adopted: the platform refused the new identification/);
  expect(refused.stdout).toMatch(/adopt staff N2 --leave --until TIME --reason TEXT\n.*\n.*adopt staff N2 --replace\n/);

  const endless = await shell.run(['adopt', 'staff', 'N2', '--leave', '--yes']);
  expect(endless).toMatchObject({ code: 2, stderr: expect.stringContaining('--until TIME') });
  const declined = await shell.run(['adopt', 'staff', 'N2', '--replace'], { answer: 'n' });
  expect(declined).toMatchObject({ code: 1, stderr: expect.stringContaining('decide this about 1 person?') });
  const replaced = await shell.run(['adopt', 'staff', 'N2', '--replace', '--yes']);
  expect(replaced.stdout).toContain('decided: "N2" gets an account and the account of "2" is disabled');
  const held = await shell.run(['apply', 'staff']);
  expect(held).toMatchObject({ code: 3, stdout: expect.stringContaining('decided that N2 gets an account') });
  const { runs } = (await shell.run(['runs', 'staff', '--json'])).json<{ runs: { id: string }[] }>();
  await shell.run(['approve', runs[0]?.id ?? '', '--yes']);
  await shell.run(['apply', 'staff']);
  expect(['2', 'N2'].map((id) => shell.sandbox.state.users.get(id)?.enabled)).toEqual([false, true]);

  const left = ['adopt', 'staff', 'N2', '--leave', '--until', '30d', '--reason', 'notice', '--yes', '--json'];
  expect((await shell.run(left)).json<object>()).toMatchObject({ adoptions: [{ kind: 'decide', isDone: true }] });
});
