import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { dialectBlock } from '../../src/cli/commands/connections.ts';
import { dialect } from '../../src/config/sections/dialect.ts';
import { useConnectedShells } from './test-shell.ts';

const open = useConnectedShells();

it('learn without a terminal needs --yes, and exits 2 with nothing written', async () => {
  const shell = await open(['1,Ana,Sales']);
  for (const words of [
    ['learn', 'acme'],
    ['learn', 'acme', '--json'],
    ['learn', 'other', '--yes'],
  ]) {
    expect((await shell.run(words)).code).toBe(2);
  }
  expect((await shell.run(['learn', 'acme'])).stderr).toContain('--yes');
  expect(shell.sandbox.state.log).toEqual([]);
});

it('learn asks before each write on a terminal, and writes nothing that is declined', async () => {
  const shell = await open(['1,Ana,Sales']);
  const { code, stderr, stdout } = await shell.run(['learn', 'acme'], { isTerminal: true, answer: 'n' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/a file with one row: I rollcall-learn-\d{14}\?/);
  expect(stdout).toContain('the first file was declined');
  expect(shell.sandbox.state.log).toEqual([]);
});

it('learn --json prints one object with the block, which the configuration takes; check then names only what is left', async () => {
  const shell = await open(['1,Ana,Sales']);
  expect((await shell.run(['check', 'acme'])).stdout).toContain('rollcall learn acme');
  const { code, json } = await shell.run(['learn', 'acme', '--user', 'test-1', '--yes', '--json']);
  expect(code).toBe(0);
  const report = json<{ ok: boolean; user: string; dialect: string; unknown: string[]; lines: unknown[] }>();
  expect(report).toMatchObject({ ok: true, user: 'test-1', stopped: null, left: null, settle: null });
  expect(report.unknown).toContain('expiresIn');
  expect(dialect.parse(parse(report.dialect).dialect)).toMatchObject({ userId: 'id', put: 'merges' });
  expect((await shell.run(['check', 'acme'])).stdout).toMatch(
    /dialect: 2 settings are untested \(search\.parameters, search\.pageSize\). To|dialect: 1 setting is untested \(search\). To/,
  );
  expect([...shell.sandbox.state.users.keys()]).toEqual([]);
});

it('a block is YAML whatever words the platform has', () => {
  const words = ['Listo', 'No', 'a: b', '#1', "d'accord", '10', ''];
  const block = dialectBlock({
    'status.done': words,
    'status.failed': ['Con errores'],
    enableBy: 'I',
    'csv.dateFormat': 'dd/MM/yyyy',
  });
  expect(parse(block)).toEqual({
    dialect: { status: { done: words, failed: ['Con errores'] }, enableBy: 'I', csv: { dateFormat: 'dd/MM/yyyy' } },
  });
  expect(dialectBlock({})).toBe('');
});
