import { describe, expect, it } from 'vitest';
import { bamboohrKey, type FakeEmployee, fakeEmployees, startBamboohr } from '../fakes/hris/bamboohr.ts';
import { openOffice } from '../support/office.ts';

const ways = [
  {
    api: 'datasets',
    mapping: { identification: 'employeeNumber', firstName: 'firstName', lastName: 'lastName', email: 'email' },
  },
  {
    api: 'employees',
    mapping: { identification: 'employeeId', firstName: 'firstName', lastName: 'lastName', email: 'workEmail' },
  },
  {
    api: 'report',
    mapping: { identification: 'employeeNumber', firstName: 'firstName', lastName: 'lastName', email: 'workEmail' },
  },
] as const;

describe.each(ways)('BambooHR by $api', ({ api, mapping }) => {
  it('people come, change and leave on the platform, and a right that is taken away changes nobody', async () => {
    const staff = fakeEmployees(14).map((one, index): FakeEmployee => {
      const working = { ...one, status: 'Active', employment: 'Full-Time', left: null } as const;
      return index === 13 ? { ...working, status: 'Inactive', hired: '2027-01-04' } : working;
    });
    const fake = await startBamboohr({ people: staff });
    const office = await openOffice({
      sync: {
        source: {
          kind: 'bamboohr',
          company: 'acme',
          baseUrl: fake.baseUrl,
          auth: { kind: 'basic', username: bamboohrKey, password: 'x' },
          api,
          fields: [...new Set(Object.values(mapping))],
          pageSize: 5,
          limits: { requestsPerSecond: 1000, timeout: '24h' },
        },
        mapping: { ...mapping, orgEntryDate: 'hireDate' },
        lifecycle: { status: 'rollcallStatus', active: ['active', 'leave', 'suspended'], leaver: ['terminated'] },
      },
    });
    const idOf = (index: number) => (api === 'employees' ? String(index + 1) : String(70_000 + index));
    const user = (index: number) => office.sandbox.state.users.get(idOf(index));

    expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 13, applied: 13 } });
    expect(user(1)).toMatchObject({ enabled: true, fields: { email: 'ana2@example.com' } });
    expect(user(13)).toBeUndefined();

    const [, second, third] = staff;
    if (second !== undefined) fake.people[1] = { ...second, last: 'Núñez' };
    if (third !== undefined) fake.people[2] = { ...third, status: 'Inactive', employment: 'Terminated' };
    expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
    expect(user(1)).toMatchObject({ fields: { lastName: 'Núñez' } });
    expect(user(2)).toMatchObject({ enabled: false });
    expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });

    fake.hide('email', 'workEmail');
    expect((await office.apply()).run).toMatchObject({ outcome: 'held', counts: { update: 0, disable: 0 } });
    expect(user(1)).toMatchObject({ fields: { email: 'ana2@example.com' } });
  });
});
