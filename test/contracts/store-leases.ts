import { expect, it } from 'vitest';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  endRun,
  hourMs,
  openPlanned,
  openRun,
  renewHolds,
  sampleBatch,
  sampleChange,
  sampleEntry,
  sampleHold,
  sampleTrigger,
} from './store-samples.ts';

export function describeLeases(store: () => Store): void {
  it('gives a free lease to one owner only, and says who has it until when', async () => {
    const { leases } = store();
    const lease = await leases.take('file:acme', 'one', 1_000, now);
    expect(lease).toEqual({ name: 'file:acme', owner: 'one', fence: 1 });
    expect(await leases.take('file:acme', 'two', 1_000, now + 999)).toBeUndefined();
    expect(await leases.holder('file:acme', now + 999)).toEqual({ owner: 'one', until: now + 1_000 });
    expect(await leases.holder('file:acme', now + 1_000)).toBeUndefined();
    expect(await leases.holder('file:other', now)).toBeUndefined();
  });

  it('lets another owner take a lease that is over, with a higher fence; the former can neither renew nor release it', async () => {
    const { leases } = store();
    const first = await leases.take('x', 'one', 1_000, now);
    const second = await leases.take('x', 'two', 1_000, now + 1_000);
    expect(second?.fence).toBe(2);
    if (first === undefined || second === undefined) throw new Error('both were to be had');
    expect(await leases.renew(first, 5_000, now + 1_001)).toBe(false);
    await leases.release(first);
    expect(await leases.holder('x', now + 1_001)).toEqual({ owner: 'two', until: now + 2_000 });
  });

  it('lets the owner take its own lease anew, which ends the former taking', async () => {
    const { leases } = store();
    const before = await leases.take('x', 'one', 1_000, now);
    const after = await leases.take('x', 'one', 1_000, now + 1);
    expect(after?.fence).toBe(2);
    if (before === undefined || after === undefined) throw new Error('both were to be had');
    expect(await leases.renew(before, 1_000, now + 2)).toBe(false);
    expect(await leases.renew(after, 1_000, now + 2)).toBe(true);
  });

  it('believes a lease only by name, owner and fence together', async () => {
    const { leases } = store();
    const lease = await leases.take('x', 'one', 1_000, now);
    await leases.take('y', 'one', 1_000, now);
    if (lease === undefined) throw new Error('it was free');
    for (const wrong of [{ name: 'z' }, { owner: 'two' }, { fence: 2 }]) {
      expect(await leases.renew({ ...lease, ...wrong }, 9_000, now)).toBe(false);
      await leases.release({ ...lease, ...wrong });
    }
    expect(await leases.holder('x', now)).toEqual({ owner: 'one', until: now + 1_000 });
    await leases.renew(lease, 2_000, now);
    expect(await leases.holder('y', now)).toEqual({ owner: 'one', until: now + 1_000 });
    await leases.release(lease);
    expect(await leases.holder('x', now)).toBeUndefined();
    expect(await leases.holder('y', now)).toBeDefined();
  });

  it('renews a lease that is over but that nobody took, and not one that was given back', async () => {
    const { leases } = store();
    const lease = await leases.take('x', 'one', 1_000, now);
    if (lease === undefined) throw new Error('it was free');
    expect(await leases.renew(lease, 1_000, now + 5_000)).toBe(true);
    expect(await leases.holder('x', now + 5_500)).toEqual({ owner: 'one', until: now + 6_000 });
    await leases.release(lease);
    expect(await leases.holder('x', now + 5_500)).toBeUndefined();
    expect(await leases.renew(lease, 1_000, now + 5_500)).toBe(false);
    expect((await leases.take('x', 'two', 1_000, now + 5_500))?.fence).toBe(2);
  });

  const watermark = { at: now, fullAt: now, fullRun: 'run_1', fingerprint: 'f' };
  const pages = { people: 0, emails: 0 };
  const roster = { sync: 'people', run: 'run_1', at: now, fingerprint: 'f', salt: 's', rows: 0, pages };

  const writes: Readonly<Record<string, (owned: OwnedRun) => Promise<unknown>>> = {
    'runs.update': (owned) => store().runs.update(owned, { phase: 'done' }, { watermark: () => watermark }),
    'runs.addFindings': (owned) => store().runs.addFindings(owned, [{ code: 'held', message: 'late' }]),
    'plans.setStates': (owned) => store().plans.setStates(owned, [{ identification: 'ana', state: 'failed' }]),
    'plans.begin': (owned) => store().plans.begin(owned, { id: 'run_1', sync: 'people', run: 'run_1', madeAt: now }),
    'plans.add': (owned) => store().plans.add(owned, 'run_1', [sampleChange('leo')]),
    'plans.seal': (owned) => store().plans.seal(owned, 'run_1', 'b'.repeat(64)),
    'plans.hold': (owned) => store().plans.hold(owned, 'run_1', ['updates'], 'late'),
    'plans.holdFields': (owned) => store().plans.holdFields(owned, 'run_1', ['area'], 'late'),
    'plans.setAside': (owned) => store().plans.setAside(owned, 'run_1', ['ana'], { state: 'held', reason: 'late' }),
    'plans.applyApprovals': (owned) => store().plans.applyApprovals(owned, 'run_1', 'people', now),
    'batches.create': (owned) => store().batches.create(owned, [{ batch: sampleBatch(owned, 2), identifications: [] }]),
    'batches.update': (owned) => store().batches.update(owned, `${owned.run.id}_b1`, { state: 'sending' }),
    'batches.resolve': (owned) => store().batches.resolve(owned, 'run_old_b1', 'seen', {}),
    'rosters.put': (owned) => store().rosters.put(owned, roster, []),
    'ledger.takeOver': (owned) => store().ledger.takeOver(owned, [{ identification: 'ana', owner: 'others' }], now),
    'ledger.put': (owned) => store().ledger.put(owned, [sampleEntry('ana')]),
    'runs.update with holds': (owned) => renewHolds(store(), owned, [sampleHold(owned, 'hold_1')], now),
    'decisions.record': (owned) => store().decisions.record(owned, 'run_1', { now, expiresAt: now + hourMs }),
    'decisions.end': (owned) =>
      store().decisions.end(owned, 'run_1', { identifications: ['ana'], keepsRejections: false }, now),
    'reads.put': (owned) =>
      store().reads.put(owned, {
        sync: 'people',
        run: owned.run.id,
        at: now,
        rows: 1,
        stamp: 's',
        isAccepted: true,
        fillRates: {},
      }),
  };

  it('refuses every write to a worker whose lease was taken over, and writes nothing', async () => {
    const { leases, runs, plans, batches, ledger, decisions, holds, reads, rosters } = store();
    const old = await openPlanned(store(), { id: 'run_old', sync: 'others' }, ['eva']);
    await batches.create(old, [{ batch: sampleBatch(old, 1, { state: 'unresolved' }), identifications: ['eva'] }]);
    await endRun(store(), old);
    const owned = await openPlanned(store(), { id: 'run_1' }, ['ana']);
    await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['ana'] }]);
    await runs.addFindings(owned, [{ code: 'source-note', message: 'first' }]);
    await approve(store(), [sampleChange('ana')], { expiresAt: now + hourMs });
    expect(await leases.take('run:run_1', 'thief', hourMs, now + 2 * hourMs)).toBeDefined();

    for (const [what, write] of Object.entries(writes)) {
      await expect(write(owned), what).rejects.toMatchObject({ code: 'LEASE_LOST' });
    }

    expect(await runs.get('run_1')).toEqual({ ...owned.run, phase: 'planning' });
    expect((await runs.findings('run_1')).map(({ message }) => message)).toEqual(['first']);
    expect(await plans.page('run_1', { limit: 9 })).toMatchObject([
      { identification: 'ana', state: 'planned', isApproved: false },
    ]);
    expect(await plans.findByDigest('people', 'a'.repeat(64))).toBeDefined();
    expect(await batches.ofRun('run_1')).toEqual([sampleBatch(owned, 1)]);
    expect((await batches.get('run_old_b1'))?.state).toBe('unresolved');
    expect(await ledger.get('acme', 'ana')).toBeUndefined();
    expect(await holds.ofRun('run_1')).toEqual([]);
    expect(await decisions.of('people', 'ana')).toMatchObject([
      { state: 'approved', run: undefined, endedAt: undefined },
    ]);
    expect([await reads.last('people'), await reads.watermark('people')]).toEqual([undefined, undefined]);
    expect(await rosters.open('people')).toBeUndefined();
  });

  it.each<[string, (owned: OwnedRun) => Promise<OwnedRun['lease']>]>([
    [
      'of a former taking by the same owner',
      async ({ lease }) => {
        await store().leases.take(lease.name, lease.owner, hourMs, now);
        return lease;
      },
    ],
    ['that is not held, though another of the same owner is', async ({ lease }) => ({ ...lease, name: 'run:run_2' })],
    [
      'that was given back',
      async ({ lease }) => {
        await store().leases.release(lease);
        return lease;
      },
    ],
  ])('refuses writes under a lease %s', async (_, leaseOf) => {
    const owned = await openRun(store(), { id: 'run_1' });
    const wrong = { run: owned.run, lease: await leaseOf(owned) };
    await expect(store().runs.update(wrong, { phase: 'done' })).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it("takes writes under another lease than the run's own, if that is what the worker holds", async () => {
    const { leases, runs, triggers } = store();
    await triggers.add(sampleTrigger('t1'));
    const opened = await runs.open('people', { id: 'run_1', connection: 'acme', now });
    const lease = await leases.take('sync:people', 'one', hourMs, now);
    if (opened === undefined || lease === undefined) throw new Error('both were to be had');
    const { run } = await runs.update({ run: opened.run, lease }, { phase: 'planning' });
    expect(run.phase).toBe('planning');
  });
}
