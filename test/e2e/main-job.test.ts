import { describe, expect, it } from 'vitest';
import { employees, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

describe('the main job', () => {
  it('creates, updates, disables and enables, and the second plan is empty', async () => {
    const before = employees(30);
    const office = await openOffice({
      sandbox: { people: usersOf(before.map((row) => (row.id === 'E4' ? { ...row, status: 'left' } : row))) },
    });
    await office.writeEmployees(employees(33, { E2: { last: 'Núñez' }, E3: { status: 'left' } }));

    const report = await office.apply();

    expect(report.run).toMatchObject({ outcome: 'succeeded', phase: 'done' });
    expect(report.run.counts).toMatchObject({ create: 3, update: 1, disable: 1, enable: 1, applied: 6, failed: 0 });
    expect(office.sandbox.state.users.get('E33')).toMatchObject({ enabled: true });
    expect(office.sandbox.state.users.get('E3')).toMatchObject({ enabled: false });
    expect(office.sandbox.state.users.get('E4')).toMatchObject({ enabled: true });
    expect(office.sandbox.state.users.get('E2')?.fields.lastName).toBe('Núñez');
    const second = await office.plan();
    expect(second.counts).toMatchObject({ create: 0, update: 0, disable: 0, enable: 0, remove: 0 });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});
