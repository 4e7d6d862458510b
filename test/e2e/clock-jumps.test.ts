import { describe, expect, it } from 'vitest';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';

const hourMs = 3_600_000;

/** Everybody is managed, at a company whose machine is about to have its clock set. */
async function openManaged(sync: Readonly<Record<string, unknown>>): Promise<Office> {
  const office = await openOffice({ hasUptime: true, sandbox: { people: usersOf(employees(20)) }, sync });
  await office.applyRows(employees(20));
  return office;
}

/** The clock is set `hours` forward, which the process sees at its next check. */
async function setClock({ clock, engine }: Office, hours: number): Promise<void> {
  clock.set(hours * hourMs);
  await engine.checkClock();
}

const isEnabled = ({ sandbox }: Office, id: string): boolean | undefined => sandbox.state.users.get(id)?.enabled;

describe('a clock that is set 25 hours forward', () => {
  it('makes nobody miss for longer: missing.minAge is waited for, and the run says why', async () => {
    const office = await openManaged({ missing: { afterReads: 2, minAge: '24h' } });
    await office.applyRows(employees(19));
    await setClock(office, 25);
    const { run, findings } = await office.applyRows(employees(19));
    expect(run.counts).toMatchObject({ disable: 0 });
    expect(isEnabled(office, 'E20')).toBe(true);
    expect(findings).toContainEqual({
      code: 'clock-jumped',
      message: expect.stringMatching(/the clock of the store jumped 25 hours forward/),
    });
    office.clock.jump(25 * hourMs);
    await office.engine.checkClock();
    const later = await office.applyRows(employees(19));
    expect(later.run.counts).toMatchObject({ disable: 1 });
    expect(isEnabled(office, 'E20')).toBe(false);
    expect(later.findings.map(({ code }) => code)).not.toContain('clock-jumped');
  });

  it('makes no removal due: remove.afterDays is waited for', async () => {
    const office = await openManaged({ remove: { afterDays: 1 } });
    await office.applyRows(employees(20, { E20: { status: 'left' } }));
    expect(isEnabled(office, 'E20')).toBe(false);
    await setClock(office, 25);
    expect((await office.apply()).run.counts).toMatchObject({ remove: 0 });
    office.clock.jump(25 * hourMs);
    await office.engine.checkClock();
    expect((await office.apply()).run.counts).toMatchObject({ remove: 1 });
  });

  it('makes guards forget nothing: what was disabled in the last 24 real hours counts', async () => {
    const office = await openManaged({ guards: { disables: { absolute: 1, percent: 5 } } });
    await office.applyRows(employees(20, { E20: { status: 'left' } }));
    await setClock(office, 25);
    const more = employees(20, { E20: { status: 'left' }, E19: { status: 'left' } });
    expect((await office.applyRows(more)).run).toMatchObject({ outcome: 'held', counts: { held: 1 } });
    expect(isEnabled(office, 'E19')).toBe(true);
    office.clock.jump(25 * hourMs);
    await office.engine.checkClock();
    await office.applyRows(more);
    expect(isEnabled(office, 'E19')).toBe(false);
  });
});
