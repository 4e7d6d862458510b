import { expect, it } from 'vitest';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const creates = 80;
const guards = { creates: { absolute: 1000 } };

/** A platform of `users` to whom as many as `creates` are new; `meanwhile` happens between plan and delivery. */
async function onboarded(users: number, meanwhile: (office: Office) => void = () => {}) {
  let act = (): void => {};
  const before = employees(users);
  const office = await openOffice({
    sandbox: { people: usersOf(before) },
    sync: { guards },
    dialect: { search: { pageSize: 10 } },
    checkpoint: (place) => {
      if (place === 'plan-stored') act();
    },
  });
  await office.writeEmployees(before);
  await office.apply();
  await office.writeEmployees(employees(users + creates));
  let planned = { ...office.sandbox.state.requests };
  act = () => {
    planned = { ...office.sandbox.state.requests };
    meanwhile(office);
  };
  const report = await office.apply();
  const { requests } = office.sandbox.state;
  return { office, report, searches: requests.search - planned.search, reads: requests.read - planned.read };
}

it('many creates are each read once more, and searched for by one list of everybody', async () => {
  const { report, searches, reads } = await onboarded(40);
  expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { create: creates, applied: creates } });
  expect(reads).toBe(creates);
  // 4 pages before and 12 pages after, with what proves them complete: far fewer than a search for each.
  expect(searches).toBeLessThan(creates / 2);
});

it('where the list has more pages than there are creates, each is searched for, and each is read back', async () => {
  const { report, searches, reads } = await onboarded(creates * 10 + 20);
  expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { applied: creates } });
  expect(reads).toBe(2 * creates);
  expect(searches).toBeGreaterThanOrEqual(creates);
});

it('of many creates, whoever has come onto the platform meanwhile is not created again', async () => {
  const { office, report } = await onboarded(40, ({ sandbox }) => {
    sandbox.state.editUser('E60', { enabled: true, fields: { firstName: 'By', lastName: 'Hand' } });
  });
  expect(report.run).toMatchObject({ outcome: 'partial', counts: { applied: creates - 1, failed: 1 } });
  expect(report.findings).toContainEqual(expect.objectContaining({ code: 'lookup-disagrees', identification: 'E60' }));
  expect(office.sandbox.state.users.get('E60')?.fields.firstName).toBe('By');
});

it('a directory that does not hold still for a list is searched, person by person', async () => {
  const { report, searches } = await onboarded(40, ({ setFaults }) => setFaults('search:status=400@1'));
  expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { applied: creates } });
  expect(searches).toBeGreaterThanOrEqual(creates);
});
