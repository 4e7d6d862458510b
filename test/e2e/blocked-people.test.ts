import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Run } from '../../src/ports/store.ts';
import { type ConnectedShell, useConnectedShells } from '../cli/test-shell.ts';

const openConnectedShell = useConnectedShells();

interface Person {
  readonly id: string;
  readonly mail?: string;
  readonly status?: string;
  readonly hired?: string;
}

const ids = (count: number): readonly Person[] =>
  Array.from({ length: count }, (_, i) => ({ id: String(100 + i).padStart(6, '0') }));

async function writeStaff({ folder }: ConnectedShell, people: readonly Person[]): Promise<void> {
  const lines = people.map(({ id, mail = `p${Number(id)}@example.com`, status = 'active', hired = '04/03/2019' }) => {
    return `${id},Ana${Number(id)},Test,${mail},Sales,${hired},${status},`;
  });
  const head = 'employee_id,first_name,last_name,work_email,department,hire_date,status,end_date';
  await writeFile(join(folder, 'employees.csv'), `${[head, ...lines].join('\n')}\n`);
}

interface Told {
  readonly id: string;
  readonly outcome: string;
  readonly reason: string;
  readonly facts: object;
  readonly counts: Run['counts'];
}

const apply = async (shell: ConnectedShell): Promise<Told & { readonly code: number }> => {
  const { code, json } = await shell.run(['apply', 'people', '--json']);
  return { code, ...json<Told>() };
};

/** A shell whose first run has created everybody. */
async function settled(people: readonly Person[]): Promise<ConnectedShell> {
  const shell = await openConnectedShell([]);
  await writeStaff(shell, people);
  expect(await apply(shell)).toMatchObject({ code: 0, outcome: 'succeeded', counts: { applied: people.length } });
  return shell;
}

const staff = ids(24);
const troubles = [
  {
    name: 'a status is renamed',
    people: staff.map((person, i) => (i === 0 ? person : { ...person, status: 'Employed' })),
    blocked: { 'status-unknown': 23 },
    cause: '23 of 24 rows have a status that is not in lifecycle; first at line 3',
  },
  {
    name: 'all identifications lose their leading zeros',
    people: staff.map(({ id }) => ({ id: String(Number(id)) })),
    blocked: { 'identity-conflict': 24 },
    cause:
      'identifications of 24 people differ from their accounts only in case, punctuation or leading zeros; first at line 2',
  },
] as const;

test.each(troubles)(
  'a run is held, and says why, when $name: approving it accepts that',
  async ({ people, blocked, cause }) => {
    const shell = await settled(staff);
    await writeStaff(shell, people);

    const plan = await shell.run(['plan', 'people']);
    expect(plan.code).toBe(3);
    expect(plan.stdout).toContain(cause);
    const first = await apply(shell);
    expect(first).toMatchObject({ code: 3, outcome: 'held', facts: { blocked }, counts: { disable: 0, create: 0 } });
    expect(first.reason).toContain(cause);
    const second = await shell.run(['apply', 'people']);
    expect(second).toMatchObject({ code: 3, stdout: expect.stringContaining('rollcall approve') });
    const [{ id }] = (await shell.run(['runs', '--json'])).json<{ runs: [Told] }>().runs;
    expect((await shell.run(['show', id])).stdout).toContain(cause);
    expect((await shell.run(['runs'])).stdout).toMatch(/needs approval .*[0-9]+ blocked/);

    expect(await shell.run(['approve', id, '--yes'])).toMatchObject({ code: 0 });
    // The read is accepted, and the run still says that these people are not decided.
    expect(await apply(shell)).toMatchObject({ code: 4, outcome: 'partial', isSuccess: true, facts: { blocked } });
    expect([...shell.sandbox.state.users.values()].every(({ enabled }) => enabled)).toBe(true);

    await writeStaff(shell, staff);
    expect(await apply(shell)).toMatchObject({ code: 0, outcome: 'nothing-to-do', facts: { blocked: {} } });
    await writeStaff(shell, people);
    expect(await apply(shell)).toMatchObject({ code: 3, outcome: 'held' });
  },
);
