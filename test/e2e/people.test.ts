import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/views/runs.ts';
import { employees, type Office, type OfficeOptions, openManaged, type Row } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;

const managed = (sync: OfficeOptions['sync'] = {}, count = 20) => openManaged(count, { sync });

function isEnabled(office: Office, identification: string): boolean | undefined {
  return office.sandbox.state.users.get(identification)?.enabled;
}

function codes(report: Pick<RunReport, 'findings'>): string[] {
  return report.findings.map(({ code }) => code);
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

describe('an account that was deleted and created again by hand', () => {
  async function createAgain(office: Office, identification: string, enabled: boolean): Promise<void> {
    const account = office.sandbox.state.users.get(identification) ?? expect.fail(identification);
    const deleted = await fetch(`${office.sandbox.url}/_sandbox/users/${identification}`, { method: 'DELETE' });
    expect(deleted.status).toBe(200);
    office.sandbox.state.patchUser(identification, { enabled, fields: account.fields });
    expect(office.sandbox.state.users.get(identification)?.id).not.toBe(account.id);
  }

  it('is first sight again: an active employee is enabled, a leaver disabled, an equal user ours anew', async () => {
    const office = await managed();
    await office.applyRows(employees(20, { E5: { status: 'left' } }));
    await createAgain(office, 'E3', false);
    await createAgain(office, 'E4', true);
    await createAgain(office, 'E5', true);

    const report = await office.apply();

    expect(report.run.counts).toMatchObject({ create: 0, update: 0, enable: 1, disable: 1, applied: 2 });
    expect([isEnabled(office, 'E3'), isEnabled(office, 'E5')]).toEqual([true, false]);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    office.sandbox.state.patchUser('E4', { enabled: false });
    expect(codes(await office.apply())).toContain('foreign-disable');
  });
});
