import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parseFault } from '../../src/sandbox/index.ts';
import { type ConnectedShell, useConnectedShells } from '../cli/test-shell.ts';

/**
 * One decision, kept everywhere: each promise once at the command line, against a sandbox platform over HTTP. Where
 * another test lives the promise already, it is named here and not written twice.
 *
 *  promise                                                    | test
 *  -----------------------------------------------------------+------------------------------------------------------
 *   1  why equals the plan                                    | here; test/run/explain.test.ts
 *   2  a run about one person sees who else claims an e-mail  | here; test/run/plan/email-moves.test.ts
 *   3  a leaver is a leaver                                   | here; people.test.ts
 *   4  rows out of scope claim nothing                        | here; people.test.ts
 *   5  trouble with a cell is trouble of that cell            | here; troubled-cells.test.ts
 *   6  a leave date to come enables nobody again              | here; troubled-cells.test.ts
 *   7  a move between syncs is a hand-over; adopt             | here; hand-overs.test.ts, test/cli/adopt.test.ts
 *   8  e-mails that are swapped                               | here; email-chains.test.ts
 *   9  an account made again is first sight                   | here; people.test.ts
 *  10  a digest never delivers what was rejected              | test/cli/holds.test.ts, "a plan approved by digest …"
 *  11  rejecting "missing" does not swallow "left"            | here; decisions.test.ts
 *  12  a part is approved and rejected; the audit             | test/cli/holds.test.ts, "a part is rejected and …"
 *  13  many people without a decision are no success          | here; blocked-people.test.ts
 *  14  the same people exported again are missing again       | here; blocked-people.test.ts
 *  15  e-mails compare without case                           | here; edited-meanwhile.test.ts
 *  16  what landed of a failed file is not sent again         | here; edited-meanwhile.test.ts
 *  17  a disable made meanwhile is not undone                 | here; edited-meanwhile.test.ts
 *  18  what is assumed stays assumed                          | here; troubled-cells.test.ts
 *  19  tiny companies lose one account a day                  | here; blocked-people.test.ts
 *      names in NFD, with spaces                              | here; shown-as.test.ts
 */

const openConnectedShell = useConnectedShells();

type Row = Readonly<Partial<Record<'id' | 'first' | 'mail' | 'area' | 'hired' | 'left' | 'status', string>>>;
const staff = (count: number, patch: Readonly<Record<string, Row>> = {}): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${i + 1}`, ...patch[`${i + 1}`] }));

const open = { absolute: 1000, percent: 100 };
const guards = { disables: open, enables: open, creates: open, emailChanges: open, updates: open, blocked: open };

async function openStaff(sync: object = {}, others: Readonly<Record<string, object>> = {}): Promise<ConnectedShell> {
  const shell = await openConnectedShell([]);
  const { url: baseUrl, accessToken } = shell.sandbox;
  const syncOf = (name: string, over: object) => ({
    connection: 'acme',
    source: { kind: 'csv', path: `./${name}.csv`, complete: 'stable' },
    policy: 'sync',
    mapping: {
      identification: 'id',
      firstName: 'first',
      lastName: { value: 'Li' },
      email: 'mail',
      area: 'area',
      orgEntryDate: 'hired',
    },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'], leaveDate: 'left' },
    settle: { every: '50ms', visibleWithin: '1s' },
    guards,
    ...over,
  });
  const config = {
    connections: { acme: { baseUrl, accessToken, limits: { requestsPerSecond: 1000 } } },
    syncs: {
      staff: syncOf('staff', sync),
      ...Object.fromEntries(Object.entries(others).map(([name, over]) => [name, syncOf(name, over)])),
    },
  };
  await writeFile(join(shell.folder, 'rollcall.yaml'), JSON.stringify(config));
  return shell;
}

async function write({ folder }: ConnectedShell, rows: readonly Row[], name = 'staff'): Promise<void> {
  const lines = rows.map(({ id = '', first = `Ana${id}`, area = 'Sales', hired = '2020-01-31', left = '', ...row }) => {
    const { mail = `a${id}@example.com`, status = 'active' } = row;
    return [id, first, mail, `"${area}"`, hired, left, status].join(',');
  });
  await writeFile(join(folder, `${name}.csv`), `${['id,first,mail,area,hired,left,status', ...lines].join('\n')}\n`);
}

interface Told {
  readonly id: string;
  readonly outcome: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly code: string; readonly identification?: string }[];
}

async function apply(shell: ConnectedShell, ...words: readonly string[]): Promise<Told & { readonly code: number }> {
  const { code, json } = await shell.run(['apply', ...(words.length === 0 ? ['staff'] : words), '--json']);
  return { code, ...json<Told>() };
}

/** Everybody of `rows` is on the platform and ours. */
async function settled(shell: ConnectedShell, rows: readonly Row[]): Promise<void> {
  await write(shell, rows);
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { applied: rows.length } });
}

const userOf = ({ sandbox }: ConnectedShell, name: string) => sandbox.state.users.get(name);
const shared = 'shared@example.com';

test('1, 2: who shares an e-mail is created by no run, whole or named, and why says the same', async () => {
  const shell = await openStaff();
  await write(shell, staff(6, { 2: { mail: shared }, 3: { mail: shared } }));
  expect(await apply(shell, 'staff', '--user', '2')).toMatchObject({ counts: { create: 0, applied: 0, failed: 0 } });
  expect(await apply(shell)).toMatchObject({ counts: { create: 4, applied: 4 } });
  const why = await shell.run(['why', 'staff', '2']);
  expect(why.stdout).toContain('have the same e-mail');
  expect((await shell.run(['why', 'staff', '2', '--json'])).stdout).not.toContain('"kind":"create"');
  expect(await apply(shell, 'staff', '--user', '2')).toMatchObject({ counts: { create: 0, failed: 0 } });
  expect(userOf(shell, '2')).toBeUndefined();
});

test('2: a named run before the first full read leaves an e-mail to its holder: a conflict, not a failure', async () => {
  const first = await openStaff();
  await settled(first, staff(4));
  // Another store knows nothing of the people.
  const path = join(first.folder, 'rollcall.yaml');
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), store: 'sqlite:./other.db' }));
  await write(first, staff(4, { 1: { mail: 'a2@example.com' }, 2: { mail: 'new@example.com' } }));
  const named = await apply(first, 'staff', '--user', '1');
  expect(named).toMatchObject({ code: 0, outcome: 'nothing-to-do', counts: { failed: 0, update: 0 } });
  expect(named.findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification: '1' }));
  expect(await apply(first)).toMatchObject({ outcome: 'succeeded', counts: { update: 2, applied: 2 } });
});

test('3: a leaver is disabled although a new hire claims the e-mail, and the new hire waits', async () => {
  const shell = await openStaff();
  await settled(shell, staff(6));
  const claimant = { id: '7', first: 'Eva', mail: 'a1@example.com' };
  await write(shell, [...staff(6, { 1: { status: 'left' } }), claimant]);
  const told = await apply(shell);
  expect(told.counts).toMatchObject({ disable: 1, create: 0, applied: 1 });
  expect(told.findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification: '7' }));
  expect([userOf(shell, '1')?.enabled, userOf(shell, '7')]).toEqual([false, undefined]);
});

test('4: a row out of scope blocks nobody', async () => {
  const shell = await openStaff({ scope: "area != 'Guests'" });
  await settled(shell, staff(4));
  await write(shell, [...staff(4, { 1: { mail: shared } }), { id: '9', mail: shared, area: 'Guests' }]);
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { update: 1, applied: 1 } });
});

test('5: an unreadable cell is kept, and the rest of the row goes on, leaving too', async () => {
  const shell = await openStaff();
  await settled(shell, staff(6));
  const odd = {
    1: { area: 'Sal\tes', hired: 'soon' },
    2: { hired: 'soon', first: 'Eva' },
    3: { hired: '?', status: 'left' },
  };
  await write(shell, staff(6, odd));
  expect((await apply(shell)).counts).toMatchObject({ update: 2, disable: 1, applied: 3 });
  expect(userOf(shell, '1')?.fields).toMatchObject({ area: 'Sal es', orgEntryDate: '2020-01-31' });
  expect(userOf(shell, '2')?.fields).toMatchObject({ firstName: 'Eva', orgEntryDate: '2020-01-31' });
  expect(userOf(shell, '3')?.enabled).toBe(false);
});

test('6: a leave date to come does not bring a leaver back', async () => {
  const shell = await openStaff();
  await settled(shell, staff(6));
  await write(shell, staff(6, { 1: { status: 'left' } }));
  await apply(shell);
  await write(shell, staff(6, { 1: { status: 'left', left: '2099-01-01' } }));
  expect((await apply(shell)).counts).toMatchObject({ enable: 0, applied: 0 });
  expect(userOf(shell, '1')?.enabled).toBe(false);
});

test('7: who moves to another sync is handed over, and never disabled', async () => {
  const missing = { missing: { afterReads: 1, minAge: '0s' } };
  const shell = await openStaff(missing, { guests: missing });
  await settled(shell, staff(12));
  await write(shell, [{ id: '1', area: 'Guests' }], 'guests');
  await apply(shell, 'guests');
  await write(shell, staff(12).slice(1));
  expect(await apply(shell)).toMatchObject({ counts: { disable: 0 } });
  expect(await apply(shell, 'guests')).toMatchObject({ outcome: 'succeeded', counts: { update: 1, applied: 1 } });
  expect(userOf(shell, '1')).toMatchObject({ enabled: true, fields: { area: 'Guests' } });
});

test('8: two people who swap their e-mails wait for a person, or go over a parking address', async () => {
  const swap = staff(6, { 1: { mail: 'a2@example.com' }, 2: { mail: 'a1@example.com' } });
  const without = await openStaff();
  await settled(without, staff(6));
  await write(without, swap);
  const told = await apply(without);
  expect(told.counts).toMatchObject({ update: 0, failed: 0 });
  expect(told.findings.map(({ code }) => code)).toEqual(['email-cycle', 'email-cycle']);
  const shell = await openStaff({ parkEmail: '{identification}@parked.example' });
  await settled(shell, staff(6));
  await write(shell, swap);
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { update: 2, applied: 2 } });
  expect(['1', '2'].map((name) => userOf(shell, name)?.fields.email)).toEqual(['a2@example.com', 'a1@example.com']);
});

test('8: the e-mail of somebody who left goes to a new hire, once the account has a parking address', async () => {
  const shell = await openStaff({ parkEmail: '{identification}@parked.example' });
  await settled(shell, staff(6));
  const hired = [...staff(6, { 1: { status: 'left' } }), { id: '7', mail: 'a1@example.com' }];
  await write(shell, hired);
  const first = await apply(shell);
  expect(first).toMatchObject({ code: 0, counts: { disable: 1, create: 0, applied: 1 } });
  expect(first.findings).toMatchObject([{ code: 'email-conflict', identification: '7' }]);
  const why = await shell.run(['why', 'staff', '1']);
  expect(why.stdout).toContain('left, and 7 needs the e-mail, so the account gets its parking address');
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { update: 1, create: 1, applied: 2 } });
  expect(userOf(shell, '1')).toMatchObject({ enabled: false, fields: { email: '1@parked.example' } });
  expect(userOf(shell, '7')).toMatchObject({ enabled: true, fields: { email: 'a1@example.com' } });
  expect(await apply(shell)).toMatchObject({ outcome: 'nothing-to-do', findings: [] });
  await write(shell, [...staff(6, { 1: { mail: 'ana@example.com' } }), { id: '7', mail: 'a1@example.com' }]);
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { enable: 1, applied: 1 } });
  expect(userOf(shell, '1')).toMatchObject({ enabled: true, fields: { email: 'ana@example.com' } });
});

const withJob = { identification: 'id', firstName: 'first', lastName: { value: 'Li' }, email: 'mail', job: 'area' };

/** Somebody at the platform makes an account, as its administrators do. */
async function createByHand({ sandbox }: ConnectedShell, user: Readonly<Record<string, string>>): Promise<void> {
  const headers = { authorization: `Bearer ${sandbox.accessToken}`, 'content-type': 'application/json' };
  const users = `${sandbox.url}/os-api/public-api/v1/users`;
  const body = JSON.stringify({ lastName: 'Li', ...user });
  expect((await fetch(`${users}/`, { method: 'POST', headers, body })).status).toBe(201);
}

test('9: an account that was deleted and made again by hand is first sight again', async () => {
  const shell = await openStaff({ mapping: withJob });
  await settled(shell, staff(6));
  expect((await apply(shell)).outcome).toBe('nothing-to-do');
  const deleted = await shell.run(['api', 'users', 'delete', '--identification', '1', '--yes']);
  expect(deleted).toMatchObject({ code: 0 });
  await createByHand(shell, { identification: '1', firstName: 'Ana1', email: 'a1@example.com' });
  const plan = await shell.run(['plan', 'staff']);
  expect(plan.stdout).toContain('first sight of write-only job');
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { update: 1, applied: 1 } });
  expect(userOf(shell, '1')?.fields.job).toBe('Sales');
});

test('11: a rejected "missing" does not reject that the person left', async () => {
  const none = { absolute: 0, percent: 0 };
  const shell = await openStaff({
    missing: { afterReads: 1, minAge: '0s' },
    guards: { ...guards, disables: none, rowsDownPercent: 100 },
  });
  await settled(shell, staff(12));
  await write(shell, staff(12).slice(1));
  const { id: run } = await apply(shell);
  expect((await shell.run(['reject', run, '--yes'])).code).toBe(0);
  await write(shell, staff(12).slice(1));
  expect((await apply(shell)).counts).toMatchObject({ held: 0, applied: 0 });
  await write(shell, staff(12, { 1: { status: 'left' } }));
  expect(await apply(shell)).toMatchObject({ code: 3, counts: { disable: 1, held: 1 } });
});

test('13: a run that cannot decide about most people is held, with the likely cause', async () => {
  const shell = await openStaff({ guards: {} });
  await settled(shell, staff(6));
  const renamed = Object.fromEntries(['1', '2', '3', '4', '5'].map((id) => [id, { status: 'present' }]));
  await write(shell, staff(6, renamed));
  const { code, stdout } = await shell.run(['apply', 'staff']);
  expect(code).toBe(3);
  expect(stdout).toContain('5 of 6 rows have a status that lifecycle does not name; first at line 2');
});

test('14: the same people exported again are missing once more', async () => {
  const shell = await openStaff({
    missing: { afterReads: 2, minAge: '0s' },
    guards: { ...guards, rowsDownPercent: 100 },
  });
  await settled(shell, staff(12));
  await write(shell, staff(12).slice(1));
  expect((await apply(shell)).counts).toMatchObject({ disable: 0 });
  expect((await apply(shell)).counts).toMatchObject({ disable: 0 });
  await write(shell, staff(12).slice(1));
  expect((await apply(shell)).counts).toMatchObject({ disable: 1, applied: 1 });
});

test('15: an e-mail in another case is no change', async () => {
  const shell = await openStaff();
  await settled(shell, staff(4));
  await write(shell, staff(4, { 1: { mail: 'A1@Example.COM' } }));
  expect(await apply(shell)).toMatchObject({ outcome: 'nothing-to-do' });
});

test('16: a file with a bad row is split, and nothing that landed is sent again', async () => {
  const shell = await openStaff({ delivery: 'csv' });
  await settled(shell, staff(4));
  shell.sandbox.setFaults([parseFault('file:fail-if=3')]);
  const before = shell.sandbox.state.log.length;
  await write(
    shell,
    staff(4).map((row) => ({ ...row, area: 'Finance' })),
  );
  expect(await apply(shell)).toMatchObject({ code: 4, counts: { update: 4, applied: 3, failed: 1 } });
  const written = shell.sandbox.state.log.slice(before).map(({ identification }) => identification);
  expect(written.toSorted()).toEqual(['1', '2', '4']);
});

test('17: an account that is disabled by hand between the plan and its file stays disabled', async () => {
  const shell = await openStaff({ delivery: 'csv' });
  await settled(shell, staff(6));
  await write(shell, staff(6, { 1: { first: 'Eva' }, 2: { first: 'Eva' } }));
  // The plan is made, and its file has to wait.
  shell.sandbox.setFaults([parseFault('upload:status=409;retry-after=1@1')]);
  const uploads = shell.sandbox.state.requests.upload;
  const running = apply(shell);
  await vi.waitFor(() => expect(shell.sandbox.state.requests.upload).toBe(uploads + 1), {
    interval: 5,
    timeout: 10_000,
  });
  shell.sandbox.state.editUser('1', { enabled: false });
  const told = await running;
  expect(told).toMatchObject({ code: 4, outcome: 'partial', counts: { applied: 1, failed: 1 } });
  expect(told.findings).toMatchObject([{ code: 'foreign-disable', identification: '1' }]);
  expect(['1', '2'].map((name) => userOf(shell, name))).toMatchObject([
    { enabled: false, fields: { firstName: 'Ana1' } },
    { enabled: true, fields: { firstName: 'Eva' } },
  ]);
});

test('18: a value that the platform does not show and that was assumed is not overwritten by another update', async () => {
  const shell = await openStaff({ mapping: withJob, firstSight: 'assume', delivery: 'csv' });
  await createByHand(shell, { identification: '1', firstName: 'Ana1', email: 'a1@example.com', job: 'by hand' });
  await write(shell, staff(6));
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { create: 5, update: 0, applied: 5 } });
  await write(shell, staff(6, { 1: { first: 'Eva' } }));
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { update: 1, applied: 1 } });
  expect(userOf(shell, '1')?.fields).toMatchObject({ firstName: 'Eva', job: 'by hand' });
});

test('19: a user whom the platform shows in decomposed letters is updated as itself', async () => {
  const shell = await openStaff();
  await createByHand(shell, { identification: 'Jose\u0301', firstName: 'Ana', email: 'jose@example.com' });
  const jose = { id: 'Jos\u00e9', mail: 'jose@example.com' };
  await write(shell, [...staff(3), { ...jose, first: 'Eva' }]);
  expect(await apply(shell)).toMatchObject({ outcome: 'succeeded', counts: { create: 3, update: 1, applied: 4 } });
  expect(shell.sandbox.state.users.size).toBe(4);
  expect(userOf(shell, 'Jose\u0301')?.fields.firstName).toBe('Eva');
});

test('19: a company of four loses one account without a person', async () => {
  const shell = await openStaff({ guards: {} });
  await settled(shell, staff(4));
  await write(shell, staff(4, { 1: { status: 'left' }, 2: { status: 'left' } }));
  expect(await apply(shell)).toMatchObject({ code: 3, outcome: 'held', counts: { disable: 2, held: 2, applied: 0 } });
  await write(shell, staff(4, { 1: { status: 'left' } }));
  expect((await apply(shell)).counts).toMatchObject({ disable: 1, applied: 1 });
});
