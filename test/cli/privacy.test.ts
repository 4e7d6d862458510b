import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

async function openShellWithKey() {
  const shell = await openConnectedShell(['1,Ana,Sales', '2,Bo,Sales']);
  const path = join(shell.folder, 'rollcall.yaml');
  await writeFile(path, `encryptionKey: "${Buffer.alloc(32, 3).toString('base64')}"\n${await readFile(path, 'utf8')}`);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  return shell;
}

it('export shows everything about one person, as text and as JSON, and the audit keeps only that it was asked', async () => {
  const shell = await openShellWithKey();

  const text = (await shell.run(['admin', 'export', '1'])).stdout;
  for (const part of ['what the store has about 1', 'ledger:', 'changes:', '"Ana"', '1@example.com']) {
    expect(text).toContain(part);
  }
  const record = (await shell.run(['admin', 'export', '1', '--json'])).json<{
    changes: { after: { firstName: string } }[];
  }>();
  expect(record.changes.map(({ after }) => after.firstName)).toEqual(['Ana']);
  const audit = await shell.run(['audit']);
  expect(audit.stdout).toMatch(/tester +export .*one person: 1 ledger entry, 1 directory entry, 1 change/);
  expect(audit.stdout).not.toContain('Ana');
  expect((await shell.run(['admin', 'export', '9'])).stdout).toBe('the store has nothing about 9\n');
});

it('forget shows what it erases and asks; then nothing is left but a keyed hash', async () => {
  const shell = await openShellWithKey();

  const refused = await shell.run(['admin', 'forget', '1'], { answer: 'n', isTerminal: true });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was erased') });
  expect(refused.stdout).toContain('1: 1 ledger entry, 1 directory entry, 1 change will be erased.');
  expect(refused.stdout).toContain('owned by sync people');

  const done = await shell.run(['admin', 'forget', '1', '--yes', '--reason', 'request 12']);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('A keyed hash is kept for acme') });
  const { stdout } = await shell.run(['admin', 'export', '1']);
  expect(stdout).toContain('kept under a keyed hash:');
  expect(stdout).not.toContain('Ana');
  expect((await shell.run(['audit'])).stdout).toContain('request 12');
  expect((await shell.run(['admin', 'forget', '1', '--yes'])).stderr).toContain('the store has nothing about 1');
  expect((await shell.run(['admin', 'export', '2'])).stdout).toContain('Bo');
  expect((await shell.run(['plan', 'people'])).code).toBe(0);
});
