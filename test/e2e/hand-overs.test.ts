import { expect, it } from 'vitest';
import { tracePerson } from '../../src/app/people.ts';
import { employees, type Office, openOffice, plainSync, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;
const atOnce = { missing: { afterReads: 1, minAge: '0s' } };
const second = {
  ...plainSync('./second.csv'),
  settle: { every: '2s', visibleWithin: '20s' },
  ...atOnce,
};
const staff = employees(80);
const others = employees(80).map((row): Row => ({ ...row, id: `X${row.id}`, mail: `x.${row.mail}` }));
const codes = (report: { findings: readonly { code: string; identification?: string }[] }) =>
  report.findings.map(({ code, identification = '' }) => `${code} ${identification}`.trim());

/** Two syncs that have both taken over their users. Employees move from `people` to `second`. */
async function twoSyncs(patch: { readonly people?: object; readonly second?: object } = {}): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf([...staff, ...others]) },
    sync: { ...atOnce, ...patch.people },
    syncs: { second: { ...second, ...patch.second } },
  });
  await office.writeEmployees(staff);
  await office.writeEmployees(others, 'second.csv');
  await office.apply();
  await office.apply({ sync: 'second' });
  return office;
}

/** The rows of both sources after `movers` went from the first to the second. */
async function move(office: Office, ...movers: readonly string[]): Promise<void> {
  await office.writeEmployees(staff.filter(({ id = '' }) => !movers.includes(id)));
  await office.writeEmployees([...others, ...staff.filter(({ id = '' }) => movers.includes(id))], 'second.csv');
}

const ownerOf = async (office: Office, id: string) => (await office.engine.io.store.ledger.get('acme', id))?.owner;
const isEnabled = (office: Office, id: string) => office.sandbox.state.users.get(id)?.enabled;

it('an employee who moves to the second sync after the first has read is taken over without a disable', async () => {
  const office = await twoSyncs({ people: { missing: { afterReads: 2, minAge: '24h' } } });
  await move(office, 'E1');
  expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
  const report = await office.apply({ sync: 'second' });
  expect(codes(report)).toContain('handed-over E1');
  expect(await ownerOf(office, 'E1')).toBe('second');
  const first = await office.apply();
  expect(first.findings).toContainEqual(
    expect.objectContaining({
      code: 'handed-over',
      identification: 'E1',
      message: expect.stringMatching(/^belongs to sync second since 2026/),
    }),
  );
  expect(codes(await office.apply())).not.toContain('handed-over E1');
  expect(office.sandbox.state.log).toEqual([]);
  expect(isEnabled(office, 'E1')).toBe(true);
});

it('a dry run takes nothing over, and why says the same as the plan', async () => {
  const office = await twoSyncs();
  await office.applyRows(staff.slice(1));
  await office.writeEmployees([...others, staff[0] as Row], 'second.csv');
  const plan = await office.plan('second');
  expect(plan.counts).toMatchObject({ enable: 1 });
  expect(await ownerOf(office, 'E1')).toBe('people');
  const trace = await tracePerson(office.app, 'second', 'E1', AbortSignal.timeout(60_000));
  expect(trace.decision).toMatchObject({ rule: 'active-enable', takenFrom: 'people' });
  expect(codes(trace)).toContain('handed-over E1');
  expect(await ownerOf(office, 'E1')).toBe('people');
});

it.each([
  ['is older than handOver.maxAge', async (office: Office) => office.clock.jump(25 * hourMs)],
  [
    'was doubted by a guard',
    async (office: Office) => {
      await office.applyRows(staff.slice(0, 10));
    },
  ],
])('nobody is taken over by a read that %s', async (name, later) => {
  const office = await twoSyncs({ people: { missing: 'never' } });
  const isOld = name.includes('maxAge');
  if (isOld) {
    await office.applyRows(staff.filter(({ id }) => id !== 'E30'));
  }
  await later(office);
  await office.writeEmployees([...others, staff[29] as Row], 'second.csv');
  await office.apply({ sync: 'second' });
  expect(await ownerOf(office, 'E30')).toBe('people');
});
