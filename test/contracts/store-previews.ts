import { expect, it } from 'vitest';
import { noPlan } from '../../src/core/run/facts.ts';
import { noCounts } from '../../src/core/run/run.ts';
import type { PlanReport } from '../../src/ports/previews.ts';
import type { Store } from '../../src/ports/store.ts';
import { countClasses } from '../../src/store/plans/changes.ts';
import { someInstant as now } from '../support/fake-clock.ts';

const scope = { kind: 'users', identifications: ['E1', "O'Brien"] } as const;
const report: PlanReport = {
  id: 'plan_1',
  sync: 'people',
  digest: 'd',
  counts: noCounts,
  classes: countClasses([]),
  read: { kind: 'full', at: now, fingerprint: 'f1' },
  facts: { ...noPlan, sourceRows: 3 },
  findings: [{ code: 'held', identification: 'E1', message: 'held' }],
  holds: [],
  failure: undefined,
};

export function describePreviews(store: () => Store): void {
  const add = (id: string, at = now, sync = 'people') =>
    store().previews.add({ id, sync, scope, by: 'ana', requestedAt: at, expiresAt: at + 1000 });

  it('keeps a request, its progress and its result', async () => {
    await add('p1');
    expect(await store().previews.get('p1')).toMatchObject({ scope, by: 'ana', state: 'waiting', attempt: 0 });
    expect(await store().previews.begin('p1', now + 1)).toMatchObject({ state: 'working', attempt: 1 });
    await store().previews.note('p1', 1, { step: 'reading', rows: 7 });
    expect((await store().previews.get('p1'))?.progress).toEqual({ step: 'reading', rows: 7 });
    expect(await store().previews.end('p1', 1, { state: 'done', at: now + 2, report })).toBe(true);
    const done = await store().previews.get('p1');
    expect(done).toMatchObject({ state: 'done', startedAt: now + 1, endedAt: now + 2, progress: undefined });
    expect(done?.report).toEqual(report);
    expect(await store().previews.begin('p1', now + 3)).toBeUndefined();
  });

  it('lets only the newest attempt write', async () => {
    await add('p1');
    await store().previews.begin('p1', now);
    expect(await store().previews.begin('p1', now + 5)).toMatchObject({ attempt: 2 });
    await store().previews.note('p1', 1, { step: 'reading', rows: 1 });
    expect(await store().previews.end('p1', 1, { state: 'failed', at: now, reason: 'late' })).toBe(false);
    expect(await store().previews.get('p1')).toMatchObject({ state: 'working', progress: undefined });
    expect(await store().previews.end('p1', 2, { state: 'failed', at: now + 6, reason: 'no source' })).toBe(true);
    expect(await store().previews.get('p1')).toMatchObject({ state: 'failed', reason: 'no source', report: undefined });
  });

  it('lists the newest first, by sync, without expired ones, and those that have not ended in their order', async () => {
    await add('p1', now - 2000);
    await add('p2', now);
    await add('p3', now + 1, 'other');
    await add('p4', now + 2);
    const ids = async (sync?: string) =>
      (await store().previews.list({ now, limit: 10, ...(sync === undefined ? {} : { sync }) })).map(({ id }) => id);
    expect(await ids()).toEqual(['p4', 'p3', 'p2']);
    expect(await ids('people')).toEqual(['p4', 'p2']);
    await store().previews.begin('p3', now);
    expect(await store().previews.unended(now)).toEqual(['p2', 'p3', 'p4']);
    await store().runs.prune(now, 0);
    expect(await store().previews.get('p1')).toBeUndefined();
    expect(await store().previews.get('p2')).toBeDefined();
  });
}
