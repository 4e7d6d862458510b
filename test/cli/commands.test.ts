import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

interface RunJson {
  readonly id: string;
  readonly outcome: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly digest: string;
}

const three = ['1001,Ana,Sales', '1002,Bo,Sales', '1003,Cy,Finance'];
const leave = (people: readonly string[]) => people.map((person) => `${person},terminated`);
const eight = Array.from({ length: 8 }, (_, i) => `20${i},Name${i},Sales`);

test('plan shows, apply does, and then there is nothing to do', async () => {
  const shell = await openConnectedShell(three);
  const plan = await shell.run(['plan', 'people', '--limit', '1']);
  const before = shell.sandbox.state.users.size;
  const apply = await shell.run(['apply', 'people']);
  const again = await shell.run(['plan', 'people', '--json']);

  expect(plan.code).toBe(0);
  expect(plan.stdout).toContain('people: 3 changes');
  expect(plan.stdout).toContain('1 of 3 changes, some of every class:');
  expect(plan.stdout).toContain('firstName: "Ana"');
  expect(before).toBe(0);
  expect(apply).toMatchObject({ code: 0, stdout: expect.stringContaining('3 applied') });
  expect(apply.stderr).toContain('delivering batch 1 of 1: 3 changes\n');
  expect([...shell.sandbox.state.users.keys()].sort()).toEqual(['1001', '1002', '1003']);
  expect(again.json<RunJson>()).toMatchObject({ outcome: 'nothing-to-do', changes: [] });
  expect(again.stderr).toBe('');
});

test('check looks at everything and fails when something does not work', async () => {
  const shell = await openConnectedShell(three);
  const well = await shell.run(['check']);
  await writePeople(shell, []);
  const token = await shell.run(['check', '--json'], { env: { ROLLCALL_ACCESS_TOKEN: 'wrong' } });

  expect(well).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ configuration {2}/) });
  expect(token.code).toBe(1);
  expect(token.json<{ lines: object[] }>()).toMatchObject({
    ok: false,
    lines: expect.arrayContaining([expect.objectContaining({ state: 'failed' })]),
  });
});

test('what a guard holds ends with 3, is listed, asked about, approved and delivered', async () => {
  const shell = await openConnectedShell(eight);
  await shell.run(['apply', 'people']);
  await writePeople(shell, leave(eight));
  const plan = await shell.run(['plan', 'people']);
  const apply = await shell.run(['apply', 'people', '--json']);
  const { id: run, counts, outcome } = apply.json<RunJson>();
  const shown = await shell.run(['show', run.slice(-8), '--held', '--limit', '2']);
  const alone = await shell.run(['approve', run]);
  const declined = await shell.run(['approve', run], { answer: 'n' });
  const approved = await shell.run(['approve', run], { answer: 'Y' });
  const delivered = await shell.run(['apply', 'people', '--json']);

  expect(plan.code).toBe(3);
  expect(plan.stdout).toContain('8 disables');
  expect(plan.stdout).not.toContain('to deliver what is not held');
  expect({ code: apply.code, outcome, held: counts.held }).toEqual({ code: 3, outcome: 'held', held: 8 });
  expect(shown.stdout).toMatch(/disable 200 .*\[held\]\ndisable 201 .*\[held\]\n… and more than these 2/);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(declined).toMatchObject({ code: 1, stderr: expect.stringContaining('approve 8 changes? [y/N]') });
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('approved 8 changes') });
  expect(delivered.json<RunJson>()).toMatchObject({ outcome: 'succeeded', counts: { applied: 8 } });
  expect([...shell.sandbox.state.users.values()].every(({ enabled }) => !enabled)).toBe(true);
});

test('runs are listed and shown, and a run can be tried again', async () => {
  const shell = await openConnectedShell(three);
  const none = await shell.run(['runs']);
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<RunJson>();
  const retried = await shell.run(['retry', run, '--json']);
  const listed = await shell.run(['runs', 'people', '--json']);
  const shown = await shell.run(['show', run, '--changes', '--json']);
  const { entries } = (await shell.run(['audit', '--json'])).json<{ entries: { by: string; action: string }[] }>();

  expect(entries.map(({ by, action }) => `${by} ${action}`)).toEqual(['tester retry', 'tester request-run']);
  expect(none.stdout).toBe('no runs yet\n');
  expect(await shell.run(['runs', 'peolpe'])).toMatchObject({ code: 2, stderr: expect.stringContaining('people') });
  expect(retried.json<RunJson>().outcome).toBe('nothing-to-do');
  expect(listed.json<{ runs: RunJson[] }>().runs.map(({ outcome }) => outcome)).toEqual(['nothing-to-do', 'succeeded']);
  expect(shown.json<{ changes: object[] }>().changes).toHaveLength(3);
  expect(await shell.run(['show', 'run_none'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('rollcall runs'),
  });
  expect(await shell.run(['cancel', run])).toMatchObject({ code: 1, stderr: expect.stringContaining('already ended') });
});

test('token status says what the token is and never what it holds', async () => {
  const shell = await openConnectedShell(three);
  const status = await shell.run(['token', 'status', 'acme']);

  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('acme: static') });
  expect(status.stdout).not.toContain(shell.sandbox.accessToken);
  expect(await shell.run(['token', 'status', 'acm'])).toMatchObject({ code: 2 });
});

test('a first refresh token is presented by the commands that may, and by no other', async () => {
  const shell = await openConnectedShell(three);
  const path = join(shell.folder, 'rollcall.yaml');
  const config = (await readFile(path, 'utf8')).replace(
    /^ {4}accessToken: .*$/m,
    `    applicationToken: ${shell.sandbox.applicationToken}\n    refreshToken: ${shell.sandbox.refreshToken}`,
  );
  await writeFile(path, `encryptionKey: ${Buffer.alloc(32, 7).toString('base64')}\n${config}`);
  const plan = await shell.run(['plan', 'people']);
  const presented = shell.sandbox.state.refreshes.length;
  const refresh = await shell.run(['token', 'refresh', 'acme']);
  const refreshes = shell.sandbox.state.refreshes.length;
  const planAgain = await shell.run(['plan', 'people']);
  const declined = await shell.run(['token', 'revoke', 'acme'], { answer: '' });
  const revoke = await shell.run(['token', 'revoke', 'acme', '--yes', '--json']);
  const apply = await shell.run(['apply', 'people', '--json']);

  expect(plan).toMatchObject({ code: 1, stderr: expect.stringContaining('token refresh') });
  expect([presented, refreshes]).toEqual([0, 1]);
  expect(refresh).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/acme: ready\n {2}generation \d\n.*\n {2}expires in /),
  });
  expect(planAgain.code).toBe(0);
  expect(declined).toMatchObject({ code: 1, stdout: 'nothing was changed\n' });
  expect(revoke.json()).toMatchObject({ name: 'acme', token: { state: 'revoked' } });
  expect(apply).toMatchObject({ code: 1 });
  for (const { stdout, stderr } of [plan, refresh, planAgain, revoke, apply]) {
    expect(stdout + stderr).not.toContain(shell.sandbox.refreshToken);
  }
});

test('the whole plan goes to a file', async () => {
  const shell = await openConnectedShell(three);
  const plan = await shell.run(['plan', 'people', '--limit', '0', '--out', 'plan.json']);
  const changes: object[] = JSON.parse(await readFile(join(shell.folder, 'plan.json'), 'utf8'));

  expect(plan.stdout).toContain('(3 changes) is in plan.json');
  expect(changes).toHaveLength(3);
});

test('a run that is canceled while no process works on it says how it ends', async () => {
  const shell = await openConnectedShell(['300,Ana,Sales']);
  await shell.run(['apply', 'people', '--json'], {
    isTerminal: true,
    onStderr: (text, stop) => text.includes('batch 1 of 1') && stop(),
  });
  const canceled = await shell.run(['cancel', 'run']);
  const next = await shell.run(['apply', 'people', '--json']);

  expect(canceled.stdout).toMatch(/is canceled: it (sends nothing more, and waits for|stops at its next safe point)/);
  expect(canceled.stdout).toContain('interrupted: no process works on the run. To continue it:  rollcall apply people');
  expect(next.json<{ resumed: object[] }>().resumed).toHaveLength(1);
});

test('start says when it is ready, does what other shells ask for, and ends with 0', async () => {
  const shell = await openConnectedShell(three);
  let asked: Promise<{ stdout: string }> | undefined;
  const started = await shell.run(['start', '--json'], {
    onStdout: (_, stop) => {
      asked ??= shell.run(['resync', 'people', '--json']).then(async (queued) => {
        await vi.waitFor(() => expect(shell.sandbox.state.users.size).toBe(3), 10_000).finally(stop);
        return queued;
      });
    },
  });

  expect(started.code).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({ ready: true, syncs: [{ name: 'people' }] });
  expect(JSON.parse((await asked)?.stdout ?? '')).toMatchObject({ outcome: 'queued' });
  for (const line of started.stderr.trim().split('\n').slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('msg');
});

test('why finds a person by name, e-mail or a part of the identification, and lists those who may be meant', async () => {
  const shell = await openConnectedShell([...three, '1010,Ana,Sales']);
  const json = (await shell.run(['why', 'people', 'nobody', '--json'])).json();
  expect(json).toMatchObject({ sync: 'people', identification: 'nobody', records: [], lookup: { found: false } });
  expect((await shell.run(['why', 'people', '1003'])).stdout).toContain('(active-create)');
  const before = await shell.run(['why', 'people', 'Ana']);
  expect(before).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^Ana: Not found: .* no such read exists yet/),
  });
  await shell.run(['apply', 'people']);
  const found = async (words: string): Promise<string[]> => {
    const { code, stdout } = await shell.run(['why', 'people', words]);
    if (!stdout.includes('did you mean')) return [`${code} ${stdout.split('\n', 1)[0]}`];
    return [`${code}`, ...stdout.split('\n').flatMap((line) => /why people (\S+)/.exec(line)?.[1] ?? [])];
  };
  expect(await shell.run(['why', 'people', ' '])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('why needs'),
  });
  const unnamed = await shell.run(['plan', 'people', '--user', '']);
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('without an identification') });
  expect(await found('1010')).toEqual(['0 1010 in sync people']);
  expect(await found('100')).toEqual(['1', '1001', '1002', '1003']);
  expect(await found('1010@example.com')).toEqual(['1', '1010']);
  expect(await found('Ana Test')).toHaveLength(3);
  expect(await found('Ana Tset')).toHaveLength(3);
  expect(await found('1010@exmaple.com')).toEqual(['1', '1010']);
  expect((await found('Zoe'))[0]).toMatch(
    /^1 Zoe: Not found: neither HR nor the platform .* were searched in the read of/,
  );
});

test('why prints the columns that the configuration reads, and the whole row with --row', async () => {
  const shell = await openConnectedShell([]);
  const head = 'employee_id,first_name,last_name,work_email,department,hire_date,status,end_date,salary';
  const row = '1001,Ana,Silva,1001@example.com,Sales,04/03/2019,active,,5000';
  await writeFile(join(shell.folder, 'employees.csv'), `${head}\n${row}\n`);
  expect((await shell.run(['why', 'people', '1001'])).stdout).not.toContain('5000');
  expect((await shell.run(['why', 'people', '1001', '--json'])).stdout).not.toContain('5000');
  expect((await shell.run(['why', 'people', '1001', '--row'])).stdout).toContain('salary: "5000"');
});
