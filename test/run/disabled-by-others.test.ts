import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { tracePerson } from '../../src/app/people.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const held = { absolute: 0, percent: 0, cap: 0 };
const staff = employees(12);
const free = { absolute: 1000, percent: 100 };

/** A company in which the first writes of E1 are held: another last name, or an account that is disabled. */
function open(rows: readonly Row[], guards: Readonly<Record<string, unknown>>): Promise<Office> {
  return openOffice({ sandbox: { people: usersOf(rows) }, sync: { guards } });
}

const renamed = staff.map((row) => (row.id === 'E1' ? { ...row, last: 'Paz' } : row));
const account = (office: Office) => office.sandbox.state.users.get('E1');

/** Somebody disables or enables the account on the platform. */
const setEnabled = (office: Office, enabled: boolean) => office.sandbox.state.patchUser('E1', { enabled });

async function expectReported(office: Office, rows: readonly Row[]): Promise<void> {
  const { run, findings } = await office.applyRows(rows);
  expect(run.counts).toMatchObject({ enable: 0, held: 0 });
  expect(findings).toContainEqual(expect.objectContaining({ code: 'foreign-disable', identification: 'E1' }));
  expect(account(office)?.enabled).toBe(false);
}

describe('an account that an accepted read saw enabled, and a later one sees disabled', () => {
  it.each(['held', 'rejected'])('is reported and not enabled while its first write is %s', async (state) => {
    const office = await open(staff, { updates: held, enables: free });
    const { run } = await office.applyRows(renamed);
    expect(run.counts.held).toBe(1);
    if (state === 'rejected') await decideRun(office.app, 'reject', run.id, { by: 'ana', reason: 'ask first' });
    setEnabled(office, false);
    await expectReported(office, renamed);
    await expectReported(office, renamed);
    const { next, decision } = await tracePerson(office.app, 'people', 'E1', AbortSignal.timeout(60_000));
    expect([decision?.rule, next]).toEqual(['active-foreign-disable', 'the next run changes nothing for this person']);
    setEnabled(office, true);
    const back = await office.applyRows(renamed);
    expect(back.run.counts.held).toBe(state === 'held' ? 1 : 0);
    expect(back.run.plan?.rejected ?? 0).toBe(state === 'held' ? 0 : 1);
  });
});

describe('an account that was disabled from the start', () => {
  const off = staff.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row));

  it('stays first sight until its enable is delivered, and is then disabled by others', async () => {
    const office = await open(off, { enables: held });
    for (let read = 0; read < 3; read += 1) expect((await office.applyRows(staff)).run.counts.held).toBe(1);
    const { run } = await office.apply();
    await decideRun(office.app, 'approve', run.id, { by: 'ana' });
    expect((await office.apply()).run.counts).toMatchObject({ enable: 1, applied: 1 });
    setEnabled(office, false);
    await expectReported(office, staff);
  });
});
