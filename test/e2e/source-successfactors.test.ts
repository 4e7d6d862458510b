import { expect, it } from 'vitest';
import { apiKey, companyId, fakePeople, makeClientKeys, startSuccessFactors } from '../fakes/hris/successfactors.ts';
import { openOffice } from '../support/office.ts';

it('people of SuccessFactors come, change and leave on the platform', async () => {
  const keys = makeClientKeys();
  const people = fakePeople(12, { 108012: { started: '2027-01-01' } });
  const fake = await startSuccessFactors({ people, publicKey: keys.publicKey });
  const auth = { kind: 'saml', clientId: apiKey, user: 'rollcall.api', privateKey: keys.privateKey };
  const limits = { requestsPerSecond: 1000, deadline: '48h' };
  const office = await openOffice({
    sync: {
      source: { kind: 'successfactors', url: fake.url, companyId, auth, pageSize: 5, limits },
      mapping: {
        identification: 'personIdExternal',
        firstName: 'firstName',
        lastName: 'lastName',
        email: 'workEmail',
        area: 'department',
        orgEntryDate: 'hireDate',
      },
      lifecycle: {
        status: 'rollcallStatus',
        active: ['active', 'leave', 'suspended'],
        leaver: ['terminated'],
        leaveDate: 'endDate',
      },
    },
  });

  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 11, applied: 11 } });
  expect(office.sandbox.state.users.get('108003')).toMatchObject({ enabled: true, fields: { lastName: "O'Neill" } });

  const [, second, third] = fake.people;
  if (second === undefined || third === undefined) throw new Error('there are twelve people');
  fake.people[1] = { ...second, last: 'Schmidt' };
  fake.people[2] = { ...third, status: 'T', activeEmployments: 0, ended: '2026-11-20' };
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
  expect(office.sandbox.state.users.get('108002')).toMatchObject({ fields: { lastName: 'Schmidt' } });
  expect(office.sandbox.state.users.get('108003')).toMatchObject({ enabled: false });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });
});
