import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConnectedShell, useConnectedShells } from '../cli/test-shell.ts';

// One decision about a person, whoever asks: a run, a run of that person, `why`. What is decided is tested by
// people.test.ts, troubled-cells.test.ts, hand-overs.test.ts, email-chains.test.ts, decisions.test.ts and the others.

const openConnectedShell = useConnectedShells();

type Row = Readonly<Partial<Record<'id' | 'first' | 'mail' | 'status', string>>>;
const staff = (count: number, patch: Readonly<Record<string, Row>> = {}): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${i + 1}`, ...patch[`${i + 1}`] }));

const open = { absolute: 1000, percent: 100 };
const guards = { disables: open, enables: open, creates: open, emailChanges: open, updates: open, blocked: open };

async function openStaff(sync: object = {}): Promise<ConnectedShell> {
  const shell = await openConnectedShell([]);
  const { url: baseUrl, accessToken } = shell.sandbox;
  const staff = {
    connection: 'acme',
    source: { kind: 'csv', path: './staff.csv', complete: 'stable' },
    policy: 'sync',
    mapping: { identification: 'id', firstName: 'first', lastName: { value: 'Li' }, email: 'mail' },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    settle: { every: '50ms', visibleWithin: '1s' },
    guards,
    ...sync,
  };
  const connections = { acme: { baseUrl, accessToken, limits: { requestsPerSecond: 1000 } } };
  await writeFile(join(shell.folder, 'rollcall.yaml'), JSON.stringify({ connections, syncs: { staff } }));
  return shell;
}

async function write({ folder }: ConnectedShell, rows: readonly Row[]): Promise<void> {
  const lines = rows.map(({ id, first = `Ana${id}`, mail = `a${id}@example.com`, status = 'active' }) =>
    [id, first, mail, status].join(','),
  );
  await writeFile(join(folder, 'staff.csv'), `${['id,first,mail,status', ...lines].join('\n')}\n`);
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

test('who shares an e-mail is created by no run, whole or named, and why says the same', async () => {
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

test('the e-mail of somebody who left goes to a new hire, once the account has a parking address', async () => {
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
