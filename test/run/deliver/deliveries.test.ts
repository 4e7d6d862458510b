import { describe, expect, it } from 'vitest';
import { planHere } from '../../../src/app/previews.ts';
import {
  employees,
  type OfficeOptions,
  openManaged,
  openOffice,
  plainMapping,
  renamed,
  usersOf,
} from '../../support/office.ts';
import { holdPromises } from '../../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;

const managed = (sync: OfficeOptions['sync'] = {}, count = 30) => openManaged(count, { sync });

describe('delivery: auto', () => {
  it('removes by DELETE, beside a file', async () => {
    const office = await managed({ remove: { afterDays: 1 } }, 66);
    await office.applyRows(renamed(66, 0, { E9: { status: 'left' } }));
    office.clock.jump(25 * hourMs);
    const report = await office.applyRows(renamed(66, 21, { E29: { status: 'left' }, E9: { status: 'left' } }));
    expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { remove: 1, disable: 1 } });
    expect(office.sandbox.state.log.filter(({ kind }) => kind === 'removed').map(({ via }) => via)).toEqual(['delete']);
  });
});

describe('delivery: direct', () => {
  const direct = { delivery: 'direct', policy: 'upsert-only' };

  it('creates and updates by calls alone', async () => {
    const office = await managed(direct);
    await office.writeEmployees(employees(33).map((row) => ({ ...row, last: 'Paz' })));
    const report = await planHere(office.app, 'people', { signal: AbortSignal.timeout(60_000), progress: () => {} });
    expect(report.counts).toMatchObject({ create: 3, update: 30 });
    expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 33 } });
    expect(office.sandbox.state.requests.upload).toBe(0);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it('a replacing platform loses nothing that can be read', async () => {
    const people = [...usersOf(employees(3))].map((user) => ({ ...user, fields: { ...user.fields, area: 'Sales' } }));
    const office = await openOffice({
      sandbox: { people, quirks: { put: 'replaces' } },
      dialect: { put: 'replaces', mayClear: ['job', 'phoneNumber', 'seniority'] },
      sync: direct,
    });
    expect((await office.applyRows(employees(3, { E2: { last: 'Paz' } }))).run.outcome).toBe('succeeded');
    expect(office.sandbox.state.users.get('E2')?.fields).toMatchObject({ area: 'Sales', lastName: 'Paz' });
  });
});

describe('a platform that clears what a write leaves out', () => {
  const mapping = {
    ...plainMapping,
    job: 'job',
    phoneNumber: { from: 'phone', whenEmpty: 'clear' },
    orgEntryDate: 'hired',
  };
  const clearing = { mayClear: ['seniority'] };

  it.each([
    ['csv', { csv: { header: 'full' }, ...clearing }],
    ['auto', { put: 'replaces', csv: { header: 'full' }, ...clearing }],
    ['direct', { put: 'replaces', ...clearing }],
  ] as const)('delivery %s: an update keeps the write-only values that the ledger knows', async (delivery, dialect) => {
    const policy = delivery === 'direct' ? 'upsert-only' : 'sync';
    const office = await openOffice({
      sandbox: { quirks: { put: 'replaces' } },
      sync: { mapping, delivery, policy },
      dialect,
    });
    const known = { job: 'Clerk', phone: '+598 1', hired: '2020-01-31', status: 'active' };
    await office.writeEmployees(employees(12).map((row) => ({ ...row, ...known })));
    expect((await office.apply()).run.outcome).toBe('succeeded');
    const unreadable = { last: 'Paz', job: '\u0007', hired: 'soon' };
    const rows = employees(12, { E1: { last: 'Paz', job: '' }, E2: unreadable, E3: { phone: '' } });
    await office.writeEmployees(rows.map((row) => ({ ...known, ...row })));

    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 3, applied: 3 } });

    const { users } = office.sandbox.state;
    const kept = { job: 'Clerk', phoneNumber: '+598 1', orgEntryDate: '2020-01-31' };
    for (const name of ['E1', 'E2']) expect(users.get(name)?.fields, name).toMatchObject({ lastName: 'Paz', ...kept });
    expect(users.get('E3')?.fields).toMatchObject({ job: 'Clerk', orgEntryDate: '2020-01-31' });
    expect(users.get('E3')?.fields.phoneNumber ?? '').toBe('');
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});
