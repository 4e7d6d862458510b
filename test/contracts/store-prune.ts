import { expect, it } from 'vitest';
import { noPlan } from '../../src/core/run/facts.ts';
import type { Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  dayMs,
  endRun,
  openPlanned,
  openRun,
  renewHolds,
  sampleBatch,
  sampleChange,
  sampleEntry,
  sampleHold,
  sampleTrigger,
  writePlan,
} from './store-samples.ts';

export function describePrune(store: () => Store): void {
  /** A run of three changes that ended `days` ago: one applied then, one failed, one in a batch of this state. */
  async function finished(id: string, days: number, state: 'settled' | 'unresolved' = 'settled'): Promise<void> {
    const at = now - days * dayMs;
    const owned = await openPlanned(
      store(),
      { id, now: at },
      ['ana', 'eva', 'leo', 'max'].map((name) => sampleChange(name, 'disable')),
    );
    await store().plans.setAside(owned, id, ['max'], { state: 'held', reason: 'too many' });
    await store().batches.create(owned, [
      { batch: sampleBatch(owned, 1, { state: 'settled' }), identifications: ['ana', 'eva'] },
      { batch: sampleBatch(owned, 2, { state }), identifications: ['leo'] },
    ]);
    await store().plans.setStates(owned, [
      { identification: 'ana', state: 'applied', appliedAt: at },
      { identification: 'eva', state: 'failed', reason: 'not seen' },
      { identification: 'leo', state: state === 'settled' ? 'failed' : 'unresolved' },
    ]);
    await store().runs.addFindings(owned, [{ code: 'batch-failed', message: 'it failed' }]);
    await renewHolds(store(), owned, [sampleHold(owned, `hold of ${id}`, { heldAt: at })], at);
    const read = { sync: 'people', run: id, at, rows: 3, stamp: id, isAccepted: true, fillRates: {} };
    await store().reads.put(owned, read);
    await store().ledger.put(owned, [sampleEntry('ana', { writtenAt: at })]);
    await endRun(store(), owned, at);
  }

  const names = async (run: string) => (await store().plans.page(run, { limit: 9 })).map((one) => one.identification);

  it('drops the details of old runs, not the runs, and says how many', async () => {
    const { runs, batches, holds, ledger, reads } = store();
    for (const [id, days] of [
      ['run_1', 90],
      ['run_2', 60],
      ['run_3', 10],
    ] as const)
      await finished(id, days);
    expect(await runs.prune(now - 30 * dayMs, 1)).toBe(2);
    expect((await runs.list({ limit: 9 })).map(({ id }) => id)).toEqual(['run_3', 'run_2', 'run_1']);
    for (const id of ['run_1', 'run_2']) {
      expect(await names(id)).toEqual([]);
      expect(await batches.ofRun(id)).toEqual([]);
      expect(await runs.findings(id)).toEqual([]);
      expect(await holds.ofRun(id)).toEqual([]);
    }
    expect(await names('run_3')).toHaveLength(4);
    expect(await runs.findings('run_3')).toHaveLength(1);
    expect(await holds.ofRun('run_3')).toHaveLength(1);
    expect(await ledger.get('acme', 'ana')).toBeDefined();
    expect((await reads.last('people'))?.run).toBe('run_3');
    expect(await runs.prune(now - 30 * dayMs, 1)).toBe(0);
  });

  it('leaves one row of runs without changes before the newest ones: their times, their read and their configuration', async () => {
    const { runs, plans, reads } = store();
    const read = { kind: 'full', at: now, fingerprint: 'c0ffee' } as const;
    for (let minute = 0; minute < 6; minute++) {
      const [id, at] = [`run_${minute}`, now + minute * 60_000];
      const owned = await openRun(store(), { id, now: at });
      await plans.begin(owned, { id, sync: 'people', run: id, madeAt: at });
      await reads.put(owned, { sync: 'people', run: id, at, rows: 3, stamp: id, isAccepted: true, fillRates: {} });
      const end = { phase: 'done', endedAt: at + 1000, outcome: minute === 1 ? 'failed' : 'nothing-to-do' } as const;
      const findings = [{ code: 'case-conflict', message: 'two rows' }] as const;
      await runs.update(owned, { ...end, read, plan: { ...noPlan, sourceRows: 3 } }, { findings });
      await store().leases.release(owned.lease);
    }
    expect(await runs.prune(now - dayMs, 0, { unchanged: 3 })).toBe(2);
    const short = (await runs.list({ limit: 200 })).filter(({ plan }) => plan === undefined);
    expect(short).toMatchObject(
      [2, 0].map((minute) => ({ id: `run_${minute}`, startedAt: now + minute * 60_000, read })),
    );
    expect(await Promise.all(['run_0', 'run_1', 'run_3'].map((id) => runs.findingsCount(id)))).toEqual([0, 1, 1]);
    expect((await reads.recent('people', 200)).length).toBe(4);
  });

  it('keeps the newest runs of each sync and those that have not ended, however old', async () => {
    const { runs } = store();
    await finished('run_1', 90);
    await finished('run_2', 80);
    const owned = await openPlanned(store(), { id: 'run_3', now: now - 70 * dayMs }, ['ana']);
    expect(await runs.prune(now, 3)).toBe(0);
    expect(await runs.prune(now, 2)).toBe(1);
    expect(await names('run_2')).toHaveLength(4);
    expect(await runs.prune(now, 0)).toBe(1);
    expect(await names('run_3')).toEqual(['ana']);
    await endRun(store(), owned);
  });

  it('keeps a batch whose effect is not known, with its changes, until it is', async () => {
    const { runs, batches, plans } = store();
    await finished('run_1', 90, 'unresolved');
    expect(await runs.prune(now, 0)).toBe(0);
    expect(await names('run_1')).toEqual(['leo']);
    const [batch] = (await batches.unknown(['acme'])).unresolved;
    expect(batch?.id).toBe('run_1_b2');
    const later = await openRun(store(), { id: 'run_2' });
    await batches.resolve(later, 'run_1_b2', 'seen', { marks: [{ identification: 'leo', state: 'applied' }] });
    expect((await plans.get('run_1', 'leo'))?.state).toBe('applied');
    expect(await runs.prune(now, 0)).toBe(1);
    expect(await names('run_1')).toEqual([]);
  });

  it('keeps what a guard may still count', async () => {
    const { runs, plans } = store();
    await finished('run_1', 0.5);
    expect(await runs.prune(now, 0)).toBe(0);
    expect(await names('run_1')).toEqual(['ana']);
    expect((await plans.appliedSince({ sync: 'people', connection: 'acme', others: [] }, now - dayMs)).disables).toBe(
      1,
    );
    expect(await runs.prune(now + dayMs, 0)).toBe(1);
  });

  it('keeps the last accepted read of each sync, however old its run', async () => {
    const { runs, reads } = store();
    await finished('run_1', 90);
    await finished('run_2', 80);
    const doubted = await openRun(store(), { id: 'run_3', now: now - 20 * dayMs });
    const at = now - 20 * dayMs;
    await reads.put(doubted, {
      sync: 'people',
      run: 'run_3',
      at,
      rows: 1,
      stamp: 's',
      isAccepted: false,
      fillRates: {},
    });
    await endRun(store(), doubted);
    await endRun(store(), await openRun(store(), { id: 'run_4', now: now - 10 * dayMs }));
    await runs.prune(now, 0);
    expect((await reads.last('people'))?.run).toBe('run_2');
    await reads.accept('run_3');
    expect((await reads.last('people'))?.run).toBe('run_3');
  });

  it('touches nothing of other runs, and nothing that is younger', async () => {
    const { runs, batches, plans, reads, triggers } = store();
    await finished('run_1', 90);
    await finished('run_2', 5, 'unresolved');
    await approve(store(), [{ ...sampleChange('ana'), hash: 'young' }]);
    await triggers.add(sampleTrigger('young', { requestedAt: now }));
    await triggers.cancel('young');
    expect(await runs.prune(now - 30 * dayMs, 0)).toBe(1);
    expect(await batches.ofRun('run_1')).toEqual([]);
    expect(await batches.ofRun('run_2')).toHaveLength(2);
    expect(await names('run_2')).toHaveLength(4);
    expect((await reads.last('people'))?.run).toBe('run_2');
    expect(await triggers.state('young')).toEqual({ kind: 'cancelled' });
    await writePlan(store(), { id: 'plan_1' }, [{ ...sampleChange('ana'), hash: 'young' }]);
    expect(await plans.applyApprovals(undefined, 'plan_1', 'people', now)).toBe(1);
  });

  it('waits for no effect of an outbox', async () => {
    const owned = await openPlanned(store(), { id: 'run_1', now: now - 90 * dayMs }, ['ana']);
    const batch = sampleBatch(owned, 1, { kind: 'outbox', state: 'sent' });
    await store().batches.create(owned, [{ batch, identifications: ['ana'] }]);
    await endRun(store(), owned, now - 90 * dayMs);
    expect(await store().runs.prune(now, 0)).toBe(1);
    expect(await store().batches.ofRun('run_1')).toEqual([]);
  });

  it('drops old shown plans, decisions, audit entries and triggers, but no waiting trigger and not the newest slot', async () => {
    const { audit, runs, plans, triggers } = store();
    await writePlan(store(), { id: 'plan_old', madeAt: now - 60 * dayMs }, ['ana']);
    await writePlan(store(), { id: 'plan_new', madeAt: now }, [sampleChange('ana')], 'b');
    const slot = (day: number) => {
      const key = `people@2026-09-0${day}T00:00Z`;
      return sampleTrigger(key, { kind: 'schedule', key, requestedAt: now - (60 - day) * dayMs });
    };
    await triggers.add(slot(1));
    await triggers.add(slot(2));
    await triggers.add(sampleTrigger('by hand', { requestedAt: now - 40 * dayMs }));
    await runs.open('people', { id: 'run_1', connection: 'acme', now });
    await triggers.add(sampleTrigger('patient', { requestedAt: now - 60 * dayMs }));
    const entry = { by: 'ops', action: 'pause', sync: 'people', connection: undefined, run: undefined } as const;
    for (const days of [31, 29]) {
      await audit.add({ ...entry, id: `audit_${days}`, at: now - days * dayMs, detail: undefined });
    }
    await runs.prune(now - 30 * dayMs, 0);
    expect((await audit.list({ limit: 9 })).map(({ id }) => id)).toEqual(['audit_29']);
    expect(await plans.findByDigest('people', 'a'.repeat(64))).toBeUndefined();
    expect(await plans.findByDigest('people', 'b'.repeat(64))).toBeDefined();
    expect(await triggers.lastSlot('people')).toBe(now - 58 * dayMs);
    expect((await triggers.waiting()).map(({ id }) => id)).toEqual(['patient']);
    expect(await triggers.state('by hand')).toBeUndefined();
    expect(await triggers.find(slot(1).key)).toBeUndefined();
    // A later slot is stored, so that none before it can begin again.
    for (const day of [1, 2]) expect(await triggers.add(slot(day))).toBe(false);
  });

  it('drops plans that were only shown earlier than runs, with their changes', async () => {
    const { plans, runs } = store();
    const owned = await openPlanned(store(), { id: 'run_1', now: now - 10 * dayMs }, [sampleChange('ana', 'disable')]);
    await endRun(store(), owned, now - 10 * dayMs);
    await writePlan(store(), { id: 'old', madeAt: now - 8 * dayMs }, [sampleChange('ana', 'disable')]);
    await writePlan(store(), { id: 'new', madeAt: now - 6 * dayMs }, [sampleChange('ana', 'disable')]);
    expect(await runs.prune(now - 90 * dayMs, 0, { shown: now - 7 * dayMs })).toBe(0);
    const left = await Promise.all(['run_1', 'old', 'new'].map((id) => plans.page(id, { limit: 10 })));
    expect(left.map(({ length }) => length)).toEqual([1, 0, 1]);
  });
}
