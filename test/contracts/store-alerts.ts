import { expect, it } from 'vitest';
import type { Outcome } from '../../src/core/run/run.ts';
import type { AlertNotice, AlertState, AlertSubject } from '../../src/ports/alerts.ts';
import type { RunScope, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { openRun, sampleChange, sampleTrigger, writePlan } from './store-samples.ts';

const people: AlertSubject = { kind: 'sync', name: 'people' };

function sampleState(over: Partial<AlertState> = {}): AlertState {
  const judged = { firstSeenAt: now, judgedUntil: now, judgedRuns: ['run_1'] };
  return { subject: people, version: 1, problems: {}, ...judged, ...over };
}

function sampleNotice(id: string, over: Partial<AlertNotice> = {}): AlertNotice {
  const changes = { problems: [], recovered: [], standing: [] };
  return { id, kind: 'problem', subject: people, severity: 'critical', at: now, ...changes, ...over };
}

export function describeAlerts(store: () => Store): void {
  const tell = async (notice: AlertNotice, channels: readonly string[]) => {
    const { alerts } = store();
    const seen = (await alerts.state(notice.subject))?.version ?? 0;
    expect(await alerts.save(seen, sampleState({ subject: notice.subject }), [{ notice, channels }])).toBe(true);
  };
  const claimed = async (channels: readonly string[], at: number) => {
    const found = await store().alerts.claim(channels, at, at + 60_000);
    return found.map(({ notice, channel, tries }) => `${notice.id} ${channel} ${tries}`);
  };

  it('remembers what was told about each subject, and nothing about another', async () => {
    const { alerts } = store();
    const words = {
      topic: 'run',
      code: 'run-partial',
      summary: 'x',
      details: ['y'],
      unaffected: undefined,
      action: 'z',
    } as const;
    const known = {
      severity: 'warning',
      worst: 'critical',
      key: 'k',
      since: now,
      newsAt: now,
      told: {},
      times: 1,
      ...words,
    } as const;
    expect(await alerts.state(people)).toBeUndefined();
    expect(await alerts.save(0, sampleState({ problems: { run: known } }), [])).toBe(true);
    expect(await alerts.state(people)).toEqual(sampleState({ problems: { run: known } }));
    expect(await alerts.state({ kind: 'connection', name: 'people' })).toBeUndefined();
  });

  it('hands out with a notice the receipt of the first that its channel delivered about the same run', async () => {
    const { alerts } = store();
    const about = (id: string, at: number, run: string) => {
      const problem = {
        topic: 'run',
        code: 'run-partial',
        severity: 'warning',
        key: id,
        summary: id,
        details: [],
        unaffected: undefined,
      } as const;
      return sampleNotice(id, { at, problems: [{ ...problem, action: 'do', run }] });
    };
    const firsts = async () =>
      (await alerts.claim(['a'], now + 9, now + 99)).map(({ notice, first }) => [notice.id, first]);
    const taken = async (id: string, receipt: string | undefined) =>
      alerts.settle(id, 'a', { kind: 'delivered', at: now + 9, receipt });
    await tell(about('n1', now, 'run_1'), ['a']);
    expect(await firsts()).toEqual([['n1', undefined]]);
    await taken('n1', '171.1');
    await tell(about('n2', now + 1, 'run_1'), ['a']);
    expect(await firsts()).toEqual([['n2', '171.1']]);
    await taken('n2', '171.2');
    await tell(about('n3', now + 2, 'run_1'), ['a']);
    await tell(about('n4', now + 3, 'run_2'), ['a']);
    expect(await firsts()).toEqual([['n3', '171.1']]);
    await taken('n3', undefined);
    expect(await firsts()).toEqual([['n4', undefined]]);
  });

  it('keeps what each process saw last, until it is not written again, and returns every state at once', async () => {
    const { alerts } = store();
    const seen = (process: string, until: number, problems: readonly string[]) =>
      alerts.observe({ process, startedAt: now, until, refusedReload: { at: now, problems } });
    await seen('b', now + 10, ['one']);
    await seen('a', now + 20, ['two']);
    await seen('b', now + 30, []);
    const found = async (at: number) =>
      (await alerts.observations(at)).map((one) => `${one.process} ${one.refusedReload?.problems.join()}`);
    expect(await found(now)).toEqual(['a two', 'b ']);
    expect(await found(now + 20)).toEqual(['b ']);
    await alerts.save(0, sampleState(), []);
    expect((await alerts.states()).map(({ subject }) => subject)).toEqual([people]);
  });

  it('tells a change of state once, however many processes saw it', async () => {
    const { alerts } = store();
    const all = (seen: number) =>
      Promise.all(
        [1, 2, 3, 4, 5].map((n) =>
          alerts.save(seen, sampleState(), [{ notice: sampleNotice(`n${seen}-${n}`), channels: ['a'] }]),
        ),
      );
    expect((await all(0)).filter(Boolean)).toHaveLength(1);
    expect((await all(1)).filter(Boolean)).toHaveLength(1);
    expect(await alerts.save(1, sampleState(), [])).toBe(false);
    expect(await alerts.list(10)).toHaveLength(2);
    expect((await alerts.state(people))?.version).toBe(2);
  });

  it('hands out the oldest notice of a channel and subject until it has ended, and one taker at a time', async () => {
    const { alerts } = store();
    await tell(sampleNotice('n1'), ['a', 'b']);
    await tell(sampleNotice('n2', { at: now + 1, kind: 'recovery' }), ['a']);
    await tell(sampleNotice('n3', { at: now + 2, subject: { kind: 'connection', name: 'acme' } }), ['a']);
    expect(await claimed(['a'], now + 5)).toEqual(['n1 a 1', 'n3 a 1']);
    expect(await claimed(['a', 'b'], now + 6)).toEqual(['n1 b 1']);
    await alerts.settle('n1', 'a', { kind: 'again', nextAt: now + 100, error: 'away' });
    expect(await claimed(['a'], now + 99)).toEqual([]);
    expect(await claimed(['a'], now + 100)).toEqual(['n1 a 2']);
    await alerts.settle('n1', 'a', { kind: 'delivered', receipt: undefined, at: now + 101 });
    expect(await claimed(['a'], now + 102)).toEqual(['n2 a 1']);
  });

  it('hands a notice out again when its taker did not come back', async () => {
    await tell(sampleNotice('n1'), ['a']);
    expect(await claimed(['a'], now)).toEqual(['n1 a 1']);
    expect(await claimed(['a'], now + 59_999)).toEqual([]);
    expect(await claimed(['a'], now + 60_000)).toEqual(['n1 a 2']);
  });

  it('gives a delivery to one of many who ask at once', async () => {
    await tell(sampleNotice('n1'), ['a', 'b']);
    const found = await Promise.all([1, 2, 3, 4].map(() => claimed(['a', 'b'], now)));
    expect(found.flat().toSorted()).toEqual(['n1 a 1', 'n1 b 1']);
  });

  it('lists the newest first, and drops what was made long ago, also for a channel that is no more', async () => {
    const { alerts } = store();
    await tell(sampleNotice('n1'), ['a', 'b', 'c']);
    await tell(sampleNotice('n2', { at: now + 1 }), ['a']);
    await alerts.settle('n1', 'a', { kind: 'delivered', receipt: undefined, at: now + 10 });
    await alerts.settle('n1', 'b', { kind: 'given-up', at: now + 20, error: 'refused' });
    const shown = (await alerts.list(10)).map(({ notice, channel, state, error }) => [
      notice.id,
      channel,
      state,
      error,
    ]);
    expect(shown).toEqual([
      ['n2', 'a', 'waiting', undefined],
      ['n1', 'a', 'delivered', undefined],
      ['n1', 'b', 'given-up', 'refused'],
      ['n1', 'c', 'waiting', undefined],
    ]);
    expect(await alerts.list(1)).toHaveLength(1);
    expect(await alerts.prune(now)).toBe(0);
    expect(await alerts.prune(now + 1)).toBe(3);
    expect((await alerts.list(10)).map(({ notice }) => notice.id)).toEqual(['n2']);
  });

  it('counts the changes of a run by kind and by what became of them', async () => {
    const owned = await openRun(store(), { id: 'run_c' });
    const changes = [sampleChange('E1'), sampleChange('E2'), sampleChange('E3', 'disable')];
    await writePlan(store(), { id: 'run_c', owned }, changes);
    await writePlan(store(), { id: 'only shown' }, changes, 'b');
    await store().plans.setStates(owned, [{ identification: 'E2', state: 'failed', reason: 'no' }]);
    const other = await openRun(store(), { id: 'run_d', sync: 'leavers' });
    const many = Array.from({ length: 2600 }, (_, i) => `P${i}`);
    await writePlan(store(), { id: 'run_d', owned: other, sync: 'leavers' }, many);
    const expected = [
      { run: 'run_c', kind: 'disable', state: 'planned', count: 1 },
      { run: 'run_c', kind: 'update', state: 'failed', count: 1 },
      { run: 'run_c', kind: 'update', state: 'planned', count: 1 },
    ];
    expect(await store().alerts.changeResults(['run_c', 'run_x'])).toEqual(expected);
    const both = await store().alerts.changeResults(['run_d', 'run_c']);
    expect(both.filter(({ run }) => run === 'run_c')).toEqual(expected);
    expect(both.filter(({ run }) => run === 'run_d')).toEqual([
      { run: 'run_d', kind: 'update', state: 'planned', count: 2600 },
    ]);
    expect(await store().alerts.changeResults([])).toEqual([]);
  });

  it('knows which runs ended since an instant, and when the sync last did its job', async () => {
    const { alerts, runs, leases, triggers, reports } = store();
    const run = async (id: string, endedAt: number, outcome: Outcome, scope: RunScope = { kind: 'all' }) => {
      await triggers.add(sampleTrigger(`for ${id}`, { scope }));
      const opened = await runs.open('people', { id, connection: 'acme', now: endedAt - 1 });
      const lease = await leases.take(`run:${id}`, 'me', 1000, now);
      if (opened === undefined || lease === undefined) throw new Error('not opened');
      await runs.update({ run: opened.run, lease }, { phase: 'done', endedAt, outcome });
    };
    const lastOf = async () => {
      const { endedAt, successAt } = (await reports.syncs(['people'], now)).get('people') ?? {};
      return [endedAt, successAt];
    };
    expect(await lastOf()).toEqual([undefined, undefined]);
    await run('run_1', now + 10, 'held');
    await run('run_2', now + 20, 'failed');
    await run('run_3', now + 30, 'succeeded', { kind: 'users', identifications: ['E1'] });
    expect((await alerts.endedRuns(now + 20, 10, 'people')).map(({ id }) => id)).toEqual(['run_2', 'run_3']);
    const first = { id: 'run_1', sync: 'people', outcome: 'held', startedAt: now + 9, endedAt: now + 10 };
    expect(await alerts.endedRuns(now, 1, 'people')).toEqual([first]);
    expect(await alerts.endedRuns(now, 1)).toEqual([first]);
    expect((await alerts.endedRuns(now + 20, 10)).map(({ id }) => id)).toEqual(['run_2', 'run_3']);
    expect((await alerts.endedRuns(undefined, 1, 'people')).map(({ id }) => id)).toEqual(['run_3']);
    expect(await alerts.endedRuns(now, 10, 'leavers')).toEqual([]);
    expect(await lastOf()).toEqual([now + 20, now + 10]);
    await run('run_4', now + 40, 'nothing-to-do', { kind: 'all', isFull: true });
    expect(await lastOf()).toEqual([now + 40, now + 40]);
    await run('run_5', now + 50, 'cancelled');
    expect(await lastOf()).toEqual([now + 40, now + 40]);
  });

  it('tells how syncs stand: what they do, what waits, and how many runs failed since the last success', async () => {
    const { runs, reports, pauses, triggers } = store();
    const people = (at = now + 90) => reports.syncs(['people', 'never'], at);
    const end = async (id: string, outcome: Outcome, endedAt: number) => {
      const owned = await openRun(store(), { id, now: endedAt - 5 });
      await runs.update(owned, { phase: 'done', endedAt, outcome, ...(outcome === 'failed' ? { reason: id } : {}) });
    };
    await end('run_1', 'succeeded', now + 10);
    await end('run_2', 'failed', now + 20);
    await end('run_3', 'failed', now + 30);
    await openRun(store(), { id: 'run_4', now: now + 40 });
    for (const id of ['t1', 't2']) await triggers.add(sampleTrigger(id, { requestedAt: now + 50 }));
    await pauses.add({ sync: 'people', pausedAt: now + 60, by: 'ops', until: now + 100 });
    const standing = (await people()).get('people');
    expect(standing).toMatchObject({
      newest: { id: 'run_4', endedAt: undefined },
      ...{ requests: 1, requestedAt: now + 50, pause: { by: 'ops', until: now + 100 }, acceptedAt: undefined },
      ...{ freshAt: now + 5, successAt: now + 10, endedAt: now + 30, failures: 2, failingSince: now + 20 },
      lastFailure: { run: 'run_3', outcome: 'failed', reason: 'run_3' },
    });
    expect((await people(now + 100)).get('people')?.pause).toBeUndefined();
    expect((await people()).get('never')).toMatchObject({ newest: undefined, failures: 0, requests: 0 });
  });
}
