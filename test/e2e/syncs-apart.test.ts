import { expect, it } from 'vitest';
import { employees, type Office, openOffice, plainSync, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const second = {
  ...plainSync('./second.csv'),
  settle: { every: '2s', visibleWithin: '20s' },
  missing: { afterReads: 1, minAge: '0s' },
};
const staff = employees(10);
/** Ten others, and E1, whom the first sync has. */
const others = [
  ...employees(1, { E1: { last: 'Otro' } }),
  ...employees(10).map((row) => ({ ...row, id: `X${row.id}`, mail: `x.${row.mail}` })),
];

async function twoSyncs(): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf([...staff, ...others.slice(1)]) },
    sync: { missing: { afterReads: 1, minAge: '0s' } },
    syncs: { second },
  });
  await office.writeEmployees(staff);
  await office.writeEmployees(others, 'second.csv');
  return office;
}

it('two syncs of one connection leave each other’s users alone, and say who is claimed twice', async () => {
  const office = await twoSyncs();
  expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do' });
  const report = await office.apply({ sync: 'second' });
  expect(report.run.counts).toMatchObject({ create: 0, update: 0, disable: 0, enable: 0 });
  expect(report.findings).toContainEqual(
    expect.objectContaining({ code: 'owned-by-other-sync', identification: 'E1' }),
  );
  expect(office.sandbox.state.log).toEqual([]);
});

it.each([
  { dialect: {}, outcome: 'partial', counts: { unresolved: 1, applied: 3 }, files: 4 },
  { dialect: { refusedStatuses: [503] }, outcome: 'succeeded', counts: { unresolved: 0, applied: 4 }, files: 5 },
])('a 503 to a file makes its users wait, not their neighbors: $outcome with $dialect', async (expected) => {
  const office = await openOffice({
    sandbox: { people: usersOf(staff) },
    sync: { batchRows: 1, delivery: 'csv' },
    dialect: expected.dialect,
  });
  await office.applyRows(staff);
  const last = 'Sol';
  await office.writeEmployees(employees(10, { E1: { last }, E2: { last }, E3: { last }, E4: { last } }));
  office.setFaults('upload:status=503@2');
  const { run } = await office.apply();
  expect(run).toMatchObject({ outcome: expected.outcome, counts: expected.counts });
  expect(office.sandbox.state.requests.upload).toBe(expected.files);
});

it('both at once share the connection: one file in flight, both land, and whoever both want becomes one’s own', async () => {
  const office = await twoSyncs();
  await office.writeEmployees(employees(12, { E2: { status: 'left' } }));
  await office.writeEmployees(
    others.map((row) => (row.id === 'XE2' ? { ...row, status: 'left' } : row)),
    'second.csv',
  );
  const [first, other] = await Promise.all([office.apply(), office.apply({ sync: 'second' })]);
  expect(first.run.counts).toMatchObject({ create: 2, disable: 1, applied: 3 });
  expect(other.run.counts).toMatchObject({ disable: 1 });
  // Both saw E1 as nobody's; one of them has E1 now, and neither writes to E1 again.
  for (const sync of ['people', 'second', 'people']) await office.apply({ sync });
  const writes = office.sandbox.state.log.length;
  const owner = (await office.engine.io.store.ledger.get('acme', 'E1'))?.owner;
  for (const sync of ['second', 'people', 'second']) await office.apply({ sync });
  expect(office.sandbox.state.log).toHaveLength(writes);
  expect((await office.engine.io.store.ledger.get('acme', 'E1'))?.owner).toBe(owner);
});
