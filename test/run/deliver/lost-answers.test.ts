import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../support/drawn.ts';
import { employees, type Office, type OfficeOptions, openOffice, type Row, usersOf } from '../../support/office.ts';
import { holdPromises } from '../../support/oracle.ts';

holdPromises();

const minuteMs = 60_000;

function writes(office: Office): string[] {
  return office.sandbox.state.log.map(({ kind, identification }) => `${kind} ${identification}`);
}

async function officeWith(rows: readonly Row[], options: OfficeOptions = {}): Promise<Office> {
  const office = await openOffice({ ...options, sandbox: { people: usersOf(employees(20)), ...options.sandbox } });
  expect((await office.applyRows(employees(20))).run.outcome).toBe('nothing-to-do');
  await office.writeEmployees(rows);
  return office;
}

/** A create, an update and a disable. */
const threeChanges = employees(21, { E2: { last: 'Núñez' }, E3: { status: 'left' } });

describe('an upload whose answer is lost', () => {
  it.each(
    drawFrom(['reset-after-commit', 'hang-after-commit', 'status-after-commit=500', 'cut-body', 'empty', 'html'], 3),
  )('is found by reading back and not sent again (%s)', async (fault) => {
    const office = await officeWith(threeChanges, {
      // Enough for a busy machine, whose lookups take long on a fast clock.
      sync: { delivery: 'csv', batchRows: 1, settle: { every: '2s', visibleWithin: '2m' } },
    });
    office.setFaults(`upload:${fault}@1`);
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'succeeded' });
    expect(report.run.counts).toMatchObject({ applied: 3, unresolved: 0, failed: 0 });
    expect(writes(office).sort()).toEqual(['created E21', 'disabled E3', 'updated E2']);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it.each(drawFrom(['reset-before-commit', 'hang', 'status=500', 'status=502'], 4))(
    'and that was not taken blocks its users until unknownAfter, then goes out again as a repeat (%s)',
    async (fault) => {
      const office = await officeWith(threeChanges, { sync: { delivery: 'csv' } });
      office.setFaults(`upload:${fault}`);
      const lost = await office.apply();
      expect(lost.run).toMatchObject({ outcome: 'partial' });
      expect(lost.run.counts).toMatchObject({ unresolved: 3, applied: 0 });
      expect(lost.findings.map(({ code }) => code)).toContain('unresolved');
      expect(writes(office)).toEqual([]);
      const uploads = office.sandbox.state.requests.upload;

      office.setFaults();
      const waiting = await office.apply();
      expect(office.sandbox.state.requests.upload).toBe(uploads);
      expect(waiting.findings.filter(({ code }) => code === 'unresolved')).toHaveLength(3);
      expect(waiting.run.outcome).not.toBe('succeeded');
      expect(writes(office)).toEqual([]);

      office.clock.jump(31 * minuteMs);
      const shown = await office.plan();
      expect(shown.counts).toMatchObject({ create: 1, update: 1, disable: 1 });
      const repeated = await office.apply();
      expect(repeated.run).toMatchObject({ outcome: 'succeeded' });
      expect(repeated.run.counts).toMatchObject({ applied: 3, repeated: 3 });
      expect(repeated.findings.filter(({ code }) => code === 'repeated')).toHaveLength(3);
      expect(writes(office).sort()).toEqual(['created E21', 'disabled E3', 'updated E2']);
      const after = await office.apply();
      expect(after.run).toMatchObject({ outcome: 'nothing-to-do' });
      expect(after.run.counts.repeated).toBe(0);
    },
  );
});

describe('a direct call whose answer is lost', () => {
  const removing = { remove: { afterDays: 1 }, guards: { removes: { absolute: 9 } } };

  it.each(drawFrom(['reset-after-commit', 'hang-after-commit', 'status-after-commit=500'], 3))(
    'is found by reading back and not sent again: create and update (%s)',
    async (fault) => {
      const office = await officeWith(employees(22, { E2: { last: 'Núñez' }, E4: { last: 'Paz' } }));
      office.setFaults(`create:${fault}@1`, `update:${fault}@1`);
      const report = await office.apply();
      expect(report.run).toMatchObject({ outcome: 'succeeded' });
      expect(report.batches.map(({ kind }) => kind)).toEqual(['direct']);
      expect(report.run.counts).toMatchObject({ applied: 4, unresolved: 0 });
      expect(writes(office).sort()).toEqual(['created E21', 'created E22', 'updated E2', 'updated E4']);
      expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    },
  );

  it('is found by reading back and not sent again: remove', async () => {
    const office = await officeWith(employees(20, { E3: { status: 'left' } }), { sync: removing });
    await office.apply();
    office.clock.jump(25 * 60 * minuteMs);
    office.setFaults('delete:reset-after-commit');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'succeeded' });
    expect(report.run.counts).toMatchObject({ remove: 1, applied: 1 });
    expect(writes(office)).toEqual(['disabled E3', 'removed E3']);
    office.setFaults();
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it.each(drawFrom(['reset-before-commit', 'status=500'], 2))(
    'and that was not taken stays unresolved, the others land, and after unknownAfter it is repeated (%s)',
    async (fault) => {
      const office = await officeWith(employees(22, { E2: { last: 'Núñez' }, E4: { last: 'Paz' } }));
      office.setFaults(`create:${fault}@1`, `update:${fault}@1`);
      const report = await office.apply();
      expect(report.run).toMatchObject({ outcome: 'partial' });
      expect(report.run.counts).toMatchObject({ applied: 2, unresolved: 2, failed: 0 });
      expect(writes(office).sort()).toEqual(['created E22', 'updated E4']);

      await office.apply();
      expect(writes(office)).toHaveLength(2);

      office.clock.jump(31 * minuteMs);
      const again = await office.apply();
      expect(again.run).toMatchObject({ outcome: 'succeeded' });
      expect(again.run.counts).toMatchObject({ applied: 2, repeated: 2 });
      expect(writes(office).sort()).toEqual(['created E21', 'created E22', 'updated E2', 'updated E4']);
    },
  );
});
