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

describe('fields that the mapping does not name', () => {
  it.each(['csv', 'auto'])('keep their values through an update (delivery %s)', async (delivery) => {
    const extra = { area: 'Sales', job: 'Cook', office: 'Salto', customField40: 'x', birthDate: '1990-01-02' };
    const people = [...usersOf(employees(3))].map((user) => ({ ...user, fields: { ...user.fields, ...extra } }));
    const office = await openOffice({ sandbox: { people }, sync: { delivery } });
    await office.writeEmployees(employees(3, { E2: { last: 'Núñez' } }));
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded' });
    expect(office.sandbox.state.users.get('E2')?.fields).toMatchObject({ ...extra, lastName: 'Núñez' });
    await quiet(office);
  });
});

describe('a blank value of the source', () => {
  const people = [...usersOf(employees(3))].map((user) => ({
    ...user,
    fields: { ...user.fields, area: 'Sales', job: 'Cook' },
  }));
  const rows = employees(3).map((row) => ({ ...row, area: '', job: '' }));
  const mapping = { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' };

  it('keeps what the platform has', async () => {
    const office = await openOffice({
      sandbox: { people },
      sync: { mapping: { ...mapping, area: 'area', job: 'job' } },
    });
    await office.applyRows(rows);
    expect(office.sandbox.state.users.get('E2')?.fields).toMatchObject({ area: 'Sales', job: 'Cook' });
    await quiet(office);
  });

  it.each(['csv', 'auto'])('clears where the mapping says so, once (delivery %s)', async (delivery) => {
    const clearing = { area: { from: 'area', whenEmpty: 'clear' }, job: { from: 'job', whenEmpty: 'clear' } };
    const office = await openOffice({ sandbox: { people }, sync: { delivery, mapping: { ...mapping, ...clearing } } });
    const report = await office.applyRows(rows);
    expect(report.run).toMatchObject({ outcome: 'succeeded' });
    expect(office.sandbox.state.users.get('E2')?.fields.area).toBeUndefined();
    expect(office.sandbox.state.users.get('E2')?.fields.job).toBeUndefined();
    await quiet(office);
  });
});

describe('a platform that keeps values differently', () => {
  it('is said once, and is no difference while both stand', async () => {
    const office = await openOffice({ sandbox: { people: usersOf(employees(5)), quirks: { trims: 8 } } });
    const report = await office.applyRows(employees(5, { E2: { last: 'Fernández de la Vega' } }));
    expect(report.run).toMatchObject({ outcome: 'succeeded' });
    expect(report.findings.filter(({ code }) => code === 'kept-differently')).toHaveLength(1);
    await quiet(office);
    await office.writeEmployees(employees(5, { E2: { last: 'Fernández-Vega y Paz' } }));
    expect((await office.apply()).run.counts).toMatchObject({ update: 1, applied: 1 });
    await quiet(office);
    office.sandbox.state.patchUser('E2', { fields: { lastName: 'Other' } });
    expect((await office.apply()).run.counts).toMatchObject({ update: 1, applied: 1 });
  });

  it.each([
    { name: 'drops a field', quirks: { ignoresField: ['area' as const] }, column: 'area', value: 'Sales' },
    {
      name: 'never shows a date',
      quirks: { hideDateField: 'orgEntryDate' as const },
      column: 'hired',
      value: '2021-03-04',
    },
  ])(
    'and $name fails the change with a finding, tries it twice more, and is quiet then',
    async ({ quirks, column, value }) => {
      const mapping = {
        identification: 'id',
        firstName: 'first',
        lastName: 'last',
        email: 'mail',
        area: 'area',
        orgEntryDate: 'hired',
      };
      const rows: Row[] = employees(5).map((row) => ({
        ...row,
        area: '',
        hired: '',
        ...(row.id === 'E2' ? { [column]: value } : {}),
      }));
      const office = await openOffice({ sandbox: { people: usersOf(employees(5)), quirks }, sync: { mapping } });
      await office.writeEmployees(rows);
      for (let send = 1; send <= 3; send += 1) {
        const report = await office.apply();
        expect(report.run).toMatchObject({ outcome: 'partial' });
        expect(report.run.counts).toMatchObject({ update: 1, failed: 1 });
        expect(report.findings.map(({ code }) => code)).toContain('ignored-field');
      }
      await quiet(office);
      await office.writeEmployees(rows.map((row) => (row.id === 'E2' ? { ...row, last: 'Paz' } : row)));
      expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded' });
      await quiet(office);
    },
  );
});

describe('write-only fields without a sign that they were taken', () => {
  it('are unverified, and sent again at most twice', async () => {
    const mapping = { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', job: 'job' };
    const people = [...usersOf(employees(5))].map((user) => ({ ...user, fields: { ...user.fields, job: 'Cook' } }));
    const office = await openOffice({ sandbox: { people, quirks: { touch: 'changes' } }, sync: { mapping } });
    await office.writeEmployees(employees(5).map((row) => ({ ...row, job: 'Cook' })));
    for (let send = 1; send <= 3; send += 1) {
      const report = await office.apply();
      expect(report.run).toMatchObject({ outcome: 'succeeded' });
      expect(report.run.counts).toMatchObject({ update: 5, unverified: 5, applied: 0 });
      expect(report.findings.filter(({ code }) => code === 'unverified')).toHaveLength(5);
    }
    await quiet(office);
  });
});
