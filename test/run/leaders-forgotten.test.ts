import { describe, expect, it } from 'vitest';
import { findRuns } from '../../src/app/runs.ts';
import { undoRun } from '../../src/app/undo.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { employees, type Office, openOffice, plainMapping, type Row } from '../support/office.ts';

const signal = AbortSignal.timeout(100_000);

/** Six people, led by E1. */
const team = (patch: Readonly<Record<string, Row>> = {}): Row[] =>
  employees(6).map((row) => ({ boss: row.id === 'E1' ? '' : 'E1', ...row, ...patch[row.id ?? ''] }));

const counts = ({ run: { counts } }: RunReport) => [counts.create, counts.lead, counts.unlead, counts.applied];
const codes = ({ findings }: RunReport) => findings.map(({ code, identification }) => `${code} ${identification}`);
const mainOf = (office: Office, id: string) => office.sandbox.state.leadersOf(id).main;

describe('forgetting a leader', () => {
  const cleared = { mapping: { ...plainMapping, manager: { from: 'boss', whenEmpty: 'clear' } } };
  /** E1 leads E2 to E6, has left, and is forgotten. */
  async function openForgotten() {
    const office = await openOffice({ sync: cleared });
    await office.applyRows(team());
    await office.applyRows(team({ E1: { status: 'left', boss: '' } }));
    const platform = office.engine.io.syncs.get('people')?.platform;
    await platform?.unlead('E6', { main: 'E1' }, signal);
    await platform?.lead('E6', { main: 'E5' }, signal);
    await office.engine.io.store.people.forget('E1', office.clock.now());
    const joiner: Row = { id: 'E7', first: 'Ana', last: 'Díaz', mail: 'e7@example.com', status: 'active', boss: '' };
    const rows = (patch: Readonly<Record<string, Row>>) => [joiner, ...team(patch).slice(1)];
    return { office, rows };
  }

  it('leaves no name of the leader with the people who were led', async () => {
    const { office } = await openForgotten();
    const { people, ledger } = office.engine.io.store;
    const { leads, forgotten, ...rest } = await people.read('E1');
    expect([leads, forgotten.length, rest.changes, rest.findings]).toEqual([[], 1, [], []]);
    const entry = await ledger.get('acme', 'E2');
    expect(entry?.leaders).toEqual({
      main: expect.stringMatching(/^forgotten:[0-9a-f]{64}$/),
      secondary: [],
      checkedAt: expect.any(Number),
    });
    expect(JSON.stringify((await people.read('E2')).changes)).not.toContain('"E1"');
  });

  it('leads and unleads no one by mistake: ours is still ours, and a leader who was set by hand stays', async () => {
    const { office, rows } = await openForgotten();
    const kept = { boss: 'E1' };
    const moved = await office.applyRows(
      rows({ E2: kept, E3: { boss: 'E2' }, E4: { boss: '' }, E5: kept, E6: { boss: 'E2' } }),
    );
    expect([moved.run.outcome, ...counts(moved)]).toEqual(['succeeded', 1, 1, 1, 3]);
    const mains = ['E2', 'E3', 'E4', 'E5', 'E6'].map((id) => mainOf(office, id));
    expect(mains).toEqual(['E1', 'E2', undefined, 'E1', 'E5']);
    expect(codes(moved)).toContain('leader-by-hand E6');
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it('leaves changes that named the leader as numbers, which no undo puts back', async () => {
    const { office } = await openForgotten();
    const runs = await findRuns(office.app, { sync: 'people', limit: 9 });
    const run = runs.find(({ counts: { lead } }) => lead === 5)?.id ?? '';
    const undone = await undoRun(office.app, run, { signal, progress: () => {}, by: 'ana' });
    expect(undone.kind === 'ran' && counts(undone.report)).toEqual([0, 0, 0, 0]);
    expect(mainOf(office, 'E2')).toBe('E1');
  });
});
