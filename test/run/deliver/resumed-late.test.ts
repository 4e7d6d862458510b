import { expect, it } from 'vitest';
import { runSync } from '../../../src/app/requests.ts';
import { RollcallError } from '../../../src/core/run/errors.ts';
import { employees, type Office, type OfficeOptions, openOffice, type Row, usersOf } from '../../support/office.ts';
import { holdPromises } from '../../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;

/** An office whose run was planned from `rows` and then stopped before its first batch went out. */
async function interrupted(rows: readonly Row[], sync: OfficeOptions['sync'] = {}): Promise<Office> {
  let stop: AbortController | undefined;
  const office = await openOffice({
    sandbox: { people: usersOf(employees(20, { E4: { status: 'left' } })) },
    sync,
    checkpoint: (place) => {
      if (place === 'plan-stored') stop?.abort(new RollcallError('the process is to end', { code: 'CANCELLED' }));
    },
  });
  expect((await office.applyRows(employees(20, { E4: { status: 'left' } }))).run.outcome).toBe('nothing-to-do');
  await office.writeEmployees(rows);
  stop = new AbortController();
  await expect(
    runSync(office.app, 'people', { signal: stop.signal, progress: () => {}, by: 'shell:ana' }),
  ).rejects.toThrow();
  stop = undefined;
  return office;
}

function writes(office: Office): string[] {
  return office.sandbox.state.log.map(({ kind, identification }) => `${kind} ${identification}`).sort();
}

const leaverBackAndUpdate = employees(20, { E2: { last: 'Paz' }, E3: { status: 'left' }, E4: { status: 'active' } });

it('a run that is resumed soon delivers its plan', async () => {
  const office = await interrupted(leaverBackAndUpdate);
  office.clock.jump(hourMs);
  const report = await office.apply();
  expect(report.resumed[0]?.counts).toMatchObject({ applied: 3 });
  expect(writes(office)).toEqual(['disabled E3', 'enabled E4', 'updated E2']);
});

it('a run that is resumed hours later disables and enables nobody by its old plan', async () => {
  const office = await interrupted(leaverBackAndUpdate);
  office.clock.jump(3 * hourMs);
  const report = await office.applyRows(employees(20, { E4: { status: 'left' } }));
  expect(report.resumed[0]).toMatchObject({ outcome: 'partial', counts: { applied: 1, failed: 2 } });
  expect(writes(office).filter((write) => !write.startsWith('updated'))).toEqual([]);
  expect((await office.apply()).run.outcome).toBe('nothing-to-do');
});

it('a run of which nothing was sent for a day plans again, and delivers what is true then', async () => {
  const office = await interrupted(leaverBackAndUpdate);
  office.clock.jump(25 * hourMs);
  const report = await office.applyRows(employees(20, { E2: { last: 'Paz' }, E4: { status: 'left' } }));
  expect(report.resumed[0]).toMatchObject({ outcome: 'succeeded', counts: { applied: 1 } });
  expect(writes(office)).toEqual(['updated E2']);
  expect(report.run.outcome).toBe('nothing-to-do');
});
