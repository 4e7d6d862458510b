import { expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { openRun } from './store-samples.ts';

const taken = { isTaken: true, ahead: 0 };
const behind = (ahead: number) => ({ isTaken: false, ahead });

export function describeTurns(store: () => Store): void {
  const take = (owner: string, at = now) => {
    return store().turns.take({ name: 'file:acme', owner, ttlMs: 10_000, placeMs: 5_000 }, at);
  };
  const release = (owner: string) => store().turns.release('file:acme', owner);

  it('gives a free lease at once, and renews it for its owner', async () => {
    expect(await take('a')).toEqual(taken);
    expect(await take('a', now + 9_000)).toEqual(taken);
    expect(await store().leases.holder('file:acme', now + 18_000)).toEqual({ owner: 'a', until: now + 19_000 });
  });

  it('renews the lease for its owner, and gives it to the others in the order in which they asked first', async () => {
    expect(await take('c')).toEqual(taken);
    expect(await take('b')).toEqual(behind(1));
    expect(await take('a')).toEqual(behind(2));
    expect(await take('b')).toEqual(behind(1));
    expect(await take('c')).toEqual(taken);
    await release('c');
    expect(await take('c')).toEqual(behind(2));
    expect(await take('a')).toEqual(behind(1));
    expect(await take('b')).toEqual(taken);
    expect(await take('a')).toEqual(behind(1));
    await release('b');
    expect(await take('b')).toEqual(behind(2));
    expect(await take('a')).toEqual(taken);
    await release('a');
    expect(await take('c')).toEqual(taken);
  });

  it('passes over an owner that does not ask any more, and keeps its place', async () => {
    await take('a');
    await take('b');
    await take('c', now + 4_000);
    await take('d', now + 4_000);
    await release('a');
    expect(await take('c', now + 4_999)).toEqual(behind(1));
    expect(await take('c', now + 5_000)).toEqual(taken);
    expect(await take('b', now + 5_001)).toEqual(behind(1));
    await release('c');
    expect(await take('d', now + 5_002)).toEqual(behind(1));
    expect(await take('b', now + 5_003)).toEqual(taken);
  });

  it('takes over the lease of an owner that does not renew it, in turn', async () => {
    await take('a');
    await take('b', now + 9_000);
    expect(await take('c', now + 10_000)).toEqual(behind(1));
    expect(await take('b', now + 10_000)).toEqual(taken);
    expect(await take('a', now + 10_000)).toEqual(behind(2));
  });

  it('lets an owner leave the queue, and releases nothing that it does not hold', async () => {
    await take('a');
    await take('b');
    await take('c');
    await release('b');
    const owned = await openRun(store(), { id: 'b' });
    await store().runs.update(owned, { reason: 'over' }, { leaves: 'file:acme' });
    expect(await take('c')).toEqual(behind(1));
    await release('a');
    expect(await take('c')).toEqual(taken);
  });

  it('keeps the queues of two leases apart', async () => {
    await take('a');
    await take('b');
    const other = { name: 'file:other', owner: 'b', ttlMs: 10_000, placeMs: 5_000 };
    expect(await store().turns.take(other, now)).toEqual(taken);
    await store().turns.release('file:other', 'b');
    expect(await take('c')).toEqual(behind(2));
    expect(await store().turns.take({ ...other, owner: 'c' }, now)).toEqual(taken);
  });
}
