import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { employees, openOffice, type Row, usersOf } from '../support/office.ts';

/* It is 21 November 2026. 12/10/2026 has passed as dd/MM, and is still ahead as MM/dd; 03/02/2026 has passed as both. */
const staff = employees(20).map((row): Row => ({ ...row, hired: '02/03/2020', leaves: '', country: 'UY' }));
const lifecycle = { hireDate: 'hired', leaveDate: 'leaves', dateFormat: 'dd/MM/yyyy' };
const joiner: Row = {
  id: 'N1',
  first: 'Eva',
  last: 'Díaz',
  mail: 'n1@example.com',
  hired: '12/10/2026',
  leaves: '',
  country: 'UY',
};

async function openDated(sync: object = {}, rows: readonly Row[] = staff) {
  const office = await openOffice({ sandbox: { people: usersOf(staff) }, sync: { lifecycle, ...sync } });
  await office.applyRows([...rows]);
  return office;
}

const patched = (patch: Readonly<Record<string, Row>>, rows = staff) =>
  rows.map((row): Row => ({ ...row, ...patch[row.id ?? ''] }));

describe('while no date of an export shows the order of day and month', () => {
  it('nobody leaves or begins by a day that has not come in the other order, until a person approves it', async () => {
    const office = await openDated();
    const rows = [...patched({ E4: { leaves: '12/10/2026' }, E5: { leaves: '03/02/2026' } }), joiner];
    const held = await office.applyRows(rows);
    expect(held.run).toMatchObject({ outcome: 'held', counts: { disable: 2, create: 1, held: 2, applied: 1 } });
    const told = held.findings.filter(({ code }) => code === 'held').map(({ message }) => message);
    expect(told).toEqual([
      expect.stringMatching(/^the last days of work/),
      expect.stringMatching(/^the first days of work/),
    ]);
    expect(told[0]).toMatch(/has a day above 12, so the order of day and month is not proven/);
    expect(['E4', 'E5', 'N1'].map((id) => office.sandbox.state.users.get(id)?.enabled)).toEqual([
      true,
      false,
      undefined,
    ]);
    await decideRun(office.app, 'approve', held.run.id, { by: 'ana' });
    expect((await office.apply()).run).toMatchObject({ counts: { applied: 2, held: 0 } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});

describe('a column that shows who works here, and is emptied', () => {
  const ahead = '10/02/2027';

  it('of hire dates creates no account of a person who has not begun', async () => {
    const office = await openDated({}, patched({ E2: { hired: '31/03/2020' } }));
    const rows = [...patched({ E2: { hired: '31/03/2020' } }), { ...joiner, hired: ahead }];
    expect((await office.applyRows(rows)).run.outcome).toBe('nothing-to-do');
    const held = await office.applyRows(rows.map((row) => ({ ...row, hired: '' })));
    expect(held.run).toMatchObject({ outcome: 'held', counts: { create: 1, held: 1, applied: 0 } });
    expect(held.run.reason).toMatch(/lifecycle.hireDate is filled for 0 % of the people, down from 100 %/);
    expect((await office.applyRows(rows)).run).toMatchObject({ outcome: 'nothing-to-do', counts: { create: 0 } });
  });
});
