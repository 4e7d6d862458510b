import { expect, it } from 'vitest';
import { personioClient, personioPeople, startPersonio } from '../fakes/hris/personio.ts';
import { openOffice } from '../support/office.ts';

it.each([
  ['v1', 'hire_date', 'termination_date'],
  ['v2', 'employment.employment_start_date', 'employment.termination.termination_date'],
])('people of Personio %s come, change and leave on the platform', async (api, hireDate, leaveDate) => {
  const { server, people } = await startPersonio(personioPeople(12));
  const office = await openOffice({
    sync: {
      source: {
        kind: 'personio',
        api,
        url: server.url,
        ...personioClient,
        limits: { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' },
      },
      mapping: {
        identification: 'id',
        firstName: 'first_name',
        lastName: 'last_name',
        email: 'email',
        area: 'department.name',
        orgEntryDate: hireDate,
      },
      lifecycle: {
        status: 'rollcallStatus',
        active: ['active', 'leave', 'suspended'],
        leaver: ['terminated'],
        leaveDate,
      },
    },
  });
  const userOf = (index: number) => office.sandbox.state.users.get(String(1_181_000 + index));

  // The tenth has left before.
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 11, applied: 11 } });
  expect(userOf(0)?.fields).toMatchObject({ firstName: 'Lena0', lastName: 'Vogt', area: 'Operations' });

  const [first, second, third] = people;
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are twelve people');
  people[0] = { ...first, status: 'INACTIVE', left: '2026-11-20' };
  people[1] = { ...second, last: 'Schmidt' };
  people[2] = { ...third, status: 'LEAVE' };
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { disable: 1, update: 1 } });
  expect(userOf(0)).toMatchObject({ enabled: false });
  expect(userOf(1)?.fields).toMatchObject({ lastName: 'Schmidt' });
  expect(userOf(2)).toMatchObject({ enabled: true });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, held: 0 });
});
