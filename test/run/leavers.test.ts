import { expect, it } from 'vitest';
import type { Leaver } from '../../src/core/plan/leavers.ts';
import { employees, type Office, openManaged, openOffice, type Row, usersOf } from '../support/office.ts';

const hourMs = 3_600_000;

async function rowsOf(office: Office): Promise<ReadonlyMap<string, Leaver>> {
  const rows = await office.engine.io.store.leavers.list('people', 0);
  return new Map(rows.map((row) => [row.identification, row]));
}

it('a leaver has a row from the read that states it until the platform shows the account disabled', async () => {
  const office = await openManaged(20);
  const { run, batches } = await office.applyRows(employees(20, { E3: { status: 'left' } }));
  expect((await rowsOf(office)).get('E3')).toEqual({
    ...{ id: expect.any(String), sync: 'people', identification: 'E3' },
    ...{ saidAt: run.read?.at, saidIn: run.id, effectiveAt: run.read?.at, clockAt: run.read?.at },
    ...{ run: run.id, sentAt: batches[0]?.sentAt, seenAt: expect.any(Number), endedAt: expect.any(Number) },
    ending: 'disabled',
  });
});

it('a held leaver counts from the first read that states it, and a rehire ends the row', async () => {
  const office = await openManaged(20);
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i) => [`E${i}`, { status: 'left' }]));
  const { run } = await office.applyRows(employees(20, left));
  expect(run.outcome).toBe('held');
  office.clock.jump(hourMs);
  await office.applyRows(employees(20, left));
  const held = await rowsOf(office);
  expect([held.size, held.get('E1')?.clockAt, held.get('E1')?.endedAt]).toEqual([7, run.read?.at, undefined]);
  const { store, clock } = office.engine.io;
  expect(await store.leavers.counting(clock.now())).toEqual([{ sync: 'people', clockAt: run.read?.at, people: 7 }]);
  await office.applyRows(employees(20));
  expect([...(await rowsOf(office)).values()].map(({ ending }) => ending)).toEqual(Array(7).fill('withdrawn'));
});

it('a future last day counts from its end in the zone of the person', async () => {
  const lifecycle = { status: 'status', active: ['active'], leaver: ['left'], leaveDate: 'end', timezone: 'zone' };
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) }, sync: { lifecycle } });
  const days = { E1: { end: '2026-11-23', zone: 'Asia/Tokyo' }, E2: { end: '2026-11-23', zone: 'America/Montevideo' } };
  const rows = (patch: Readonly<Record<string, Row>> = {}) =>
    employees(20, { ...days, ...patch }).map((row) => ({ end: '', zone: 'UTC', ...row }));
  const clocksOf = async () =>
    [...(await rowsOf(office)).values()]
      .filter(({ ending }) => ending === undefined)
      .map(({ identification, clockAt }) => `${identification} ${new Date(clockAt).toISOString()}`);
  await office.applyRows(rows());
  expect(await clocksOf()).toEqual(['E1 2026-11-23T15:00:00.000Z', 'E2 2026-11-24T03:00:00.000Z']);
  await office.applyRows(rows({ E1: { end: '', zone: 'UTC' }, E2: { end: '2026-11-24', zone: 'UTC' } }));
  expect(await clocksOf()).toEqual(['E2 2026-11-25T00:00:00.000Z']);
});

it('a leaver counts from a read whose run the platform ends', async () => {
  const office = await openManaged(20);
  office.setFaults('*:status=502');
  const { run } = await office.applyRows(employees(20, { E3: { status: 'left' } }));
  expect(run.outcome).toBe('failed');
  const said = (await rowsOf(office)).get('E3');
  expect(said).toMatchObject({ saidIn: run.id });
  office.setFaults();
  await office.apply();
  expect((await rowsOf(office)).get('E3')).toMatchObject({ id: said?.id, clockAt: said?.clockAt, ending: 'disabled' });
});
