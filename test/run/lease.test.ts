import { describe, expect, it, onTestFinished } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Leases, Store } from '../../src/ports/store.ts';
import { holdLease, takeOverLease } from '../../src/run/lease.ts';
import { openStore } from '../../src/store/index.ts';
import { FakeClock } from '../support/fake-clock.ts';

const ttlMs = 30_000;
const wish = { name: 'run:r1', owner: 'us', ttlMs };
const never = new AbortController().signal;

async function openLeases(): Promise<{ leases: Leases; clock: FakeClock }> {
  const store: Store = await openStore('sqlite::memory:', { folder: '/' });
  const clock = new FakeClock();
  onTestFinished(async () => {
    await store.close();
    expect(clock.sleeping, 'no timer is left').toBe(0);
  });
  return { leases: store.leases, clock };
}

describe('a held lease', () => {
  it('is kept for as long as it is held, and free as soon as it is given back', async () => {
    const { leases, clock } = await openLeases();
    const held = await holdLease(wish, { leases, clock }, never);
    await clock.advance(10 * ttlMs);
    expect(held?.signal.aborted).toBe(false);
    expect(await leases.take(wish.name, 'they', ttlMs, clock.now())).toBeUndefined();
    await held?.release();
    expect(clock.sleeping).toBe(0);
    expect(await leases.take(wish.name, 'they', ttlMs, clock.now())).toMatchObject({ owner: 'they' });
  });

  it('is not had twice', async () => {
    const { leases, clock } = await openLeases();
    const held = await holdLease(wish, { leases, clock }, never);
    expect(await holdLease({ ...wish, owner: 'they' }, { leases, clock }, never)).toBeUndefined();
    await held?.release();
  });

  it('aborts the work with LEASE_LOST when another has taken it meanwhile', async () => {
    const { leases, clock } = await openLeases();
    const held = await holdLease(wish, { leases, clock }, never);
    // The machine slept for longer than the lease, and another worker was awake.
    clock.jumpTo(clock.now() + ttlMs + 1);
    const theirs = await leases.take(wish.name, 'they', ttlMs, clock.now());
    await clock.advance(1);
    expect(held?.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
    await held?.release();
    expect(await leases.holder(wish.name, clock.now())).toMatchObject({ owner: 'they' });
    expect(await leases.renew(theirs ?? { ...wish, fence: 0 }, ttlMs, clock.now())).toBe(true);
  });

  it('aborts with the reason of the one who asked for it', async () => {
    const { leases, clock } = await openLeases();
    const outer = new AbortController();
    const held = await holdLease(wish, { leases, clock }, outer.signal);
    const reason = new Error('shutting down');
    outer.abort(reason);
    expect(held?.signal.reason).toBe(reason);
    await held?.release();
  });

  it.each([
    { failures: 1, isLost: false },
    { failures: 2, isLost: true },
  ])('with $failures renewals that the store could not write is lost: $isLost', async ({ failures, isLost }) => {
    const { leases, clock } = await openLeases();
    let left = failures;
    const locked: Leases = {
      ...leases,
      renew: async (...given) => {
        left -= 1;
        if (left >= 0) throw new RollcallError('the store is locked', { code: 'STORE_INVALID', retry: 'backoff' });
        return leases.renew(...given);
      },
    };
    const held = await holdLease(wish, { leases: locked, clock }, never);
    await clock.advance(5 * ttlMs);
    expect(held?.signal.aborted).toBe(isLost);
    if (isLost) expect(held?.signal.reason).toMatchObject({ code: 'LEASE_LOST', cause: { code: 'STORE_INVALID' } });
    await held?.release();
  });
});

describe('taking a lease over', () => {
  it('waits until a dead holder’s time is over', async () => {
    const { leases, clock } = await openLeases();
    await leases.take(wish.name, 'dead', 15_000, clock.now());
    const startedAt = clock.now();
    const held = await clock.drive(takeOverLease(wish, { leases, clock }, never), 60_000);
    expect(held?.lease.owner).toBe('us');
    expect(clock.now() - startedAt).toBe(15_000);
    await held?.release();
  });

  it('gives up as soon as the holder shows that it lives', async () => {
    const { leases, clock } = await openLeases();
    const theirs = await holdLease({ ...wish, owner: 'they', ttlMs: 15_000 }, { leases, clock }, never);
    const startedAt = clock.now();
    expect(await clock.drive(takeOverLease(wish, { leases, clock }, never), 60_000)).toBeUndefined();
    expect(clock.now() - startedAt).toBeLessThanOrEqual(6_000);
    await theirs?.release();
  });

  it('ends when it is asked to stop', async () => {
    const { leases, clock } = await openLeases();
    await leases.take(wish.name, 'dead', 15_000, clock.now());
    const outer = new AbortController();
    const reason = new Error('shutting down');
    const waiting = takeOverLease(wish, { leases, clock }, outer.signal);
    waiting.catch(() => {});
    await clock.advance(3_000);
    outer.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(clock.sleeping).toBe(0);
  });
});
