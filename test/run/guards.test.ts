import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { findRuns } from '../../src/app/runs.ts';
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
    { name: 'disables', rows: patched(40, 1, 6, left), held: 6 },
    { name: 'creates', rows: employees(66), held: 26 },
  ])('are held while everything else goes on: $name', async ({ rows, held }) => {
    const office = await managed();
    const report = await office.applyRows(rows.map((row) => (row.id === 'E40' ? { ...row, last: 'Paz' } : row)));
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

  it('of an unknown digest is refused, and nothing runs', async () => {
    const office = await managed();
    await office.writeEmployees(patched(40, 1, 8, left));
    await expect(office.apply({ approve: 'f'.repeat(64) })).rejects.toThrow('digest');
    expect(disabled(office)).toBe(0);
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
});
