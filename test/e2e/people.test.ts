import { describe, expect, it } from 'vitest';
import { findRuns } from '../../src/app/runs.ts';
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

  it('who come back in between start their days anew', async () => {
    const office = await managed({ remove: { afterDays: 30 } });
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    office.clock.jump(20 * 24 * hourMs);
    await office.applyRows(employees(20));
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    office.clock.jump(20 * 24 * hourMs);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    expect(office.sandbox.state.users.has('E3')).toBe(true);
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

  it('removed with blacklist are a conflict when they come back, and are not created', async () => {
    const office = await managed({ remove: { afterDays: 1, blacklist: true } });
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    office.clock.jump(25 * hourMs);
    await office.apply();
    expect(office.sandbox.state.blacklist.has('E3')).toBe(true);
    const report = await office.applyRows(employees(20));
    expect(codes(report)).toContain('removed-with-blacklist');
    expect(report.run.counts).toMatchObject({ create: 0 });
  });

  it('that others disabled, or who were disabled before we came, are not removed', async () => {
    const office = await openOffice({
      sandbox: { people: usersOf(employees(5, { E3: { status: 'left' } })) },
      sync: { remove: { afterDays: 1 } },
    });
    await office.applyRows(employees(5, { E3: { status: 'left' } }));
    office.clock.jump(72 * hourMs);
    expect((await office.apply()).run.counts).toMatchObject({ remove: 0 });
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

  it('are counted by runs only, never by plan', async () => {
    const office = await managed({ missing: { afterReads: 2, minAge: '0s' } });
    await office.writeEmployees(without('E20'));
    await office.plan();
    await office.plan();
    expect(await office.engine.io.store.ledger.get('acme', 'E20')).not.toHaveProperty('misses');
    await office.apply();
    expect((await office.engine.io.store.ledger.get('acme', 'E20'))?.misses?.count).toBe(1);
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

  it('are removed too once they were disabled long enough', async () => {
    const office = await managed({ missing: { afterReads: 1, minAge: '0s' }, remove: { afterDays: 2 } });
    await office.applyRows(without('E20'));
    office.clock.jump(49 * hourMs);
    expect((await office.apply()).run.counts).toMatchObject({ remove: 1, applied: 1 });
  });
});

describe('users that others disabled', () => {
  it('are reported by default, and enabled where the sync says so', async () => {
    for (const foreignDisable of ['report', 'enable']) {
      const office = await managed({ foreignDisable });
      office.sandbox.state.editUser('E3', { enabled: false });
      const report = await office.apply();
      expect(report.run.counts).toMatchObject({ enable: foreignDisable === 'enable' ? 1 : 0 });
      if (foreignDisable === 'report') expect(codes(report)).toContain('foreign-disable');
      expect(isEnabled(office, 'E3')).toBe(foreignDisable === 'enable');
    }
  });

  it('after we had disabled and enabled them are still told apart', async () => {
    const office = await managed();
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    await office.applyRows(employees(20));
    office.sandbox.state.editUser('E3', { enabled: false });
    expect(codes(await office.apply())).toContain('foreign-disable');
  });
});

describe('an account that was deleted and created again by hand', () => {
  async function createAgain(office: Office, identification: string, enabled: boolean): Promise<void> {
    const account = office.sandbox.state.users.get(identification) ?? expect.fail(identification);
    const deleted = await fetch(`${office.sandbox.url}/_sandbox/users/${identification}`, { method: 'DELETE' });
    expect(deleted.status).toBe(200);
    office.sandbox.state.editUser(identification, { enabled, fields: account.fields });
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
    office.sandbox.state.editUser('E4', { enabled: false });
    expect(codes(await office.apply())).toContain('foreign-disable');
  });
});

describe('people to whom nothing may happen', () => {
  it('protected users are not disabled, whether they left or are missing', async () => {
    const office = await managed({ protected: ['E3', 'E4'], missing: { afterReads: 1, minAge: '0s' } });
    await office.writeEmployees(without('E4').map((row) => (row.id === 'E3' ? { ...row, status: 'left' } : row)));
    const report = await office.apply();
    expect(report.run.counts).toMatchObject({ disable: 0 });
    expect(
      report.findings.filter(({ code }) => code === 'protected-user').map(({ identification }) => identification),
    ).toEqual(['E3', 'E4']);
  });

  it.each<{ name: string; rows: Row[]; code: string }>([
    {
      name: 'an unknown status',
      rows: employees(20, { E3: { status: 'sabbatical', last: 'Neu' } }),
      code: 'status-unknown',
    },
    { name: 'a blank status', rows: employees(20, { E3: { status: '', last: 'Neu' } }), code: 'status-unknown' },
    { name: 'a blank last name', rows: employees(20, { E3: { last: '' } }), code: 'cell-unreadable' },
    {
      name: 'a key that is there twice',
      rows: [
        ...employees(20, { E3: { status: 'left' } }),
        ...employees(3, { E3: { mail: 'other@example.com' } }).slice(2),
      ],
      code: 'duplicate-key',
    },
    {
      name: 'keys that differ by case',
      rows: [
        ...employees(20, { E3: { last: 'Neu' } }),
        { id: 'e3', first: 'A', last: 'B', mail: 'b@example.com', status: 'active' },
      ],
      code: 'case-conflict',
    },
    {
      name: 'an e-mail that is there twice',
      rows: employees(21, { E21: { mail: 'ANA3@example.com' }, E3: { last: 'Neu' } }),
      code: 'email-conflict',
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

  it('a leaver is disabled although a new hire claims the same e-mail; the new hire waits', async () => {
    const office = await managed({});
    const hire = { id: 'N3', first: 'Bea', last: 'Ruiz', mail: 'ana3@example.com', status: 'active' };
    const report = await office.applyRows([...employees(20, { E3: { status: 'left' } }), hire]);
    expect(report.run.counts).toMatchObject({ disable: 1, create: 0 });
    expect(report.findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification: 'N3' }));
  });

  it('a leaver who seems to start again under another number is a conversion: neither account is changed', async () => {
    const office = await managed({});
    const again = { id: 'N3', first: 'ANA3', last: 'Diaz', mail: 'ana3@example.com', status: 'active' };
    const report = await office.applyRows([...employees(20, { E3: { status: 'left' } }), again]);
    expect(report.run.counts).toMatchObject({ disable: 0, create: 0 });
    expect(report.findings).toContainEqual(expect.objectContaining({ code: 'conversion', identification: 'E3' }));
  });

  it.each([
    { name: 'after a full read, from what that left in the store', isKnown: true },
    { name: 'before any full read, by reading everybody', isKnown: false },
  ])('a run about one person knows who else claims the e-mail: $name', async ({ isKnown }) => {
    const people = employees(3);
    const office = await openOffice({ sandbox: { people: usersOf(people) } });
    const twins = ['N1', 'N2'].map((id) => ({ id, first: id, last: 'New', mail: 'new@example.com', status: 'active' }));
    await office.writeEmployees([...people, ...twins]);
    if (isKnown) expect((await office.apply()).run.counts).toMatchObject({ create: 0 });
    const named = await office.apply({ users: ['N1'] });
    expect(named.run.counts).toMatchObject({ create: 0 });
    expect(named.findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification: 'N1' }));
    expect(office.sandbox.state.log).toEqual([]);
  });

  it('rows out of scope claim no e-mail', async () => {
    const office = await managed({ scope: "status != 'guest'" });
    const guest = { id: 'G3', first: 'Bea', last: 'Ruiz', mail: 'ana3@example.com', status: 'guest' };
    await office.writeEmployees([...employees(20, { E3: { last: 'Neu' } }), guest]);
    expect((await office.apply()).run.counts).toMatchObject({ update: 1 });
  });

  it('a user of the platform that differs from a person only by case is a conflict', async () => {
    const office = await openOffice({ sandbox: { people: usersOf(employees(5)) } });
    const report = await office.applyRows(employees(5, { E3: { id: 'e3', last: 'Neu' } }));
    expect(codes(report)).toContain('case-conflict');
    expect(office.sandbox.state.log).toEqual([]);
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

  it('two records that look alike are a conflict, in a run about one of them too', async () => {
    const office = await openOffice();
    const twin = { id: 'Е2', first: 'Eva', last: 'Look', mail: 'twin@example.com' };
    await office.writeEmployees([...employees(3), { ...employees(1)[0], ...twin }]);
    expect((await office.apply({ users: ['Е2'] })).run.counts).toMatchObject({ create: 0 });
    expect((await office.apply({ users: ['E2'] })).run.counts).toMatchObject({ create: 0 });
    const report = await office.apply();
    expect(codes(report)).toContain('case-conflict');
    expect(report.run.counts).toMatchObject({ create: 2 });
    expect([...office.sandbox.state.users.values()].map(({ identification }) => identification)).not.toContain('Е2');
  });

  it('an identification with an invisible character refuses its row with the reason', async () => {
    const office = await openOffice();
    await office.writeEmployees([...employees(3), { ...employees(1)[0], id: 'E1\u200b', mail: 'x@example.com' }]);
    const report = await office.apply();
    expect(report.run.counts).toMatchObject({ create: 3 });
    expect(report.findings).toContainEqual(
      expect.objectContaining({ code: 'row-rejected', message: expect.stringContaining('invisible character') }),
    );
  });

  it('people hired for later wait until their day', async () => {
    const lifecycle = { status: 'status', active: ['active'], leaver: ['left'], hireDate: 'hired' };
    const office = await openOffice({ sync: { lifecycle } });
    await office.writeEmployees(employees(3, { E3: { hired: '2026-11-24' } }));
    expect((await office.apply()).run.counts).toMatchObject({ create: 2 });
    office.clock.jump(72 * hourMs);
    expect((await office.apply()).run.counts).toMatchObject({ create: 1, applied: 1 });
  });
});

describe('policies', () => {
  it.each([
    { policy: 'create-only', counts: { create: 1, update: 0, enable: 0, disable: 0 } },
    { policy: 'upsert-only', counts: { create: 1, update: 1, enable: 1, disable: 0 } },
    { policy: 'sync', counts: { create: 1, update: 1, enable: 1, disable: 1 } },
  ])('$policy', async ({ policy, counts }) => {
    const people = usersOf(employees(5, { E4: { status: 'left' } }));
    const office = await openOffice({ sandbox: { people }, sync: { policy } });
    await office.writeEmployees(employees(6, { E2: { last: 'Paz' }, E3: { status: 'left' } }));
    expect((await office.apply()).run.counts).toMatchObject(counts);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});

describe('a sync that is configured no more', () => {
  it('leaves its users to the sync that names them, which may then miss them', async () => {
    const office = await managed({ missing: { afterReads: 1, minAge: '0s' } }, 5);
    const { store } = office.engine.io;
    const run = (await findRuns(office.app, { limit: 1 }))[0];
    if (run === undefined) throw new Error('no run');
    const lease = await store.leases.take(`run:${run.id}`, 'test', 60_000, office.clock.now());
    if (lease === undefined) throw new Error('no lease');
    const entry = await store.ledger.get('acme', 'E5');
    if (entry === undefined) throw new Error('no entry');
    await store.ledger.put({ run, lease }, [{ ...entry, owner: 'gone' }]);
    await office.apply();
    expect((await store.ledger.get('acme', 'E5'))?.owner).toBe('people');
    await office.applyRows(employees(4));
  });
});

describe('what happens between plan and delivery', () => {
  const withDisable = employees(20, { E2: { last: 'Paz' }, E3: { last: 'Paz' }, E5: { status: 'left' } });

  async function deliveredAfter(byHand: (office: Office) => void): Promise<{ office: Office; report: RunReport }> {
    let isPlanned = false;
    const office = await openOffice({
      sandbox: { people: usersOf(employees(20)) },
      sync: { delivery: 'csv' },
      checkpoint: (place) => {
        if (place === 'plan-stored' && isPlanned) byHand(office);
      },
    });
    await office.applyRows(employees(20));
    await office.writeEmployees(withDisable);
    isPlanned = true;
    const report = await office.apply();
    isPlanned = false;
    return { office, report };
  }

  it('a user whom somebody disables meanwhile is not enabled by an update', async () => {
    const { office, report } = await deliveredAfter(({ sandbox }) => {
      sandbox.state.editUser('E2', { enabled: false });
    });
    expect(report.run).toMatchObject({ outcome: 'partial', counts: { applied: 2, failed: 1 } });
    expect(isEnabled(office, 'E2')).toBe(false);
    expect(codes(await office.apply())).toContain('foreign-disable');
    expect(isEnabled(office, 'E2')).toBe(false);
  });

  it('a user whom somebody enables meanwhile is not removed', async () => {
    let byHand = (): void => {};
    const office = await openOffice({
      sandbox: { people: usersOf(employees(20)) },
      sync: { remove: { afterDays: 30 } },
      checkpoint: (place) => {
        if (place === 'plan-stored') byHand();
      },
    });
    await office.applyRows(employees(20));
    await office.applyRows(employees(20, { E3: { status: 'left' } }));
    office.clock.jump(31 * 24 * hourMs);
    byHand = () => office.sandbox.state.editUser('E3', { enabled: true });
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { remove: 1, failed: 1 } });
    expect(isEnabled(office, 'E3')).toBe(true);
  });
});
