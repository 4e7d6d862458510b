import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/views/runs.ts';
import {
  employees,
  type Office,
  type OfficeOptions,
  openManaged,
  openOffice,
  type Row,
  usersOf,
} from '../support/office.ts';
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
  it('are disabled, once, and enabled again when they come back', async () => {
    const office = await managed();
    await office.writeEmployees(employees(20, { E3: { status: 'left' } }));
    expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    await office.writeEmployees(employees(20, { E3: { last: 'Vuelta' } }));
    expect((await office.apply()).run.counts).toMatchObject({ enable: 1, update: 0, applied: 1 });
    expect(office.sandbox.state.users.get('E3')).toMatchObject({ enabled: true, fields: { lastName: 'Vuelta' } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

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

  it('who come back in between start their days anew, even if the enable waits for approval all the time', async () => {
    const guards = { enables: { absolute: 0, percent: 0 } };
    const office = await managed({ remove: { afterDays: 30 }, guards });
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    office.clock.jump(40 * 24 * hourMs);
    await office.writeEmployees(employees(20));
    expect((await office.apply()).run).toMatchObject({ outcome: 'held', counts: { enable: 1, held: 1 } });
    await office.writeEmployees(employees(20, { E3: { status: 'left' } }));
    expect((await office.apply()).run.counts).toMatchObject({ remove: 0 });
    expect(office.sandbox.state.users.has('E3')).toBe(true);
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

  it('whom nobody owns are left alone and counted as unmanaged', async () => {
    const office = await openOffice({
      sandbox: { people: usersOf(employees(8)) },
      sync: { missing: { afterReads: 1, minAge: '0s' } },
    });
    await office.writeEmployees(employees(5));
    for (const _ of [1, 2]) expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
    expect((await office.apply()).run.facts.unmanaged).toBe(3);
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

describe('people to whom nothing may happen', () => {
  it.each<{ name: string; rows: Row[]; code: string }>([
    {
      name: 'an unknown status',
      rows: employees(20, { E3: { status: 'sabbatical', last: 'Neu' } }),
      code: 'status-unknown',
    },
    {
      name: 'a key that is there twice',
      rows: [
        ...employees(20, { E3: { status: 'left' } }),
        ...employees(3, { E3: { mail: 'other@example.com' } }).slice(2),
      ],
      code: 'duplicate-key',
    },
    {
      name: 'the e-mail of another user: a rename',
      rows: [...without('E3'), { id: 'N3', first: 'Ana3', last: 'Díaz', mail: 'ana3@example.com', status: 'active' }],
      code: 'rename-conflict',
    },
  ])('$name changes nothing, protects, and is reported', async ({ rows, code }) => {
    const office = await managed({ missing: { afterReads: 1, minAge: '0s' } });
    await office.writeEmployees(rows);
    for (const _ of [1, 2]) {
      const report = await office.apply();
      expect(codes(report)).toContain(code);
      expect(report.run.counts).toMatchObject({ create: 0, update: 0, disable: 0, enable: 0, remove: 0 });
    }
    expect(office.sandbox.state.log).toEqual([]);
  });

  it('rows out of scope claim no e-mail', async () => {
    const office = await managed({ scope: "status != 'guest'" });
    const guest = { id: 'G3', first: 'Bea', last: 'Ruiz', mail: 'ana3@example.com', status: 'guest' };
    await office.writeEmployees([...employees(20, { E3: { last: 'Neu' } }), guest]);
    expect((await office.apply()).run.counts).toMatchObject({ update: 1 });
  });

  it.each([
    ['a look-alike of a user of the platform', 'Е3', 'E3'],
    ['plain text that a user of the platform looks like', 'E3', 'Е3'],
  ])('%s is a conflict, never a create', async (_, inSource, onPlatform) => {
    const office = await openOffice({ sandbox: { people: usersOf(employees(5, { E3: { id: onPlatform } })) } });
    const mail = 'other@example.com';
    await office.writeEmployees(employees(5, { E3: { id: inSource, first: 'Other', last: 'Person', mail } }));
    const report = await office.apply();
    expect(report.run.counts).toMatchObject({ create: 0, disable: 0 });
    expect(report.findings).toContainEqual(
      expect.objectContaining({ code: 'case-conflict', message: expect.stringContaining('look alike') }),
    );
    expect(office.sandbox.state.log).toEqual([]);
  });
});
