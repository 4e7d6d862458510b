import { expect, it } from 'vitest';
import { employees, openOffice, type Row, usersOf } from '../support/office.ts';

/* Leavers whom a run about everyone cannot disable, on a real platform. */

async function openCompany(sync: Readonly<Record<string, unknown>> = {}) {
  const office = await openOffice({ sandbox: { people: usersOf(employees(60)) }, sync: { guards: {}, ...sync } });
  await office.applyRows(employees(60));
  return { office, isEnabled: (id: string) => office.sandbox.state.users.get(id)?.enabled };
}

const nextDay: Readonly<Record<string, Row>> = { E3: { status: 'left' }, E5: { last: 'New' } };

it.each(['search:status=503', 'search:missing-page'])(
  'a search that cannot end (%s) keeps no leaver enabled',
  async (fault) => {
    const { office, isEnabled } = await openCompany();
    office.setFaults(fault);
    const { run, resumed } = await office.applyRows(employees(60, nextDay));
    expect(run).toMatchObject({ outcome: 'failed', trigger: 'manual' });
    expect(resumed).toMatchObject([{ trigger: 'leavers', outcome: 'succeeded', counts: { disable: 1, update: 0 } }]);
    expect([isEnabled('E3'), office.sandbox.state.users.get('E5')?.fields.lastName]).toEqual([false, 'Díaz']);
    office.setFaults();
    expect((await office.apply()).run.counts).toMatchObject({ disable: 0, update: 1 });
  },
);

it('half of a file disables those whom it states, and counts nobody as missing', async () => {
  const { office, isEnabled } = await openCompany();
  const { run, resumed } = await office.applyRows(employees(60, nextDay).slice(0, 30));
  expect([run.outcome, resumed.map(({ trigger }) => trigger)]).toEqual(['held', ['leavers']]);
  expect([isEnabled('E3'), [...office.sandbox.state.users.values()].filter(({ enabled }) => enabled).length]).toEqual([
    false,
    59,
  ]);
});

it('a run without trouble, and one in trouble without leavers, request no other run', async () => {
  const { office } = await openCompany();
  expect((await office.applyRows(employees(60, nextDay))).resumed).toEqual([]);
  office.setFaults('search:status=503');
  const { run, resumed } = await office.applyRows(employees(60, { E7: { last: 'New' } }));
  expect([run.outcome, resumed]).toEqual(['failed', []]);
});
