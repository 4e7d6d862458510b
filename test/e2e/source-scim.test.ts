import { expect, it } from 'vitest';
import { fakeUsers, startScim } from '../fakes/hris/scim.ts';
import { openOffice } from '../support/office.ts';

const auth = (tokenUrl: string) => ({
  kind: 'client-credentials',
  tokenUrl,
  clientId: 'rollcall',
  clientSecret: 'geheim',
});

it('users of a SCIM service come, change and leave on the platform', async () => {
  const scim = await startScim({ users: fakeUsers(12).map((user) => ({ ...user, active: true })), maxPage: 5 });
  const office = await openOffice({
    sync: {
      source: {
        kind: 'scim',
        baseUrl: scim.baseUrl,
        auth: auth(scim.tokenUrl),
        attributes: ['externalId', 'name.givenName', 'name.familyName', 'emails', 'enterprise.department'],
        limits: { requestsPerSecond: 1000, timeout: '24h' },
      },
      mapping: {
        identification: 'externalId',
        firstName: 'name.givenName',
        lastName: 'name.familyName',
        email: 'workEmail',
        area: { from: 'enterprise.department', whenEmpty: 'clear' },
      },
      lifecycle: { status: 'rollcallStatus', active: ['active'], leaver: ['terminated'] },
    },
  });

  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 12, applied: 12 } });
  expect(office.sandbox.state.users.get('700001')).toMatchObject({
    enabled: true,
    fields: { email: 'ana2@example.com', area: 'Tours' },
  });

  scim.users.splice(
    1,
    2,
    ...scim.users.slice(1, 3).map((user, at) => ({ ...user, family: 'Núñez', active: at === 0 })),
  );
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
  expect(office.sandbox.state.users.get('700001')).toMatchObject({ fields: { lastName: 'Núñez' } });
  expect(office.sandbox.state.users.get('700002')).toMatchObject({ enabled: false });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });

  scim.hide('emails');
  const { run } = await office.apply();
  expect(run).toMatchObject({ outcome: 'held', counts: { update: 0, disable: 0 } });
  expect(office.sandbox.state.users.get('700001')).toMatchObject({ fields: { email: 'ana2@example.com' } });
});
