import { expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { dayMs, endRun, hourMs, openRun, sampleHold } from './store-samples.ts';

export function describeHolds(store: () => Store): void {
  it('tells open holds until they run out, and those of a run for good', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const hold = sampleHold(owned, 'hold_1', ['h1', 'h2']);
    await holds.renew(owned, [hold]);
    expect(await holds.open('people', now)).toEqual([hold]);
    expect(await holds.open('people', now + dayMs)).toEqual([]);
    expect(await holds.open('others', now)).toEqual([]);
    expect(await holds.ofRun('run_1')).toEqual([hold]);
  });

  it('renews a hold of the same changes under its old id, and it is found from both runs', async () => {
    const { holds } = store();
    const first = await openRun(store(), { id: 'run_1' });
    await holds.renew(first, [sampleHold(first, 'hold_1', ['h1', 'h2'])]);
    await endRun(store(), first);
    const second = await openRun(store(), { id: 'run_2', now: now + hourMs });
    await holds.renew(second, [sampleHold(second, 'hold_2', ['h2', 'h1'], now + hourMs)]);
    const renewed = {
      ...sampleHold(second, 'hold_1', ['h1', 'h2']),
      expiresAt: now + hourMs + dayMs,
    };
    expect(await holds.open('people', now + dayMs)).toEqual([renewed]);
    expect(await holds.ofRun('run_1')).toEqual([renewed]);
    expect(await holds.ofRun('run_2')).toEqual([renewed]);
  });

  it('renews each of several holds by itself', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const two = (heldAt: number) => [
      sampleHold(owned, `z ${heldAt}`, ['h1'], heldAt),
      { ...sampleHold(owned, `a ${heldAt}`, ['h2'], heldAt + 1), class: 'removes', reason: 'others' } as const,
    ];
    await holds.renew(owned, two(now));
    await holds.renew(owned, two(now + hourMs).reverse());
    const expected = two(now).map((hold) => ({ ...hold, expiresAt: hold.expiresAt + hourMs }));
    expect(await holds.open('people', now)).toEqual(expected);
    expect(await holds.ofRun('run_1')).toEqual(expected);
  });

  it('lets holds of other changes, other classes, or none expire', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const other = await openRun(store(), { id: 'run_2', sync: 'others' });
    await holds.renew(other, [sampleHold(other, 'hold_0', ['h1'])]);
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1'])]);
    await holds.renew(owned, [sampleHold(owned, 'hold_2', ['h1', 'h2'])]);
    await holds.renew(owned, [{ ...sampleHold(owned, 'hold_3', ['h1', 'h2']), class: 'removes' }]);
    expect((await holds.open('people', now)).map(({ id }) => id)).toEqual(['hold_3']);
    await holds.renew(owned, []);
    expect(await holds.open('people', now)).toEqual([]);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['expired', 'expired', 'expired']);
    expect(await holds.open('others', now)).toHaveLength(1);
  });

  it('asks anew about changes whose hold has run out', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1'])]);
    await holds.renew(owned, [sampleHold(owned, 'hold_2', ['h1'], now + dayMs)]);
    const open = await holds.open('people', now + dayMs);
    expect(open.map(({ id, heldAt }) => [id, heldAt])).toEqual([['hold_2', now + dayMs]]);
  });

  it('says approved of a hold when all of its changes are, in one go or several', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [
      sampleHold(owned, 'hold_1', ['h1', 'h2']),
      { ...sampleHold(owned, 'hold_2', ['h3']), class: 'removes' },
    ]);
    expect(await holds.approve('people', ['h1', 'h1'], 'ops', now, now + dayMs)).toBe(1);
    expect(await holds.open('people', now)).toHaveLength(2);
    expect(await holds.approve('others', ['h2'], 'ops', now, now + dayMs)).toBe(1);
    expect(await holds.open('people', now)).toHaveLength(2);
    expect(await holds.approve('people', ['h2'], 'ops', now, now + dayMs)).toBe(1);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['approved', 'open']);
  });

  it('does not count approvals that have run out', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])]);
    await holds.approve('people', ['h1'], 'ops', now, now + hourMs);
    await holds.approve('people', ['h2'], 'ops', now + hourMs, now + dayMs);
    expect(await holds.open('people', now + hourMs)).toHaveLength(1);
  });

  it('remembers rejections for thirty days, or until the same change is approved', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])]);
    expect(await holds.reject('people', ['h1', 'h2'], 'ops', now)).toBe(2);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['rejected']);
    expect(await holds.rejected('people', now + 7 * dayMs - 1)).toEqual(new Set(['h1', 'h2']));
    expect(await holds.rejected('people', now + 7 * dayMs)).toEqual(new Set());
    expect(await holds.rejected('others', now)).toEqual(new Set());
    await holds.approve('people', ['h1'], 'lead', now + 1, now + dayMs);
    expect(await holds.rejected('people', now + 1)).toEqual(new Set(['h2']));
  });

  it('leaves a hold open of which a part was approved and a part rejected until the next run', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])]);
    await holds.approve('people', ['h1'], 'ops', now, now + dayMs);
    await holds.reject('people', ['h2'], 'ops', now);
    expect((await holds.open('people', now)).map(({ state }) => state)).toEqual(['open']);
  });
}
