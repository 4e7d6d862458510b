import { describe, expect, it } from 'vitest';
import { employees, type Office, type OfficeOptions, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const everyField = {
  identification: 'id',
  firstName: 'first',
  lastName: 'last',
  email: 'mail',
  area: 'area',
  orgEntryDate: { from: 'hired', format: 'dd/MM/yyyy' },
  job: 'job',
  phoneNumber: 'phone',
  seniority: 'level',
  project: 'project',
  account: { value: 'Acme UY' },
  birthDate: { from: 'born', format: 'dd/MM/yyyy' },
  office: 'office',
  customFields: { 1: 'cost', 30: 'badge', 31: 'desk', 60: 'locker' },
};

function fullRows(count: number, patch: Readonly<Record<string, Row>> = {}): Row[] {
  return employees(count).map(({ status = '', ...row }, i) => ({
    ...row,
    area: 'Sales, Ñandú',
    hired: `0${(i % 9) + 1}/03/2021`,
    job: i % 3 === 0 ? '' : 'Cook "the" chef',
    phone: '+598 2 123',
    level: 'Senior',
    project: '=Alpha',
    born: '29/02/1992',
    office: 'Montevideo Centro',
    cost: `C${i}`,
    badge: i % 4 === 0 ? '' : `B${i}`,
    desk: `D${i}`,
    locker: `L${i}`,
    ...patch[row.id ?? ''],
    status: patch[row.id ?? '']?.status ?? status,
  }));
}

const noChanges = { create: 0, update: 0, disable: 0, enable: 0, remove: 0 };

async function quiet(office: Office): Promise<void> {
  const writes = office.sandbox.state.log.length;
  expect((await office.plan()).counts).toMatchObject(noChanges);
  expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do' });
  expect(office.sandbox.state.log).toHaveLength(writes);
}

async function fullOffice(options: OfficeOptions = {}, rows = fullRows(12)): Promise<Office> {
  const people = usersOf(rows.slice(0, 6));
  const office = await openOffice({
    ...options,
    sandbox: { people, ...options.sandbox },
    sync: { mapping: everyField, ...options.sync },
  });
  await office.writeEmployees(rows);
  return office;
}

describe('with every field mapped the second plan is empty', () => {
  it.each([
    { name: 'by default', options: {} },
    {
      name: 'with the full header',
      options: { dialect: { csv: { header: 'full' }, mayClear: ['job', 'phoneNumber', 'seniority'] } },
    },
    { name: 'when the platform cuts text', options: { sandbox: { quirks: { trims: 6 } } } },
    { name: 'when only changes move lastUpdate', options: { sandbox: { quirks: { touch: 'changes' as const } } } },
    { name: 'with write-only fields assumed', options: { sync: { mapping: everyField, firstSight: 'assume' } } },
  ] satisfies { name: string; options: OfficeOptions }[])('$name', async ({ options }) => {
    const people = usersOf(fullRows(12).slice(0, 6));
    const sandbox = 'sandbox' in options ? { people, ...options.sandbox } : { people };
    const office = await fullOffice({ ...options, sandbox });
    const report = await office.applyAll();
    expect(report.run).toMatchObject({ outcome: 'succeeded' });
    expect(report.run.counts).toMatchObject({ create: 6, update: 6, applied: 12 });
    await quiet(office);
  });

  it('and a later change of a write-only field alone goes out once', async () => {
    const office = await fullOffice();
    await office.applyAll();
    const report = await office.applyRows(fullRows(12, { E2: { job: 'Baker' } }));
    expect(report.run.counts).toMatchObject({ update: 1, applied: 1, firstSight: 0 });
    expect(office.sandbox.state.users.get('E2')?.fields).toMatchObject({ job: 'Baker', office: 'Montevideo Centro' });
    await quiet(office);
  });

  it('and an update of one field clears none of the others, by file or by call', async () => {
    const office = await fullOffice();
    await office.applyAll();
    const before = office.sandbox.state.users.get('E2')?.fields;
    await office.applyRows(fullRows(12, { E2: { last: 'Núñez' } }));
    expect(office.sandbox.state.users.get('E2')?.fields).toEqual({ ...before, lastName: 'Núñez' });
  });
});
