import { describe, expect, it } from 'vitest';
import { noPlan } from '../../src/core/run/facts.ts';
import { noCounts } from '../../src/core/run/run.ts';
import type { RunScope, Store, TriggerKind } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { endRun, everyone, openRun, sampleTrigger } from './store-samples.ts';

const some = (...identifications: string[]): RunScope => ({ kind: 'users', identifications });

export function describeRuns(store: () => Store): void {
  it('stores a trigger once by its key, even after the run it started', async () => {
    const { triggers, runs } = store();
    const slot = sampleTrigger('t1', { kind: 'schedule', key: 'people@2026-11-21T12:00Z' });
    expect(await triggers.add(slot)).toBe(true);
    expect(await triggers.find(slot.key)).toEqual({ trigger: slot, state: { kind: 'waiting' } });
    expect(await triggers.find('t1')).toBeUndefined();
    expect(await triggers.add({ ...slot, id: 't2', scope: some('ana') })).toBe(false);
    await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(await triggers.add({ ...slot, id: 't3' })).toBe(false);
    expect(await triggers.find(slot.key)).toEqual({ trigger: slot, state: { kind: 'taken', run: 'run_1' } });
    expect(await triggers.waiting()).toEqual([]);
  });

  it('tells waiting triggers oldest first, of equal scope only the oldest', async () => {
    const { triggers } = store();
    await triggers.add(sampleTrigger('t3', { requestedAt: now + 3 }));
    await triggers.add(sampleTrigger('t2', { requestedAt: now + 2, scope: some('b', 'a') }));
    await triggers.add(sampleTrigger('t1', { requestedAt: now + 1 }));
    await triggers.add(sampleTrigger('t4', { requestedAt: now + 4, scope: some('a', 'b', 'a') }));
    await triggers.add(sampleTrigger('t5', { requestedAt: now, sync: 'others' }));
    expect((await triggers.waiting('people')).map(({ id }) => id)).toEqual(['t1', 't2']);
    expect((await triggers.waiting()).map(({ id }) => id)).toEqual(['t5', 't1', 't2']);
    expect((await triggers.waiting('people'))[1]).toEqual(
      sampleTrigger('t2', { requestedAt: now + 2, scope: some('b', 'a') }),
    );
  });

  it('knows the newest schedule slot, whatever became of it', async () => {
    const { triggers, runs } = store();
    expect(await triggers.lastSlot('people')).toBeUndefined();
    for (const minute of [30, 45, 15]) {
      const slot = { kind: 'schedule', requestedAt: now + minute * 60_000 } as const;
      await triggers.add(sampleTrigger(`people@${minute}`, slot));
    }
    await triggers.add(sampleTrigger('zzz', { kind: 'manual', requestedAt: now + 99 * 60_000 }));
    await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(await triggers.lastSlot('people')).toBe(now + 45 * 60_000);
    expect(await triggers.lastSlot('others')).toBeUndefined();
  });

  it('knows when a run was first asked for', async () => {
    const { triggers, runs } = store();
    for (const at of [3, 1, 2]) await triggers.add(sampleTrigger(`t${at}`, { requestedAt: now + at }));
    await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(await triggers.requestedAt('run_1')).toBe(now + 1);
    expect(await triggers.requestedAt('run_2')).toBeUndefined();
  });

  it('says where a trigger stands: the run that it started or was coalesced into', async () => {
    const { triggers, runs } = store();
    for (const id of ['t1', 't2', 't3']) await triggers.add(sampleTrigger(id));
    await triggers.add(sampleTrigger('t4', { scope: some('ana') }));
    await triggers.cancel('t2');
    expect(await triggers.state('t3')).toEqual({ kind: 'waiting' });
    await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(await triggers.state('t1')).toEqual({ kind: 'taken', run: 'run_1' });
    expect(await triggers.state('t2')).toEqual({ kind: 'cancelled' });
    expect(await triggers.state('t3')).toEqual({ kind: 'taken', run: 'run_1' });
    expect(await triggers.state('t4')).toEqual({ kind: 'waiting' });
    expect(await triggers.state('t5')).toBeUndefined();
  });

  it('cancels a waiting trigger once, and no other', async () => {
    const { triggers, runs } = store();
    await triggers.add(sampleTrigger('t1'));
    await triggers.add(sampleTrigger('t2', { requestedAt: now + 1 }));
    expect(await triggers.cancel('t1')).toBe(true);
    expect(await triggers.cancel('t1')).toBe(false);
    expect((await triggers.waiting()).map(({ id }) => id)).toEqual(['t2']);
    await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(await triggers.cancel('t2')).toBe(false);
    expect(await triggers.cancel('never')).toBe(false);
  });

  it('opens nothing when nothing waits', async () => {
    await store().triggers.add(sampleTrigger('t1', { sync: 'others' }));
    expect(await store().runs.open('people', { id: 'run_1', connection: 'acme', now })).toBeUndefined();
  });

  it('opens a new run with everything at its beginning', async () => {
    const { run } = await openRun(store(), { id: 'run_1' });
    expect(run).toEqual({
      id: 'run_1',
      sync: 'people',
      connection: 'acme',
      trigger: 'manual',
      scope: everyone,
      phase: 'reading',
      startedAt: now,
      endedAt: undefined,
      outcome: undefined,
      reason: undefined,
      digest: undefined,
      counts: noCounts,
      requests: {},
      isCancelRequested: false,
      isSuccess: false,
    });
    expect(await store().runs.get('run_1')).toEqual(run);
    expect(await store().runs.get('run_2')).toBeUndefined();
  });

  it('begins no run before the last one of its sync has ended, however long ago the caller looked at the clock', async () => {
    const { triggers, runs } = store();
    await endRun(store(), await openRun(store(), { id: 'run_1' }), now + 5000);
    await triggers.add(sampleTrigger('t9'));
    const opened = await runs.open('people', { id: 'run_2', connection: 'acme', now: now + 4000 });
    expect(opened?.run.startedAt).toBe(now + 5000);
  });

  it('has one unfinished run per sync: what comes meanwhile waits and becomes one run', async () => {
    const { runs, triggers } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await triggers.add(sampleTrigger('later 1'));
    await triggers.add(sampleTrigger('later 2'));
    expect(await runs.open('people', { id: 'run_2', connection: 'acme', now })).toEqual({
      run: owned.run,
      isNew: false,
    });
    expect(await triggers.waiting()).toHaveLength(1);
    await endRun(store(), owned);
    const next = await runs.open('people', { id: 'run_3', connection: 'acme', now });
    expect(next).toMatchObject({ run: { id: 'run_3' }, isNew: true, triggers: ['later 1', 'later 2'] });
    expect(await triggers.waiting()).toEqual([]);
  });

  it('takes all waiting triggers about named people at once, in one run about all of them', async () => {
    const { runs, triggers } = store();
    for (let i = 1; i <= 60; i++) {
      await triggers.add(sampleTrigger(`t${i}`, { requestedAt: now + i, scope: some(`E${Math.ceil(i / 2)}`) }));
    }
    const opened = await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(opened?.run.scope).toEqual(some(...Array.from({ length: 30 }, (_, i) => `E${i + 1}`)));
    expect(await triggers.state('t60')).toEqual({ kind: 'taken', run: 'run_1' });
    expect(await triggers.waiting()).toEqual([]);
  });

  it('joins no more people than one request may name', async () => {
    const { runs, triggers } = store();
    const names = (from: number, count: number) => some(...Array.from({ length: count }, (_, i) => `E${from + i}`));
    await triggers.add(sampleTrigger('t1', { requestedAt: now + 1, scope: names(0, 30_000) }));
    await triggers.add(sampleTrigger('t2', { requestedAt: now + 2, scope: names(30_000, 20_000) }));
    await triggers.add(sampleTrigger('t3', { requestedAt: now + 3, scope: some('one more') }));
    const opened = await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(opened?.run.scope).toMatchObject({ identifications: { length: 50_000 } });
    expect((await triggers.waiting()).map(({ id }) => id)).toEqual(['t3']);
  });

  it("takes triggers of the oldest one's kind of scope; those of another wait for their turn", async () => {
    const { runs, triggers } = store();
    await triggers.add(sampleTrigger('t1', { requestedAt: now + 1, scope: some('ana', 'eva') }));
    await triggers.add(sampleTrigger('t2', { requestedAt: now + 2 }));
    await triggers.add(sampleTrigger('t3', { requestedAt: now + 3, scope: some('eva', 'ana') }));
    const opened = await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(opened?.run.scope).toEqual(some('ana', 'eva'));
    expect((await triggers.waiting()).map(({ id }) => id)).toEqual(['t2']);
  });

  it.each<[readonly TriggerKind[], TriggerKind]>([
    [['schedule'], 'schedule'],
    [['schedule', 'manual'], 'manual'],
    [['schedule', 'webhook', 'approval'], 'approval'],
    [['webhook', 'schedule'], 'webhook'],
    [['retry', 'resync', 'manual'], 'retry'],
  ])('calls a run of the triggers %j a run by %s', async (kinds, expected) => {
    for (const [index, kind] of kinds.entries()) {
      await store().triggers.add(sampleTrigger(`t${index}`, { kind, requestedAt: now + index }));
    }
    const opened = await store().runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(opened?.run.trigger).toBe(expected);
  });

  it('takes a webhook not before its time', async () => {
    const { runs, triggers } = store();
    await triggers.add(sampleTrigger('t1', { kind: 'webhook', requestedAt: now + 1 }));
    expect(await triggers.waitingSyncs(now)).toEqual(new Map());
    expect(await runs.open('people', { id: 'run_1', connection: 'acme', now })).toBeUndefined();
    expect(await triggers.waitingSyncs(now + 1)).toEqual(new Map([['people', now + 1]]));
    expect((await runs.open('people', { id: 'run_1', connection: 'acme', now: now + 1 }))?.run.trigger).toBe('webhook');
  });

  it('changes what a patch names and gives the run back as it is then', async () => {
    const { runs } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const counts = { ...noCounts, create: 3, held: 1 };
    const first = await runs.update(owned, { phase: 'planning', digest: 'abc', counts, plan: noPlan });
    expect(first.run).toEqual({ ...owned.run, phase: 'planning', digest: 'abc', counts, plan: noPlan });
    expect(first.lease).toEqual(owned.lease);
    const end = { phase: 'done', endedAt: now + 5, outcome: 'partial', reason: '2 changes failed' } as const;
    const second = await runs.update(first, end);
    expect(second.run).toEqual({ ...first.run, ...end });
    expect((await runs.update(second, { reason: undefined })).run.reason).toBeUndefined();
    expect((await runs.update(second, {})).run.phase).toBe('done');
  });

  it('lists runs newest first, and those that have not ended', async () => {
    const { runs } = store();
    const first = await openRun(store(), { id: 'run_z', now });
    await endRun(store(), first);
    await openRun(store(), { id: 'run_y', now: now + 1 });
    await openRun(store(), { id: 'run_a', now: now + 2, sync: 'others', connection: 'globex' });
    await openRun(store(), { id: 'run_b', now: now + 2, sync: 'more' });
    const ids = async (filter: { sync?: string; limit: number }) => (await runs.list(filter)).map(({ id }) => id);
    expect(await ids({ limit: 10 })).toEqual(['run_b', 'run_a', 'run_y', 'run_z']);
    expect(await ids({ limit: 1 })).toEqual(['run_b']);
    expect(await ids({ sync: 'people', limit: 10 })).toEqual(['run_y', 'run_z']);
    expect((await runs.unfinished()).map(({ id }) => id)).toEqual(['run_y', 'run_a', 'run_b']);
  });

  it("asks a run to stop while it runs, which its owner's writes do not undo", async () => {
    const { runs } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const other = await openRun(store(), { id: 'run_3', sync: 'others' });
    expect(await runs.requestCancel('run_1')).toBe(true);
    expect(await runs.get('run_3')).toEqual(other.run);
    expect((await runs.update(owned, { phase: 'planning' })).run.isCancelRequested).toBe(true);
    await endRun(store(), owned);
    expect(await runs.requestCancel('run_1')).toBe(false);
    expect(await runs.requestCancel('run_2')).toBe(false);
  });

  it('keeps findings in order, after those that are there, until they are replaced', async () => {
    const { runs } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const many = Array.from(
      { length: 300 },
      (_, index) => ({ code: 'row-rejected', message: `row ${index}` }) as const,
    );
    const told = { code: 'duplicate-key', identification: 'ana', at: 'line 12', message: 'twice' } as const;
    await runs.addFindings(owned, many);
    await runs.addFindings(owned, [told]);
    await runs.addFindings(owned, []);
    expect(await runs.findings('run_1')).toEqual([...many, told]);
    expect(await runs.findings('run_1', 2)).toEqual(many.slice(0, 2));
    expect(await runs.findingsCount('run_1')).toBe(301);
    await runs.update(owned, {}, { findings: [told] });
    expect(await runs.findings('run_1')).toEqual([told]);
    expect(await runs.findingsCount('run_2')).toBe(0);
  });

  describe('source reads', () => {
    const read = (run: string, at: number, isAccepted = true) => {
      return {
        sync: 'people',
        run,
        at,
        rows: 500,
        stamp: `of ${run}`,
        isAccepted,
        fillRates: { email: 0.98 },
        visibility: { work_email: true, end: false },
      };
    };

    it('compares with the last accepted read; one that a guard doubts counts when a person has accepted it', async () => {
      const { reads } = store();
      const owned = await openRun(store(), { id: 'run_z' });
      expect(await reads.last('people')).toBeUndefined();
      await reads.put(owned, read('run_z', now));
      await endRun(store(), owned);
      const doubted = await openRun(store(), { id: 'run_a', now: now + 1 });
      await reads.put(doubted, read('run_a', now + 1, false));
      expect(await reads.last('people')).toEqual(read('run_z', now));
      await reads.accept('run_z');
      expect(await reads.last('people')).toEqual(read('run_z', now));
      await reads.accept('run_a');
      expect(await reads.last('people')).toEqual(read('run_a', now + 1));
      expect(await reads.last('others')).toBeUndefined();
    });

    it('keeps the later read of a run that read twice', async () => {
      const { reads } = store();
      const owned = await openRun(store(), { id: 'run_1' });
      await reads.put(owned, read('run_1', now));
      await reads.put(owned, read('run_1', now + 9));
      expect(await reads.last('people')).toEqual(read('run_1', now + 9));
    });
  });

  it('makes a run about everybody read in full as soon as one of those who asked for it wants that', async () => {
    const { triggers, runs } = store();
    await triggers.add(sampleTrigger('t1', { kind: 'schedule', requestedAt: now }));
    await triggers.add(sampleTrigger('t2', { requestedAt: now + 1, scope: { kind: 'all', isFull: true } }));
    await triggers.add(sampleTrigger('t3', { requestedAt: now + 2, scope: some('ana') }));
    expect((await triggers.waiting('people')).map(({ id }) => id)).toEqual(['t1', 't3']);
    const opened = await runs.open('people', { id: 'run_1', connection: 'acme', now });
    expect(opened?.run.scope).toEqual({ kind: 'all', isFull: true });
    expect(await triggers.state('t2')).toEqual({ kind: 'taken', run: 'run_1' });
    expect(await triggers.state('t3')).toEqual({ kind: 'waiting' });
    expect((await runs.get('run_1'))?.scope).toEqual({ kind: 'all', isFull: true });
  });

  it('keeps of each sync up to where its source is known, with the end of the run that says so', async () => {
    const { runs, reads } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const mark = { at: now, fullAt: now - 1, fullRun: 'run_0', fingerprint: 'f1' };
    expect(await reads.watermark('people')).toBeUndefined();
    await runs.update(owned, { phase: 'proving' }, { watermark: () => mark });
    expect(await reads.watermark('people')).toEqual(mark);
    expect(await reads.watermark('others')).toBeUndefined();
    await runs.update(owned, { phase: 'proving' });
    await runs.update(owned, { phase: 'proving' }, { watermark: (last) => last && { ...last, at: now + 1 } });
    expect(await reads.watermark('people')).toEqual({ ...mark, at: now + 1 });
    await runs.update(owned, { phase: 'proving' }, { watermark: () => undefined });
    expect(await reads.watermark('people')).toBeUndefined();
  });
}
