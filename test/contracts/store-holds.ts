import { expect, it } from 'vitest';
import type { HoldFacts, HoldRecord, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { dayMs, endRun, hourMs, openRun, sampleHold } from './store-samples.ts';

const openOf = async (store: Store, sync = 'people', at = now) => (await store.holds.open(sync, at)).holds;
const factsOf = ({ hashes, ...facts }: HoldRecord): HoldFacts => facts;

export function describeHolds(store: () => Store): void {
  it('tells open holds until they run out, and those of a run for good', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const hold = sampleHold(owned, 'hold_1', ['h1', 'h2']);
    await holds.renew(owned, [hold]);
    expect(await openOf(store())).toEqual([factsOf(hold)]);
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([]);
    expect(await openOf(store(), 'others', now)).toEqual([]);
    expect(await holds.ofRun('run_1')).toEqual([hold]);
  });

  it('counts what is held, each change once: in all and by class, again whenever something changes', async () => {
    const { holds } = store();
    const counts = async (at = now) => {
      const { changes, byClass } = await holds.open('people', at);
      return [changes, byClass];
    };
    expect(await counts()).toEqual([0, {}]);
    const owned = await openRun(store(), { id: 'run_1' });
    const disables = sampleHold(owned, 'hold_1', ['h1', 'h2', 'h3']);
    const removes = { ...sampleHold(owned, 'hold_2', ['h3', 'h4']), class: 'removes' } as const;
    const moreRemoves = { ...sampleHold(owned, 'hold_3', ['h4', 'h5', 'h5']), class: 'removes' } as const;
    await holds.renew(owned, [disables]);
    expect(await counts()).toEqual([3, { disables: 3 }]);
    await holds.renew(owned, [disables, removes, moreRemoves]);
    expect(await counts()).toEqual([5, { disables: 3, removes: 3 }]);
    expect(await counts()).toEqual([5, { disables: 3, removes: 3 }]);
    await holds.approve('people', ['h1', 'h2', 'h3'], { by: 'ops', now, expiresAt: now + dayMs });
    expect(await counts()).toEqual([3, { removes: 3 }]);
    expect(await counts(now + dayMs)).toEqual([0, {}]);
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
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([factsOf(renewed)]);
    expect(await holds.ofRun('run_1')).toEqual([renewed]);
    expect(await holds.ofRun('run_2')).toEqual([renewed]);
  });

  it('lets other holds stand when the run is about named people', async () => {
    const { holds } = store();
    const first = await openRun(store(), { id: 'run_1' });
    const before = sampleHold(first, 'hold_1', ['h1']);
    await holds.renew(first, [before]);
    await endRun(store(), first);
    const scope = { kind: 'users', identifications: ['E1'] } as const;
    const second = await openRun(store(), { id: 'run_2', scope });
    const other = sampleHold(second, 'hold_2', ['h2']);
    await holds.renew(second, [other]);
    await holds.renew(second, []);
    expect(await openOf(store())).toEqual([factsOf(before), factsOf(other)]);
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
    expect(await openOf(store())).toEqual(expected.map(factsOf));
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
    expect((await openOf(store())).map(({ id }) => id)).toEqual(['hold_3']);
    await holds.renew(owned, []);
    expect(await openOf(store())).toEqual([]);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['expired', 'expired', 'expired']);
    expect(await openOf(store(), 'others', now)).toHaveLength(1);
  });

  it('asks anew about changes whose hold has run out', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1'])]);
    await holds.renew(owned, [sampleHold(owned, 'hold_2', ['h1'], now + dayMs)]);
    const open = await openOf(store(), 'people', now + dayMs);
    expect(open.map(({ id, heldAt }) => [id, heldAt])).toEqual([['hold_2', now + dayMs]]);
  });

  it('says approved of a hold when all of its changes are, in one go or several', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [
      sampleHold(owned, 'hold_1', ['h1', 'h2']),
      { ...sampleHold(owned, 'hold_2', ['h3']), class: 'removes' },
    ]);
    expect(await holds.approve('people', ['h1', 'h1'], { by: 'ops', now, expiresAt: now + dayMs })).toBe(1);
    expect(await openOf(store())).toHaveLength(2);
    expect(await holds.approve('others', ['h2'], { by: 'ops', now, expiresAt: now + dayMs })).toBe(1);
    expect(await openOf(store())).toHaveLength(2);
    expect(await holds.approve('people', ['h2'], { by: 'ops', now, expiresAt: now + dayMs })).toBe(1);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['approved', 'open']);
  });

  it('does not count approvals that have run out', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])]);
    await holds.approve('people', ['h1'], { by: 'ops', now, expiresAt: now + hourMs });
    await holds.approve('people', ['h2'], { by: 'ops', now: now + hourMs, expiresAt: now + dayMs });
    expect(await openOf(store(), 'people', now + hourMs)).toHaveLength(1);
  });

  it('remembers rejections for seven days, or until the same change is approved', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])]);
    expect(await holds.reject('people', ['h1', 'h2'], 'ops', now)).toBe(2);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['rejected']);
    expect(await holds.rejected('people', now + 7 * dayMs - 1)).toEqual(new Set(['h1', 'h2']));
    expect(await holds.rejected('people', now + 7 * dayMs)).toEqual(new Set());
    expect(await holds.rejected('others', now)).toEqual(new Set());
    await holds.approve('people', ['h1'], { by: 'lead', now: now + 1, expiresAt: now + dayMs });
    expect(await holds.rejected('people', now + 1)).toEqual(new Set(['h2']));
  });

  it('leaves a hold open of which a part was approved and a part rejected until the next run', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])]);
    await holds.approve('people', ['h1'], { by: 'ops', now, expiresAt: now + dayMs });
    await holds.reject('people', ['h2'], 'ops', now);
    expect((await openOf(store())).map(({ state }) => state)).toEqual(['open']);
  });
}
