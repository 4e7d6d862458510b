import { describe, expect, it } from 'vitest';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

/** As the platform writes it, and as the HR system does: decomposed letters, and spaces around. */
const shown = { jose: 'Jose\u0301' };
const rows = (patch: Readonly<Record<string, Row>> = {}): Row[] => [
  ...employees(20),
  { id: 'Jos\u00e9', first: 'José', last: 'Paz', mail: 'jose@example.com', status: 'active', ...patch.jose },
  { id: 'V7', first: 'Eva', last: 'Paz', mail: 'eva@example.com', status: 'active', ...patch.eva },
];

async function officeOf(sync: Readonly<Record<string, unknown>>): Promise<Office> {
  const people = usersOf([...employees(20)]);
  const office = await openOffice({
    sandbox: {
      people: [
        ...people,
        {
          identification: shown.jose,
          enabled: true,
          fields: { firstName: 'José', lastName: 'Paz', email: 'jose@example.com' },
        },
        {
          identification: ' V7 ',
          enabled: true,
          fields: { firstName: 'Eva', lastName: 'Paz', email: 'eva@example.com' },
        },
      ],
    },
    sync,
  });
  expect((await office.applyRows(rows())).run.outcome).toBe('nothing-to-do');
  return office;
}

describe('users whose identification is shown decomposed or with spaces', () => {
  it.each(['csv', 'auto'])(
    'are updated, disabled, enabled and removed as themselves (delivery %s)',
    async (delivery) => {
      const office = await officeOf({ delivery, remove: { afterDays: 1 } });
      const users = office.sandbox.state.users;
      const count = users.size;
      await office.writeEmployees(rows({ jose: { last: 'Ruiz' }, eva: { last: 'Ruiz' } }));
      expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 2, applied: 2 } });
      expect(users.get(shown.jose)?.fields.lastName).toBe('Ruiz');
      expect(users.get(' V7 ')?.fields.lastName).toBe('Ruiz');
      await office.writeEmployees(
        rows({ jose: { status: 'left', last: 'Ruiz' }, eva: { status: 'left', last: 'Ruiz' } }),
      );
      expect((await office.applyAll()).run.counts).toMatchObject({ disable: 2, applied: 2 });
      expect([users.get(shown.jose)?.enabled, users.get(' V7 ')?.enabled]).toEqual([false, false]);
      await office.writeEmployees(rows({ jose: { last: 'Ruiz' }, eva: { status: 'left', last: 'Ruiz' } }));
      expect((await office.applyAll()).run.counts).toMatchObject({ enable: 1, applied: 1 });
      expect(users.get(shown.jose)?.enabled).toBe(true);
      office.clock.jump(25 * 3_600_000);
      expect((await office.applyAll()).run.counts).toMatchObject({ remove: 1, applied: 1 });
      expect(users.has(' V7 ')).toBe(false);
      expect(users.size).toBe(count - 1);
    },
  );

  it('are found by a run about them alone', async () => {
    const office = await officeOf({ delivery: 'csv' });
    await office.writeEmployees(rows({ jose: { last: 'Ruiz' }, eva: { last: 'Ruiz' } }));
    const report = await office.apply({ users: ['Jos\u00e9', 'V7'] });
    expect(report.run.counts).toMatchObject({ create: 0, update: 2, applied: 2 });
  });
});
