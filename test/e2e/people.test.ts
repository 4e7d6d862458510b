import { describe, expect, it } from 'vitest';
import { employees, type Office, type OfficeOptions, openManaged, type Row } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;

const managed = (sync: OfficeOptions['sync'] = {}, count = 20) => openManaged(count, { sync });

function isEnabled(office: Office, identification: string): boolean | undefined {
  return office.sandbox.state.users.get(identification)?.enabled;
}

const without = (...names: readonly string[]): Row[] => employees(20).filter(({ id = '' }) => !names.includes(id));

describe('leavers', () => {
  it('are removed after afterDays of being gone, and not before', async () => {
    const office = await managed({ remove: { afterDays: 30 } });
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    office.clock.jump(29 * 24 * hourMs);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    office.clock.jump(25 * hourMs);
    expect((await office.apply()).run.counts).toMatchObject({ remove: 1, applied: 1 });
    expect(office.sandbox.state.users.has('E3')).toBe(false);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    expect((await office.applyRows(employees(20))).run.counts).toMatchObject({ create: 1, applied: 1 });
  });
});

describe('missing people', () => {
  const missing = { afterReads: 2, minAge: '24h' };

  it('are disabled after two different complete reads and 24 hours, both', async () => {
    const office = await managed({ missing });
    await office.writeEmployees(without('E20'));
    for (const _ of [1, 2, 3]) {
      office.clock.jump(20 * hourMs);
      expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
    }
    await office.writeEmployees(without('E20').map((row) => (row.id === 'E1' ? { ...row, last: 'Paz' } : row)));
    expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 2 });
    expect(isEnabled(office, 'E20')).toBe(false);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});
