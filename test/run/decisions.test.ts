import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { findHolds } from '../../src/app/holds.ts';
import { findChanges } from '../../src/app/runs.ts';
import { employees, type Office, type OfficeOptions, openManaged, type Row } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;
const left = { status: 'left' };

/** So many that six of them are held as a class, and are no sign of a shortened file. */
const total = 100;
const gone = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'];

function patched(names: readonly string[], patch: Row): Row[] {
  return employees(total, Object.fromEntries(names.map((name) => [name, patch])));
}

function without(names: readonly string[]): Row[] {
  return employees(total).filter(({ id = '' }) => !names.includes(id));
}

const managed = (options: OfficeOptions = {}) => openManaged(total, options);

const disabledOf = (office: Office): string[] =>
  office.sandbox.state.log
    .filter(({ kind }) => kind === 'disabled')
    .map(({ identification }) => identification)
    .sort();

describe('a rejection', () => {
  it('of "missing" does not swallow the termination of the next week', async () => {
    const office = await managed({ sync: { missing: { afterReads: 1, minAge: '0s' } } });
    const { run } = await office.applyRows(without(gone));
    expect(run.counts).toMatchObject({ disable: 6, held: 6 });
    await decideRun(office.app, 'reject', run.id, { by: 'ops' });
    expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do', facts: { rejected: 6 } });
    office.clock.jump(7 * 24 * hourMs);
    expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do', facts: { rejected: 6 } });
    const terminated = await office.applyRows(patched(gone, left));
    expect(terminated.run).toMatchObject({ outcome: 'held', counts: { disable: 6, held: 6 }, facts: { rejected: 0 } });
    await decideRun(office.app, 'approve', terminated.run.id, { by: 'ops' });
    expect((await office.apply()).run.counts).toMatchObject({ applied: 6 });
    expect(disabledOf(office)).toEqual(gone);
  });

  it('is not overruled by a digest that showed the change before', async () => {
    const office = await managed();
    await office.writeEmployees(patched(gone, left));
    const shown = await office.plan();
    const { run } = await office.apply();
    await decideRun(office.app, 'reject', run.id, { by: 'ana', ids: ['E1', 'E2'], reason: 'on leave' });
    const report = await office.apply({ approve: shown.digest });
    expect(report.run.counts).toMatchObject({ applied: 4, held: 0 });
    expect(report.run.facts.rejected).toBe(2);
    expect(disabledOf(office)).toEqual(gone.slice(2));
    const change = (await findChanges(office.app, report.run.id, { limit: 1 }))[0];
    expect(change).toMatchObject({
      state: 'dropped',
      stateReason: expect.stringMatching(/^rejected by ana at .* UTC: on leave$/),
    });
  });
});

describe('a digest', () => {
  it('covers the changes that are open: approving and rejecting some makes it another', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(gone, left));
    const all = await office.plan();
    await decideRun(office.app, 'reject', run.id, { by: 'ops', ids: ['E1'] });
    const fewer = await office.plan();
    expect(fewer.digest).not.toBe(all.digest);
    expect(fewer.digest).toBe((await office.plan()).digest);
    await decideRun(office.app, 'approve', run.id, { by: 'ops', except: ['E1'] }).catch(() => {});
    await decideRun(office.app, 'approve', run.id, { by: 'ops', ids: ['E1'], reopens: true });
    expect((await office.plan()).counts).toMatchObject({ held: 0, disable: 6 });
    await decideRun(office.app, 'reject', run.id, { by: 'ops', ids: ['E1'] });
    const report = await office.apply({ approve: fewer.digest });
    expect(disabledOf(office)).toEqual(gone.slice(1));
    expect(report.run.counts).toMatchObject({ applied: 5, held: 0 });
  });
});

describe('an approval', () => {
  it('of a part delivers that part, and the rest waits', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(gone, left));
    expect((await decideRun(office.app, 'approve', run.id, { by: 'ops', except: ['E5', 'E6'] })).changes).toBe(4);
    expect((await findHolds(office.app, { limit: 9 })).holds).toMatchObject([{ waiting: 2, hold: { run: run.id } }]);
    for (const applied of [4, 0, 0]) {
      const { run: next, holds } = await office.apply();
      expect(next).toMatchObject({ outcome: 'held', counts: { applied, held: 2 } });
      expect(holds).toMatchObject([
        {
          class: 'disables',
          state: 'open',
          reason:
            'not part of an earlier approval or rejection: needs its own decision (held before: 6 disables: the limit without approval is 5 in 24 hours (100 enabled managed users))',
        },
      ]);
    }
    expect(disabledOf(office)).toEqual(['E1', 'E2', 'E3', 'E4']);
    const { holds } = await findHolds(office.app, { limit: 9 });
    expect(holds).toMatchObject([{ waiting: 2, isApprovable: true }]);
    await decideRun(office.app, 'approve', holds[0]?.hold.run ?? '', { by: 'ops', only: ['disables'] });
    expect((await office.apply()).run.counts).toMatchObject({ applied: 2, held: 0 });
  });

  it('is taken back by a rejection, and asked for again after one', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(gone, left));
    await decideRun(office.app, 'approve', run.id, { by: 'ops' });
    expect((await decideRun(office.app, 'reject', run.id, { by: 'ana' })).changes).toBe(6);
    expect((await office.apply()).run.facts.rejected).toBe(6);
    await expect(decideRun(office.app, 'approve', run.id, { by: 'ops' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('ana rejected 6 changes'),
    });
    expect((await decideRun(office.app, 'approve', run.id, { by: 'ops', reopens: true })).changes).toBe(6);
    expect((await office.apply()).run.counts).toMatchObject({ applied: 6 });
  });

  it('leaves what was rejected alone while anything else of the run waits', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(gone, left));
    await decideRun(office.app, 'reject', run.id, { by: 'ana', ids: ['E1'] });
    expect((await decideRun(office.app, 'approve', run.id, { by: 'ops', reopens: true })).changes).toBe(5);
    await office.apply();
    expect(disabledOf(office)).toEqual(gone.slice(1));
  });
});

describe('a hold', () => {
  it('stays open, with the people whom it is about, while runs decide about others or fail', async () => {
    const office = await managed();
    const { run } = await office.applyRows(patched(gone, left));
    await office.writeText('id,first,last,mail,status\n');
    await office.apply();
    const { holds } = await findHolds(office.app, { limit: 2 });
    expect(holds).toMatchObject([{ waiting: 6, isApprovable: true, hold: { run: run.id, class: 'disables' } }]);
    expect(holds[0]?.changes.map(({ identification }) => identification)).toEqual(['E1', 'E2']);
    await office.writeEmployees(patched(gone.slice(1), left));
    await office.apply({ users: ['E1'] });
    expect((await findHolds(office.app, { limit: 9 })).holds).toMatchObject([{ waiting: 5 }]);
  });
});
