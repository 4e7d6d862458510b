import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tracePerson } from '../../src/app/people.ts';
import { requestOrRun } from '../../src/app/requests.ts';
import { findChanges } from '../../src/app/runs.ts';
import { undoRun } from '../../src/app/undo.ts';
import type { ReadEnd } from '../../src/core/plan/snapshot.ts';
import type { SourcePage } from '../../src/ports/source.ts';
import { rollingCheck } from '../../src/run/lead/decide-leaders.ts';
import { defineKind, type OpenedSource } from '../../src/sources/kit/kind.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { drawFrom } from '../support/drawn.ts';
import { employees, type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';

const led = { mapping: { ...plainMapping, manager: 'boss', secondaryLeaders: ['second'] } };

/** Six people, led by E1. */
const team = (patch: Readonly<Record<string, Row>> = {}): Row[] =>
  employees(6).map((row) => ({ boss: row.id === 'E1' ? '' : 'E1', second: '', ...row, ...patch[row.id ?? ''] }));

const counts = ({ run: { counts } }: RunReport) => [counts.create, counts.lead, counts.unlead, counts.applied];
const codes = ({ findings }: RunReport) => findings.map(({ code, identification }) => `${code} ${identification}`);
const leadersOf = (office: Office, id: string) => {
  const { main, secondary } = office.sandbox.state.leadersOf(id);
  return { main, secondary: [...secondary].sort() };
};
const signal = AbortSignal.timeout(100_000);
const watch = { signal, progress: () => {} };

function platform(office: Office) {
  const sync = office.engine.io.syncs.get('people');
  if (sync === undefined) throw new Error('the office has no sync');
  return sync.platform;
}

describe('leaders of a sync', () => {
  it('are set in the run that creates the accounts, and the next run reads only the lists of the rolling check', async () => {
    const office = await openOffice({ sync: led });
    const first = await office.applyRows(team());
    expect([first.run.outcome, ...counts(first)]).toEqual(['succeeded', 6, 5, 0, 11]);
    expect(leadersOf(office, 'E3')).toEqual({ main: 'E1', secondary: [] });
    const second = await office.apply();
    expect([second.run.outcome, ...counts(second)]).toEqual(['nothing-to-do', 0, 0, 0, 0]);
    // The rolling check of the five people.
    expect(second.run.requests?.leaders).toBe(5);
  });

  it('are replaced by one change, and secondary leaders of ours come and go', async () => {
    const office = await openOffice({ sync: led });
    await office.applyRows(team({ E5: { second: 'E3' } }));
    expect(leadersOf(office, 'E5')).toEqual({ main: 'E1', secondary: ['E3'] });
    await platform(office).lead('E5', { secondary: ['E6'] }, signal);
    const moved = await office.applyRows(team({ E5: { boss: 'E2', second: 'E4' } }));
    expect([moved.run.outcome, ...counts(moved)]).toEqual(['succeeded', 0, 1, 0, 1]);
    expect(leadersOf(office, 'E5')).toEqual({ main: 'E2', secondary: ['E4', 'E6'] });
    const [change] = await findChanges(office.app, moved.run.id, { limit: 5 });
    expect(change).toMatchObject({
      before: { fields: { mainLeader: 'E1', secondaryLeaders: 'E3, E6' } },
      after: { mainLeader: 'E2', secondaryLeaders: 'E4, E6' },
    });
  });

  it('are put back by an undo, and not set again', async () => {
    const office = await openOffice({ sync: led });
    await office.applyRows(team());
    const moved = await office.applyRows(team({ E5: { boss: 'E2' } }));
    office.clock.jump(90_000_000);
    const undone = await undoRun(office.app, moved.run.id, { signal, progress: () => {}, by: 'ana' });
    if (undone.kind !== 'ran') throw new Error('the undo was only requested');
    expect([undone.report.run.outcome, leadersOf(office, 'E5').main]).toEqual(['succeeded', 'E1']);
    const later = await office.apply();
    expect([...counts(later), leadersOf(office, 'E5').main]).toEqual([0, 0, 0, 0, 'E1']);
  });

  it('are held beyond the guard, while accounts continue', async () => {
    const office = await openOffice({ sync: { ...led, guards: { leads: { absolute: 2, percent: 0 } } } });
    const first = await office.applyRows(team());
    expect([first.run.outcome, first.run.counts.applied, first.run.counts.held]).toEqual(['held', 6, 5]);
    const approved = await office.applyAll();
    expect([approved.run.outcome, approved.run.counts.applied]).toEqual(['succeeded', 5]);
  });

  it.each(drawFrom(['batch-sending', 'change-sending', 'change-accepted', 'batch-accepted', 'read-back'], 5))(
    'are the same after a kill at %s',
    async (place) => {
      let dies = false;
      const office = await openOffice({
        sync: led,
        checkpoint(name) {
          if (!dies || name !== place) return;
          dies = false;
          throw new Error('killed');
        },
      });
      await office.applyRows(team());
      dies = true;
      await office.applyRows(team({ E5: { boss: 'E2' } })).catch(() => {});
      expect(dies).toBe(false);
      await office.apply();
      await office.apply();
      expect(leadersOf(office, 'E5')).toEqual({ main: 'E2', secondary: [] });
    },
  );
});

it('an edit of the mapping that changes more than ten people waits for approval', async () => {
  const office = await openOffice();
  const crowd = employees(20).map((row) => ({ ...row, boss: row.id === 'E1' ? '' : 'E1' }));
  await office.applyRows(crowd);
  await office.edit({ mapping: { ...plainMapping, manager: 'boss' } });
  const held = await office.apply();
  expect([held.run.outcome, held.run.counts.held, leadersOf(office, 'E2').main]).toEqual(['held', 19, undefined]);
  const done = await office.applyAll();
  expect([done.run.outcome, done.run.counts.applied]).toEqual(['succeeded', 19]);
});

it('an edit of the mapping holds only the people whom it changes, whatever HR changes on that day', async () => {
  const guards = { creates: { absolute: 100, percent: 0 }, leads: { absolute: 100, percent: 0 } };
  const office = await openOffice({ sync: { ...led, guards } });
  const crowd = employees(30).map((row, i) => ({ ...row, boss: i === 0 ? '' : 'E1', chief: i < 18 ? '' : 'E2' }));
  const rows = crowd.map((row) => ({ ...row, chief: row.chief === '' ? row.boss : row.chief, second: '' }));
  await office.applyRows(rows);
  await office.edit({ mapping: { ...led.mapping, manager: 'chief' } });
  // E3 and E4 are moved by HR, in both columns. For E19 to E30, only the edit names another leader.
  const moved = rows.map((row, i) => (i === 2 || i === 3 ? { ...row, boss: 'E5', chief: 'E5' } : row));
  const held = await office.applyRows(moved);
  expect([held.run.outcome, held.run.counts.applied, held.run.counts.held]).toEqual(['held', 2, 12]);
  expect(held.run.facts.edit).toMatchObject({ people: 12, parts: { lead: 12 }, classes: { leads: 12 } });
  expect([leadersOf(office, 'E3').main, leadersOf(office, 'E19').main]).toEqual(['E5', 'E1']);
  await office.edit({ mapping: led.mapping });
  const back = await office.applyRows(moved.map((row, i) => (i > 3 && i < 18 ? { ...row, boss: 'E2' } : row)));
  expect([back.run.outcome, back.run.counts.lead, back.run.facts.edit]).toEqual(['succeeded', 14, undefined]);
});

it('one person is told which leaders the platform shows, what holds the change, and what waits', async () => {
  const office = await openOffice({ sync: { ...led, guards: { leads: { absolute: 0, percent: 0 } } } });
  await office.applyRows(team());
  await office.applyAll();
  const held = await office.applyRows(team({ E5: { boss: 'E2' }, E6: { boss: 'E9' } }));
  const moved = await tracePerson(office.app, 'people', 'E5', signal);
  expect(moved.answer).toMatch(/^Not given a leader: held for approval/);
  expect(moved.steps.map(({ step, state }) => `${step} ${state}`)).toContain('guard stopped');
  expect(moved.values.find(({ field }) => field === 'mainLeader')).toMatchObject({ sent: 'E2', platform: 'E1' });
  const waiting = await tracePerson(office.app, 'people', 'E6', signal);
  expect(waiting.answer).toMatch(/^Nothing to change: .*the leader E9 waits since/);
  expect(waiting.values.find(({ field }) => field === 'mainLeader')).toMatchObject({ sent: 'E9', platform: 'E1' });
  // An operator sees a name beside the change.
  const [change] = await findChanges(office.app, held.run.id, { limit: 5 });
  expect(change?.before?.fields).toMatchObject({ firstName: 'Ana5', email: 'ana5@example.com', mainLeader: 'E1' });
});

describe('a run sends few requests for leaders', () => {
  const crowd = employees(20).map((row): Row => ({ ...row, boss: row.id === 'E1' ? '' : 'E1', second: '' }));
  const many = { ...led, guards: { leads: { absolute: 100, percent: 0 } } };
  const moved = crowd.map((row) => (Number(row.id?.slice(1)) > 10 ? { ...row, boss: 'E2' } : row));
  const costs = ({ run }: RunReport) => {
    const { counts, requests } = run;
    return [run.outcome, counts.applied, requests?.leaders];
  };

  it('a list before the first change of an account that was there, the call and a list that proves it', async () => {
    const office = await openOffice({ sync: many, sandbox: { people: usersOf(crowd) } });
    // One more list shows whether lists can be read before the batch is sent.
    expect(costs(await office.applyRows(crowd))).toEqual(['succeeded', 19, 3 * 19 + 1]);
  });

  it('the calls and one list for each later change, and the lists of the rolling check', async () => {
    const office = await openOffice({ sync: many });
    expect(costs(await office.applyRows(crowd))).toEqual(['succeeded', 39, 2 * 19 + 1]);
    expect(costs(await office.applyRows(moved))).toEqual(['succeeded', 10, 19 + 3 * 10 + 1]);
  });

  it('a list before each change where the platform replaces main leaders', async () => {
    const dialect = { leaders: { main: 'replaces' } };
    const office = await openOffice({ sync: many, dialect, sandbox: { quirks: { mainLeader: 'replaces' } } });
    await office.applyRows(crowd);
    expect(costs(await office.applyRows(moved))).toEqual(['succeeded', 10, 19 + 3 * 10]);
  });

  it('only those of the rolling check for changes that are held', async () => {
    const guards = { leads: { absolute: 1, percent: 0 } };
    const crowd = employees(rollingCheck + 31).map((row) => ({
      ...row,
      boss: row.id === 'E1' ? '' : 'E1',
      second: '',
    }));
    const office = await openOffice({ sync: { ...led, guards }, sandbox: { people: usersOf(crowd) } });
    const held = await office.applyRows(crowd);
    expect([held.run.outcome, held.run.counts.held, held.run.requests?.leaders]).toEqual(['held', 230, 230]);
    const again = await office.apply();
    expect([again.run.outcome, again.run.counts.held, again.run.requests?.leaders]).toEqual(['held', 230, 200]);
  });
});

describe.each(['refuses', 'replaces'] as const)(
  'a main leader that is set by hand after the plan, platform %s',
  (main) => {
    it('stays, and the next run reports it', async () => {
      let byHand: ((office: Office) => Promise<void>) | undefined;
      const done: Promise<void>[] = [];
      const office: Office = await openOffice({
        sync: led,
        dialect: { leaders: { main } },
        sandbox: { quirks: { mainLeader: main } },
        checkpoint(name) {
          if (name !== 'plan-stored' || byHand === undefined) return;
          done.push(byHand(office));
          byHand = undefined;
        },
      });
      await office.applyRows(team());
      byHand = async () => {
        await platform(office).unlead('E5', { main: 'E1' }, signal);
        await platform(office).lead('E5', { main: 'E6' }, signal);
      };
      // The change of E4 is sent before.
      const failed = await office.applyRows(team({ E4: { boss: 'E3' }, E5: { boss: 'E2' } }));
      await Promise.all(done);
      expect([failed.run.outcome, failed.run.counts.failed, leadersOf(office, 'E5').main]).toEqual([
        'partial',
        1,
        'E6',
      ]);
      const told = await office.apply();
      expect([told.run.outcome, codes(told), leadersOf(office, 'E5').main]).toEqual([
        'nothing-to-do',
        ['leader-by-hand E5'],
        'E6',
      ]);
    });
  },
);

describe('a read of only those who changed', () => {
  const people = team();

  /** A source that tells who changed. The manager of E2 is not there yet. */
  async function openChanging() {
    let changed: readonly Row[] = [];
    const source: OpenedSource = {
      async *read({ kind }): AsyncGenerator<SourcePage, ReadEnd> {
        const told = kind === 'full' ? people.map((row) => (row.id === 'E2' ? { ...row, boss: 'E9' } : row)) : changed;
        yield { records: told.map((fields, i) => ({ at: `item ${i + 1}`, fields })), broken: [] };
        return { complete: true, rows: told.length, evidence: 'the list ended', stamp: 's1' };
      },
    };
    const kind = defineKind({
      kind: 'memory',
      title: 'people in memory',
      capabilities: { delta: true, point: true, terminated: 'always', future: 'always' },
      config: z.strictObject({ kind: z.literal('memory') }),
      folder: '',
      starters: [],
      open: () => source,
    });
    const office = await openOffice({
      sync: { ...led, source: { kind: 'memory' }, deltas: { fullEvery: '24h' } },
      kinds: [kind],
    });
    await office.apply();
    // Whoever waits when the account is created is read once more, because only then the ledger has an entry.
    expect((await office.apply()).run.facts.read?.kind).toBe('full');
    const resync = async (...rows: readonly Row[]): Promise<RunReport> => {
      changed = rows;
      const done = await requestOrRun(office.app, 'people', { ...watch, by: 'ana', scope: { kind: 'all' } });
      if (done.kind !== 'ran') throw new Error('the run was only requested');
      expect(done.report.run.facts.read?.kind).toBe('delta');
      return done.report;
    };
    return { office, resync };
  }

  it('sets the leader of the people who wait for a manager who comes, for one list each', async () => {
    const { office, resync } = await openChanging();
    expect(leadersOf(office, 'E2').main).toBeUndefined();
    const other = await resync({ ...people[3], boss: 'E3' } as Row);
    expect([...counts(other), leadersOf(office, 'E2').main]).toEqual([0, 1, 0, 1, undefined]);
    const came = await resync({ ...people[0], id: 'E9', mail: 'e9@example.com', boss: 'E1' } as Row);
    expect([came.run.outcome, ...counts(came)]).toEqual(['succeeded', 1, 2, 0, 3]);
    expect([leadersOf(office, 'E2').main, leadersOf(office, 'E9').main]).toEqual(['E9', 'E1']);
    expect((await resync({ ...people[4] } as Row)).run.outcome).toBe('nothing-to-do');
  });

  it('closes no circle through people who wait', async () => {
    const { office, resync } = await openChanging();
    const came = await resync({ ...people[0], id: 'E9', mail: 'e9@example.com', boss: 'E2' } as Row);
    expect([...counts(came), codes(came)]).toEqual([1, 0, 0, 1, [expect.stringContaining('leader-cycle')]]);
    expect(leadersOf(office, 'E2').main).toBeUndefined();
  });
});

describe('leaders that cannot be set', () => {
  const byMail = { mapping: { ...plainMapping, manager: { from: 'boss', by: 'email' } } };

  it('are a conflict where two people have the e-mail of the manager', async () => {
    const office = await openOffice({ sync: byMail });
    const rows = employees(4).map((row): Row => ({ ...row, boss: row.id === 'E3' ? 'ana1@example.com' : '' }));
    const found = await office.applyRows(rows);
    expect([counts(found), leadersOf(office, 'E3').main]).toEqual([[4, 1, 0, 5], 'E1']);
    const twice = await office.applyRows(
      rows.map((row) => (row.id === 'E2' ? { ...row, mail: 'Ana1@example.com' } : row)),
    );
    expect([twice.run.counts.lead, leadersOf(office, 'E3').main]).toEqual([0, 'E1']);
    expect(codes(twice)).toContain('leader-conflict E3');
  });
});

describe('leaders in other runs and troubles', () => {
  it('are completed by the next run where the platform loses the second call of a replacement', async () => {
    const office = await openOffice({ sync: led });
    await office.applyRows(team());
    office.setFaults('add-leaders:status=500');
    const lost = await office.applyRows(team({ E5: { boss: 'E2' } }));
    expect([lost.run.outcome, lost.run.counts.failed, leadersOf(office, 'E5').main]).toEqual(['partial', 1, undefined]);
    office.setFaults();
    const next = await office.apply();
    expect([...counts(next), leadersOf(office, 'E5').main]).toEqual([0, 1, 0, 1, 'E2']);
  });
});

it('leaders of accounts that a guard holds wait, and are set in the run that creates the accounts', async () => {
  const office = await openOffice({ sync: { ...led, guards: { creates: { absolute: 2, percent: 0 } } } });
  const held = await office.applyRows(team());
  expect([held.run.outcome, held.run.counts.held, held.run.counts.failed, held.run.counts.applied]).toEqual([
    'held',
    6,
    0,
    0,
  ]);
  const done = await office.applyAll();
  expect([done.run.outcome, done.run.counts.applied, leadersOf(office, 'E3').main]).toEqual(['succeeded', 11, 'E1']);
});
