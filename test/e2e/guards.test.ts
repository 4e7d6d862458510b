import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { describeRun, findRuns } from '../../src/app/runs.ts';
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

const managed = (sync: OfficeOptions['sync'] = {}, count = 40) => openManaged(count, { sync });

/** `count` employees, those numbered `from` to `to` with a patch. */
function patched(count: number, from: number, to: number, patch: Row): Row[] {
  const names = Array.from({ length: to - from + 1 }, (_, i) => `E${from + i}`);
  return employees(count, Object.fromEntries(names.map((name) => [name, patch])));
}

const left = { status: 'left' };

function disabled(office: Office): number {
  return office.sandbox.state.log.filter(({ kind }) => kind === 'disabled').length;
}

describe('too many changes of one class', () => {
  it.each([
    { name: 'disables', rows: patched(40, 1, 6, left), held: 6, extra: {} },
    { name: 'creates', rows: employees(66), held: 26, extra: {} },
    {
      name: 'e-mail changes',
      rows: employees(40).map((row, i) => (i < 11 ? { ...row, mail: `new${i}@example.com` } : row)),
      held: 11,
      extra: {},
    },
    { name: 'updates', rows: patched(60, 1, 51, { first: 'Otra' }), held: 51, extra: { count: 60 } },
  ])('are held while everything else goes on: $name', async ({ rows, held, extra }) => {
    const office = await managed({}, 'count' in extra ? extra.count : 40);
    const others = rows.map((row) => (row.id === 'E40' ? { ...row, last: 'Paz' } : row));
    await office.writeEmployees(
      held === 51 ? rows.map((row) => (row.id === 'E60' ? { ...row, ...left } : row)) : others,
    );
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'held' });
    expect(report.run.counts).toMatchObject({ held, applied: 1 });
    expect(report.holds).toHaveLength(1);
    expect(report.holds[0]?.size).toBe(held);
    expect(report.run.reason).toContain('approval');

    const verdict = await decideRun(office.app, 'approve', report.run.id, { by: 'ops' });
    expect(verdict.changes).toBe(held);
    const after = await office.apply();
    expect(after.run).toMatchObject({ outcome: 'succeeded' });
    expect(after.run.counts).toMatchObject({ applied: held, held: 0 });
    expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0 });
  });

  it('go on waiting, and can be approved, after a run about somebody else', async () => {
    const office = await managed();
    const rows = patched(40, 1, 6, left).map((row) => (row.id === 'E40' ? { ...row, last: 'Paz' } : row));
    const { run } = await office.applyRows(rows.map((row) => (row.id === 'E40' ? { ...row, last: 'Díaz' } : row)));
    expect(run).toMatchObject({ outcome: 'held', counts: { held: 6 } });
    await office.writeEmployees(rows);
    expect((await office.apply({ users: ['E40'] })).run).toMatchObject({
      outcome: 'succeeded',
      counts: { applied: 1 },
    });
    const shown = await describeRun(office.app, run.id);
    expect(shown.holds).toMatchObject([{ class: 'disables', state: 'open' }]);
    await decideRun(office.app, 'approve', run.id, { by: 'ops' });
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 6, held: 0 } });
  });
});

describe('approval', () => {
  it('by the digest of a plan that was shown delivers that plan', async () => {
    const office = await managed();
    await office.writeEmployees(patched(40, 1, 8, left));
    const shown = await office.plan();
    expect(shown.counts).toMatchObject({ disable: 8, held: 8 });
    const report = await office.apply({ approve: shown.digest });
    expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { applied: 8 } });
    expect(report.run.digest).not.toBe(shown.digest);
  });

  it('does not cover what has changed since', async () => {
    const office = await managed();
    await office.writeEmployees(patched(40, 1, 7, left));
    const shown = await office.plan();
    await office.writeEmployees(patched(40, 1, 14, left));
    const report = await office.apply({ approve: shown.digest });
    expect(report.run).toMatchObject({ outcome: 'held', counts: { disable: 14, applied: 7, held: 7 } });
    expect(disabled(office)).toBe(7);
  });

  it('of an unknown digest is refused, and nothing runs', async () => {
    const office = await managed();
    await office.writeEmployees(patched(40, 1, 8, left));
    await expect(office.apply({ approve: 'f'.repeat(64) })).rejects.toThrow('digest');
    expect(disabled(office)).toBe(0);
  });

  it('runs out after 24 hours', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(40, 1, 8, left));
    await decideRun(office.app, 'approve', run.id, { by: 'ops' });
    office.clock.jump(25 * hourMs);
    expect((await office.apply()).run).toMatchObject({ outcome: 'held', counts: { held: 8, applied: 0 } });
  });

  it('of what was held or shown more than 24 hours ago is refused', async () => {
    const office = await managed();
    await office.writeEmployees(patched(40, 1, 8, left));
    const shown = await office.plan();
    const { run } = await office.apply();
    office.clock.jump(25 * hourMs);
    await expect(decideRun(office.app, 'approve', run.id, { by: 'ops' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(office.apply({ approve: shown.digest })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await office.apply()).run.counts).toMatchObject({ held: 8, applied: 0 });
    const again = await office.apply();
    await decideRun(office.app, 'approve', again.run.id, { by: 'ops' });
    expect((await office.apply()).run.counts).toMatchObject({ applied: 8 });
  });

  it('holds are renewed by later runs while they stand, and expire after 24 hours', async () => {
    const office = await managed();
    const first = await office.applyRows(patched(40, 1, 8, left));
    const second = await office.apply();
    expect(second.holds.map(({ id }) => id)).toEqual(first.holds.map(({ id }) => id));
    office.clock.jump(25 * hourMs);
    expect((await office.engine.io.store.holds.open('people', office.clock.now())).holds).toEqual([]);
  });

  it('when rejected, the very changes are dropped without being asked about, until they change', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(40, 1, 8, left));
    expect((await decideRun(office.app, 'reject', run.id, { by: 'ops' })).changes).toBe(8);
    const quiet = await office.apply();
    expect(quiet.run).toMatchObject({ outcome: 'nothing-to-do', counts: { held: 0, applied: 0 } });
    expect(quiet.run.facts.rejected).toBe(8);
    expect(quiet.holds).toEqual([]);
    const more = await office.applyRows(patched(40, 1, 9, left));
    expect(more.run.counts).toMatchObject({ held: 0, applied: 1 });
    expect(disabled(office)).toBe(1);
  });
});

describe('a source that looks wrong', () => {
  const source = { kind: 'csv', path: './employees.csv', complete: 'trailer', trailer: 'T' };
  const withTrailer = (rows: readonly Row[]): string =>
    `id,first,last,mail,status\n${rows.map((row) => `${row.id},${row.first},${row.last},${row.mail},${row.status}\n`).join('')}T,${rows.length},,,\n`;

  async function trailerOffice(): Promise<Office> {
    const office = await openOffice({
      sandbox: { people: usersOf(employees(40)) },
      sync: { source, missing: { afterReads: 1, minAge: '0s' }, guards: { disables: { absolute: 30 } } },
    });
    await office.writeText(withTrailer(employees(40)));
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    return office;
  }

  it('with more than 10 % of its rows gone is held, and approving the run accepts it', async () => {
    const office = await trailerOffice();
    await office.writeText(withTrailer(patched(34, 2, 2, left)));
    for (const _ of [1, 2]) {
      const report = await office.apply();
      expect(report.run).toMatchObject({ outcome: 'held' });
      expect(report.run.counts).toMatchObject({ applied: 0 });
      expect(report.findings.map(({ message }) => message).join()).toContain('rows fell from 40 to 34');
    }
    const [last] = await findRuns(office.app, { limit: 1 });
    await decideRun(office.app, 'approve', last?.id ?? '', { by: 'ops' });
    await office.apply();
    const after = await office.apply();
    expect(disabled(office)).toBe(7);
    expect(['succeeded', 'nothing-to-do']).toContain(after.run.outcome);
  });

  it('is not accepted along with changes that were approved before', async () => {
    const office = await trailerOffice();
    await office.writeText(withTrailer(employees(66)));
    const { run } = await office.apply();
    expect(run.counts).toMatchObject({ create: 26, held: 26 });
    await decideRun(office.app, 'approve', run.id, { by: 'ops' });
    // A quarter of the file is lost before the approved creates go out.
    await office.writeText(withTrailer(employees(66).slice(16)));
    for (const applied of [26, 0, 0]) {
      const report = await office.apply();
      expect(report.run).toMatchObject({ outcome: 'held', counts: { applied } });
    }
    expect(disabled(office)).toBe(0);
  });

  it('counts no miss of such a read', async () => {
    const office = await trailerOffice();
    await office.writeText(withTrailer(employees(30)));
    await office.apply();
    expect(await office.engine.io.store.ledger.get('acme', 'E40')).not.toHaveProperty('misses');
  });

  it('that lost a tenth of its rows without a marker is held, and approving the run accepts that too', async () => {
    const office = await managed({ missing: { afterReads: 1, minAge: '0s' }, guards: { disables: { absolute: 30 } } });
    const report = await office.applyRows(employees(30));
    expect(report.run).toMatchObject({ outcome: 'held' });
    expect(disabled(office)).toBe(0);
    await decideRun(office.app, 'approve', report.run.id, { by: 'ops' });
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { disable: 10, applied: 10 } });
  });

  it('with a column emptied holds the updates of that field, and nothing else', async () => {
    const mapping = {
      identification: 'id',
      firstName: 'first',
      lastName: 'last',
      email: { from: 'mail', whenEmpty: 'clear' },
    };
    const office = await managed({ mapping });
    const rows = employees(41).map((row, i) => (i < 9 ? { ...row, mail: '' } : row));
    const report = await office.applyRows(rows);
    expect(report.run).toMatchObject({ outcome: 'held', counts: { update: 9, create: 1, held: 9, applied: 1 } });
    expect(report.findings.map(({ message }) => message).join()).toContain('email is filled for');
    await decideRun(office.app, 'approve', report.run.id, { by: 'ops' });
    expect((await office.apply()).run.counts).toMatchObject({ applied: 9, held: 0 });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});
