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
    expect(told[0]).toMatch(/has a day above 12, so nothing shows the order of day and month/);
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

  it('of last days enables nobody, and an explicit leaver leaves as usual', async () => {
    const by = { status: 'status', active: ['active'], leaver: ['left'], ...lifecycle };
    const gone = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`E${i + 1}`, { leaves: '31/03/2021' } as Row]),
    );
    const office = await openDated(
      { lifecycle: by, guards: { disables: { absolute: 20 }, enables: { absolute: 20 } } },
      patched(gone),
    );
    await office.applyAll();
    office.clock.jump(25 * 3_600_000);
    const held = await office.applyRows(patched({ E9: { status: 'left' } }));
    expect(held.run.counts).toMatchObject({ enable: 8, disable: 1, applied: 1, held: 8 });
    expect(office.sandbox.state.users.get('E9')?.enabled).toBe(false);
  });

  it('of the scope disables and creates nobody', async () => {
    const scope = "country != 'AR'";
    const outOfScope = 'disable';
    const office = await openDated({ scope: "country = 'UY'", outOfScope, guards: { disables: { absolute: 50 } } });
    const held = await office.applyRows(staff.map((row) => ({ ...row, country: '' })));
    expect(held.run).toMatchObject({ outcome: 'held', counts: { applied: 0 } });
    expect(held.run.reason).toMatch(/the column of scope is filled for 0 % of the people/);
    const joining = await openDated({ scope }, patched({ E2: { country: 'AR' } }));
    const emptied = await joining.applyRows([
      ...staff.map((row) => ({ ...row, country: '' })),
      { ...joiner, hired: '31/03/2020', country: '' },
    ]);
    expect(emptied.run.counts).toMatchObject({ create: 1, held: 1 });
  });
});
