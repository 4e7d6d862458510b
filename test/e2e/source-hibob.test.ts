import { expect, it } from 'vitest';
import { bobPeople, bobUser, startBob } from '../fakes/hris/hibob.ts';
import { bobFields } from '../sources/hibob/under-test.ts';
import { openOffice } from '../support/office.ts';

it('people of HiBob come, change and leave on the platform', async () => {
  const { url, people } = await startBob(bobPeople(12));
  const office = await openOffice({
    sync: {
      source: {
        kind: 'hibob',
        url,
        serviceUser: bobUser.id,
        token: bobUser.token,
        fields: bobFields,
        limits: { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' },
      },
      mapping: {
        identification: 'root.id',
        firstName: 'root.firstName',
        lastName: 'root.surname',
        email: 'root.email',
        area: 'humanReadable.work.department',
        orgEntryDate: 'work.startDate',
      },
      lifecycle: {
        status: 'rollcallStatus',
        active: ['active', 'leave', 'suspended'],
        leaver: ['terminated'],
        leaveDate: 'internal.terminationDate',
      },
    },
  });
  const userOf = (index: number) => office.sandbox.state.users.get(people[index]?.id ?? '');

  // The tenth has left before.
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 11, applied: 11 } });
  expect(userOf(0)?.fields).toMatchObject({ firstName: 'Noa0', lastName: 'Bar', area: 'R&D' });

  const [first, second, third] = people;
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are twelve people');
  people[0] = { ...first, status: 'Inactive', lifecycleStatus: 'terminated', terminationDate: '2026-11-20' };
  people[1] = { ...second, surname: 'Levi' };
  people[2] = { ...third, lifecycleStatus: 'parental leave' };
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { disable: 1, update: 1 } });
  expect(userOf(0)).toMatchObject({ enabled: false });
  expect(userOf(1)?.fields).toMatchObject({ lastName: 'Levi' });
  expect(userOf(2)).toMatchObject({ enabled: true });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, held: 0 });
});
