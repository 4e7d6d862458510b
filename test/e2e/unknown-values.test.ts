import { describe, expect, it } from 'vitest';
import {
  employees,
  type Office,
  type OfficeOptions,
  openOffice,
  plainMapping,
  type Row,
  usersOf,
} from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const mapping = { ...plainMapping, phoneNumber: 'phone', area: 'area' };
const mayClear = ['job', 'seniority'];
const phones = employees(12).map(({ id = '' }) => ({ id, phone: `+598 ${id}` }));

/** A company whose phone numbers are on the platform, and in no ledger. */
async function open(options: Pick<OfficeOptions, 'dialect' | 'sync'> & { readonly rest?: object }): Promise<Office> {
  const people = [...usersOf(employees(12))].map((user, i) => ({
    ...user,
    fields: { ...user.fields, area: 'Sales', phoneNumber: phones[i]?.phone ?? '' },
  }));
  const { sync, dialect, rest } = options;
  return openOffice({
    sandbox: { people, quirks: { put: 'replaces', uniqueEmail: true } },
    dialect: { mayClear, ...dialect },
    sync: { mapping, guards: { firstSight: { absolute: 100 } }, ...sync },
    ...rest,
  });
}

const phoneOf = (office: Office, id: string) => office.sandbox.state.users.get(id)?.fields.phoneNumber;
const areaOf = (office: Office, id: string) => office.sandbox.state.users.get(id)?.fields.area;
/** E1 and E2 have no phone in the source; E1 and E3 move. */
const rows = employees(12).map(
  (row, i): Row => ({
    ...row,
    area: row.id === 'E1' || row.id === 'E3' ? 'Legal' : 'Sales',
    phone: row.id === 'E1' || row.id === 'E2' ? '' : (phones[i]?.phone ?? ''),
  }),
);

describe('a write that clears what it leaves out', () => {
  it.each([
    ['put: replaces, delivery auto', { put: 'replaces' }, { delivery: 'auto' }, 'Legal'],
    ['put: replaces, delivery direct', { put: 'replaces' }, { delivery: 'direct', policy: 'upsert-only' }, 'Sales'],
    ['a full header, delivery csv', { csv: { header: 'full' } }, { delivery: 'csv' }, 'Sales'],
    ['both, delivery auto', { put: 'replaces', csv: { header: 'full' } }, { delivery: 'auto' }, 'Sales'],
  ])('with %s clears no phone number that the ledger does not know', async (_, dialect, sync, area) => {
    const office = await open({ dialect, sync });
    const { run, findings } = await office.applyRows(rows);
    expect(phoneOf(office, 'E1')).toBe('+598 E1');
    expect([areaOf(office, 'E1'), areaOf(office, 'E3')]).toEqual([area, 'Legal']);
    const told = findings.filter(({ code }) => code === 'not-deliverable');
    expect(told.map(({ identification }) => identification)).toEqual(area === 'Legal' ? [] : ['E1']);
    if (area === 'Sales') {
      expect(told[0]?.message).toMatch(
        /^the update was not made \(differs in area\): it would clear phoneNumber, and /,
      );
    }
    expect(run.counts.failed).toBe(0);
  });

  it('clears it where dialect.mayClear allows it', async () => {
    const dialect = { put: 'replaces', mayClear: [...mayClear, 'phoneNumber'] };
    const office = await open({ dialect, sync: { delivery: 'direct', policy: 'upsert-only' } });
    await office.applyRows(rows);
    expect([areaOf(office, 'E1'), phoneOf(office, 'E1') ?? '']).toEqual(['Legal', '']);
  });

  it('still disables, and never takes a disabled leaver’s phone number for a parking address', async () => {
    const office = await open({
      dialect: { put: 'replaces' },
      sync: {
        delivery: 'csv',
        parkEmail: '{identification}@parked.example',
        guards: { firstSight: { absolute: 100 } },
      },
    });
    const left = rows.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row));
    await office.applyRows(left);
    expect(office.sandbox.state.users.get('E1')).toMatchObject({ enabled: false });
    const heir = { id: 'E99', first: 'Noa', last: 'Paz', mail: 'ana1@example.com', status: 'active', area: 'Sales' };
    const { findings } = await office.applyRows([...left, { ...heir, phone: '' }]);
    expect(phoneOf(office, 'E1')).toBe('+598 E1');
    expect(office.sandbox.state.users.get('E1')?.fields.email).toBe('ana1@example.com');
    expect(findings.map(({ code, identification }) => [code, identification])).toEqual(
      expect.arrayContaining([
        ['not-deliverable', 'E1'],
        ['email-conflict', 'E99'],
      ]),
    );
  });
});
