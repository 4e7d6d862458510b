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

it('whom the first disabled as missing, the second enables and updates', async () => {
  const office = await twoSyncs();
  expect((await office.applyRows(staff.slice(1))).run.counts).toMatchObject({ disable: 1, applied: 1 });
  const moved = { ...staff[0], last: 'Moved' };
  await office.writeEmployees([...others, moved], 'second.csv');
  expect((await office.apply({ sync: 'second' })).run.counts).toMatchObject({ enable: 1, applied: 1 });
  expect(await ownerOf(office, 'E1')).toBe('second');
  expect(office.sandbox.state.users.get('E1')).toMatchObject({ enabled: true, fields: { lastName: 'Moved' } });
  expect((await office.apply()).run.outcome).toBe('nothing-to-do');
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

it('the first disables nobody whom the second shows as active, until the second had two full reads', async () => {
  const office = await twoSyncs();
  // The second has the person already, so it reported a conflict and does not own the account.
  await office.writeEmployees([...others, staff[0] as Row], 'second.csv');
  expect(codes(await office.apply({ sync: 'second' }))).toContain('owned-by-other-sync E1');
  const waits = await office.applyRows(staff.slice(1));
  expect(waits.run).toMatchObject({ outcome: 'nothing-to-do', counts: { disable: 0 } });
  expect(codes(waits)).toContain('hand-over-expected E1');
  const trace = await tracePerson(office.app, 'people', 'E1', AbortSignal.timeout(60_000));
  expect(trace.decision).toMatchObject({ rule: 'hand-over-expected', expected: { kind: 'disable' } });
  expect(trace.next).toContain('sends no disable');
  expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
  // Its row is broken in a way that leaves it active in the roster, and keeps the sync from taking it over.
  await office.writeEmployees([...others, { ...(staff[0] as Row), mail: 'x.ana2@example.com' }], 'second.csv');
  await office.apply({ sync: 'second' });
  expect(await ownerOf(office, 'E1')).toBe('people');
  expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
  await office.apply({ sync: 'second' });
  const report = await office.apply();
  expect(report.run.counts).toMatchObject({ disable: 1, applied: 1 });
  expect(isEnabled(office, 'E1')).toBe(false);
});

it('a second source that does not answer any more stops no disable for longer than handOver.maxAge', async () => {
  const office = await twoSyncs();
  await office.writeEmployees([...others, staff[0] as Row], 'second.csv');
  await office.apply({ sync: 'second' });
  expect((await office.applyRows(staff.slice(1))).run.counts).toMatchObject({ disable: 0 });
  await office.writeText('', 'second.csv');
  expect((await office.apply({ sync: 'second' })).run.outcome).toBe('failed');
  office.clock.jump(23 * hourMs);
  expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
  office.clock.jump(2 * hourMs);
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
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

it('a named run takes over too, and an out-of-scope row releases', async () => {
  const office = await twoSyncs({ people: { scope: "last != 'Guest'", outOfScope: 'disable' } });
  await office.writeEmployees(staff.map((row) => (row.id === 'E1' ? { ...row, last: 'Guest' } : row)));
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
  await office.writeEmployees([...others, staff[0] as Row], 'second.csv');
  const report = await office.apply({ sync: 'second', users: ['E1'] });
  expect(report.run.counts).toMatchObject({ enable: 1, applied: 1 });
  expect(await ownerOf(office, 'E1')).toBe('second');
});
