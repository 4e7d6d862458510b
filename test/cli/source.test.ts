import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { SourceTrial } from '../../src/app/try-source.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

const people = ['1001,Ana,Finance', '1002,Bruno,Sales,leave', '1003,Chloé,,terminated', '1004,Darío,Sales,sabbatical'];

test('source list shows every kind with what it can do, for people and for machines', async () => {
  const shell = await openConnectedShell([]);

  const text = (await shell.run(['source', 'list'])).stdout;
  const { kinds } = (await shell.run(['source', 'list', '--json'])).json<{
    kinds: { kind: string; capabilities: object }[];
  }>();

  expect(kinds.map(({ kind }) => kind)).toEqual(sourceKinds.map(({ kind }) => kind));
  expect(kinds).toContainEqual(
    expect.objectContaining({ kind: 'csv', capabilities: expect.objectContaining({ delta: false }) }),
  );
  for (const { kind, title } of sourceKinds)
    expect(text).toMatch(new RegExp(`^${kind} .*${title.replaceAll(/[()[\]]/g, '.')}$`, 'm'));
  expect(text).toMatch(/rollcall init --source NAME, with one of: .*csv/);
});

test('source try shows the first people, fill-rates, status values and what the lifecycle makes of them', async () => {
  const shell = await openConnectedShell(people);
  await appendFile(
    join(shell.folder, 'employees.csv'),
    '1001,Eva,Paz,eva@example.com,Sales,31/02/2019,active,\nbroken\n',
  );

  const { code, stdout } = await shell.run(['source', 'try', 'people', '--show', '2']);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^people: 6 records read from csv\n {2}complete: the file did not change/);
  expect(stdout).toContain(
    '1 person has several records that contradict each other, so their users are not changed: 1001.',
  );
  expect(stdout).toContain('nothing was written');
  expect(stdout).toContain('the first 2 after mapping\n  1001  line 2\n');
  expect(stdout).toMatch(/ {4}firstName +"Ana" +from first_name\n/);
  expect(stdout).not.toContain('Chloé');
  expect(stdout).toMatch(/ {2}department +█{13}░{7} {2}67 % {2}4 +area\n/);
  expect(stdout).toMatch(/ {2}end_date +░{20} {3}0 % {2}0 +lifecycle\.leaveDate\n/);
  expect(stdout).toMatch(/ {2}area +█{16}░{4} {2}80 % {2}4\n/);
  expect(stdout).toMatch(/ {2}"active" .* {2}2 {2}active\n/);
  expect(stdout).toMatch(/ {2}"sabbatical" .* {2}1 {2}unknown: such users are not changed\n/);
  expect(stdout).toContain('in all: 3 active, 1 left, 0 future hire, 1 unknown');
  expect(stdout).toContain('cells that cannot be used (the rest of the record counts)\n');
  expect(stdout).toMatch(/1 × {2}hire_date {2}is not a date in the format dd\/MM\/yyyy\n/);
  expect(stdout).toMatch(/1 × {2}record +.*column/);
});

test('source try --json is one object with the same', async () => {
  const shell = await openConnectedShell(people);

  const trial = (await shell.run(['source', 'try', 'people', '--json', '--show', '1'])).json<SourceTrial>();

  expect(trial).toMatchObject({ sync: 'people', kind: 'csv', read: 'full', rows: 4, end: { kind: 'complete' } });
  expect(trial.people).toMatchObject([
    { at: 'line 2', trace: { mapped: { identification: '1001', standing: 'active' } } },
  ]);
  expect(trial.fields).toContainEqual({ path: 'department', filled: 3, empty: 1, readers: ['area'] });
  expect(trial.statuses).toContainEqual({ value: 'terminated', records: 1, standings: { leaver: 1 } });
  expect(trial).toMatchObject({
    unseen: [],
    several: { decided: 0, undecided: 0, undecidedNames: [] },
    isTokenPresented: false,
  });
});

test('a limit stops the read, and says that nothing is known of the rest', async () => {
  const shell = await openConnectedShell(people);

  const { code, stdout } = await shell.run(['source', 'try', 'people', '--limit', '2']);

  expect(code).toBe(0);
  expect(stdout).toContain('people: 2 records read');
  expect(stdout).toContain('stopped at --limit 2');
  expect(stdout).toContain('in all: 2 active, 0 left');
});

test('a field that no record has is named with who reads it, instead of failing', async () => {
  const shell = await openConnectedShell(people);
  const path = join(shell.folder, 'rollcall.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('leaveDate: end_date', 'leaveDate: last_day'));

  const { code, stdout } = await shell.run(['source', 'try', 'people']);

  expect(code).toBe(0);
  expect(stdout).toContain(
    'lifecycle.leaveDate reads last_day, but no record has this field: check its name and the permissions',
  );
});

test('of nobody nothing is counted, and no name is called misspelt', async () => {
  const shell = await openConnectedShell([]);

  const { code, stdout } = await shell.run(['source', 'try', 'people']);
  const { unseen } = (await shell.run(['source', 'try', 'people', '--json'])).json<SourceTrial>();

  expect(code).toBe(4);
  expect(stdout).toMatch(/^people: 0 records read from csv\n {2}not complete: .*no employees/);
  expect(stdout).not.toMatch(/misspelt|in all:|%/);
  expect(unseen).toEqual([]);
});

test('a read that is not whole ends with 4, and says what that means', async () => {
  const shell = await openConnectedShell(people);
  await appendFile(join(shell.folder, 'employees.csv'), '1005,Eva');

  const { code, stdout } = await shell.run(['source', 'try', 'people']);

  expect(code).toBe(4);
  expect(stdout).toMatch(/not complete: .*line end.*. An incomplete read disables no user/);
});

test('--since is wrong usage where the source has no delta', async () => {
  const shell = await openConnectedShell(people);

  const { code, stderr } = await shell.run(['source', 'try', 'people', '--since', '2026-11-21T00:00:00+01:00']);

  expect(code).toBe(2);
  expect(stderr).toContain('kind csv, which has no delta reads');
});

test('what stands in the source cannot act on the terminal', async () => {
  const shell = await openConnectedShell([]);
  await writePeople(shell, ['1001,\u001b[2JAna,Finance,\u001b]0;x\u0007active']);

  const { stdout } = await shell.run(['source', 'try', 'people'], { isTerminal: true });

  expect(stripVTControlCharacters(stdout)).toContain('"\\u001b]0;x\\u0007active"');
  expect(stdout).not.toContain('\u001b[2J');
  expect(stdout).not.toContain('\u0007');
});
