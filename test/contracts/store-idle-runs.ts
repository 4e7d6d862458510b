import { expect, it } from 'vitest';
import type { OwnedRun, Run, Store } from '../../src/ports/store.ts';
import { someInstant } from '../support/fake-clock.ts';
import { dayMs, everyone, hourMs, sampleChange, sampleTrigger, writePlan } from './store-samples.ts';

const minuteMs = 60_000;

/** The slot of a minute, as the scheduler stores it. */
function slotOf(minute: number) {
  const requestedAt = someInstant + minute * minuteMs;
  const key = `people@${new Date(requestedAt).toISOString()}`;
  return sampleTrigger(`t${minute}`, { kind: 'schedule', key, requestedAt });
}

export function describeIdleRuns(store: () => Store): void {
  const idle = async (
    minute: number,
    { findings = [] as readonly string[], absorbs = (() => true) as (before: Run) => boolean, isRead = true } = {},
  ): Promise<Run> => {
    const at = someInstant + minute * minuteMs;
    const id = `run_${String(minute).padStart(4, '0')}`;
    await store().triggers.add(slotOf(minute));
    const run = await store().runs.open('people', { id, connection: 'acme', now: at });
    const lease = await store().leases.take(`run:${id}`, 'one', hourMs, at);
    if (run?.isNew !== true || lease === undefined) throw new Error('a run is open');
    const owned: OwnedRun = { run: run.run, lease };
    await writePlan(store(), { id, owned, sync: 'people', madeAt: at }, [sampleChange('E1')]);
    const read = { sync: 'people', run: id, at, rows: 5, stamp: 's', isAccepted: true, fillRates: {} };
    if (isRead) await store().reads.put(owned, read);
    const end = { phase: 'done', endedAt: at + 1000, outcome: 'nothing-to-do' } as const;
    const ended = await store().runs.update(owned, end, {
      absorbs,
      findings: findings.map((message) => ({ code: 'case-conflict' as const, message })),
    });
    await store().leases.release(lease);
    return ended.run;
  };

  it('leave one row that stands for all, no slot can begin again, and ends and reads are still known', async () => {
    for (let minute = 0; minute < 18; minute++) await idle(minute);
    const runs = await store().runs.list({ limit: 100 });
    expect(runs).toMatchObject([{ id: 'run_0017', idle: { count: 18, first: 'run_0000', since: someInstant } }]);
    expect((await store().runs.standingFor('run_0007')).map(({ id }) => id)).toEqual(['run_0017']);
    expect(await store().runs.standingFor('run_0018')).toEqual([]);
    expect(await store().runs.standingFor('0007')).toEqual([]);
    for (let minute = 0; minute < 18; minute++) expect(await store().triggers.add(slotOf(minute))).toBe(false);
    expect(await store().triggers.add(slotOf(18))).toBe(true);
    expect(await store().plans.page('run_0016', { limit: 1 })).toEqual([]);
    expect(await store().plans.page('run_0017', { limit: 1 })).toHaveLength(1);
    const ended = await store().reports.ended(someInstant - dayMs);
    const byQuarter = Map.groupBy(ended, ({ at }) => at);
    expect(
      [...byQuarter]
        .map(([at, some]) => [at - someInstant, some.reduce((sum, { count }) => sum + count, 0)])
        .toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
    ).toEqual([
      [0, 15],
      [15 * minuteMs, 3],
    ]);
    expect(ended.every(({ outcome, isSuccess }) => outcome === 'nothing-to-do' && isSuccess)).toBe(true);
    expect(await store().reads.recent('people', 2)).toEqual([17, 16].map((minute) => someInstant + minute * minuteMs));
  });

  it('stay apart where findings, changes, reads or the caller differ', async () => {
    await idle(1, { findings: ['two rows'] });
    await idle(2, { findings: ['two rows'] });
    await idle(3, { findings: ['three rows'] });
    await idle(4, { findings: ['three rows'], absorbs: () => false });
    await idle(5, { findings: ['three rows'], isRead: false });
    const runs = await store().runs.list({ limit: 100 });
    expect(runs.map(({ id, idle: some }) => [id, some?.count])).toEqual([
      ['run_0005', undefined],
      ['run_0004', undefined],
      ['run_0003', undefined],
      ['run_0002', 2],
    ]);
    expect(runs[0]?.scope).toEqual(everyone);
  });
}
