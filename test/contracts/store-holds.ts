import { expect, it } from 'vitest';
import type { HoldFacts, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  dayMs,
  endRun,
  hourMs,
  nameOf,
  openRun,
  reject,
  type SampleHold,
  sampleChange,
  sampleHold,
  writePlan,
} from './store-samples.ts';

const openOf = async (store: Store, sync = 'people', at = now) => (await store.holds.open(sync, at)).holds;
const factsOf = ({ hashes, ...facts }: SampleHold): HoldFacts => ({ ...facts, size: new Set(hashes).size });

export function describeHolds(store: () => Store): void {
  it('tells open holds until they run out, and those of a run for good', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const hold = sampleHold(owned, 'hold_1', ['h1', 'h2']);
    await holds.renew(owned, [hold], now);
    expect(await openOf(store())).toEqual([factsOf(hold)]);
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([]);
    expect(await openOf(store(), 'others', now)).toEqual([]);
    expect(await holds.ofRun('run_1')).toEqual([factsOf(hold)]);
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
    await holds.renew(owned, [disables], now);
    expect(await counts()).toEqual([3, { disables: 3 }]);
    await holds.renew(owned, [disables, removes, moreRemoves], now);
    expect(await counts()).toEqual([5, { disables: 3, removes: 3 }]);
    expect(await counts()).toEqual([5, { disables: 3, removes: 3 }]);
    await approve(store(), ['h1', 'h2', 'h3'].map(nameOf));
    expect(await counts()).toEqual([2, { removes: 2 }]);
    expect(await counts(now + dayMs)).toEqual([0, {}]);
  });

  it('renews a hold of the same changes under its old id, and it is found from both runs', async () => {
    const { holds } = store();
    const first = await openRun(store(), { id: 'run_1' });
    await holds.renew(first, [sampleHold(first, 'hold_1', ['h1', 'h2'])], now);
    await endRun(store(), first);
    const second = await openRun(store(), { id: 'run_2', now: now + hourMs });
    await holds.renew(second, [sampleHold(second, 'hold_2', ['h2', 'h1'], now + hourMs)], now + hourMs);
    const renewed = {
      ...sampleHold(second, 'hold_1', ['h1', 'h2']),
      expiresAt: now + hourMs + dayMs,
    };
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([factsOf(renewed)]);
    expect(await holds.ofRun('run_1')).toEqual([factsOf(renewed)]);
    expect(await holds.ofRun('run_2')).toEqual([factsOf(renewed)]);
  });

  it('lets a hold stand while one of its changes waits, whatever another run holds', async () => {
    const { holds, decisions } = store();
    const held = async (id: string, names: readonly string[]) => {
      const scope = { kind: 'users', identifications: names } as const;
      const owned = await openRun(store(), { id, scope });
      const changes = names.map((name) => sampleChange(name, 'disable'));
      await writePlan(store(), { id, owned }, changes);
      await store().plans.hold(owned, id, ['disables'], 'too many');
      await decisions.record(owned, id, { now, expiresAt: now + dayMs });
      const hashes = changes.map(({ hash }) => hash);
      return { owned, hold: sampleHold(owned, `hold of ${id}`, hashes) };
    };
    const openIds = async () => (await openOf(store())).map(({ id }) => id);
    const first = await held('run_1', ['E1', 'E2', 'E3']);
    await holds.renew(first.owned, [first.hold], now);
    await endRun(store(), first.owned);
    const second = await held('run_2', ['E1']);
    await holds.renew(second.owned, [second.hold], now);
    expect(await openIds()).toEqual(['hold of run_1', 'hold of run_2']);
    expect((await holds.open('people', now)).changes).toBe(3);
    await endRun(store(), second.owned);
    const third = await openRun(store(), { id: 'run_3' });
    await writePlan(store(), { id: 'run_3', owned: third }, [sampleChange('E2', 'disable')]);
    await decisions.record(third, 'run_3', { now: now + 1, expiresAt: now + dayMs });
    await decisions.end(third, 'run_3', ['E1', 'E2'], now + 1);
    await holds.renew(third, [], now + 1);
    expect(await openIds()).toEqual(['hold of run_1']);
    expect(await holds.open('people', now + 1)).toMatchObject({ changes: 1, byClass: { disables: 1 } });
    await decisions.end(third, 'run_3', ['E3'], now + 2);
    await holds.renew(third, [], now + 2);
    expect(await openIds()).toEqual([]);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['expired']);
  });

  it('renews each of several holds by itself', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const two = (heldAt: number) => [
      sampleHold(owned, `z ${heldAt}`, ['h1'], heldAt),
      { ...sampleHold(owned, `a ${heldAt}`, ['h2'], heldAt + 1), class: 'removes', reason: 'others' } as const,
    ];
    await holds.renew(owned, two(now), now);
    await holds.renew(owned, two(now + hourMs).reverse(), now + hourMs);
    const expected = two(now).map((hold) => ({ ...hold, expiresAt: hold.expiresAt + hourMs }));
    expect(await openOf(store())).toEqual(expected.map(factsOf));
    expect(await holds.ofRun('run_1')).toEqual(expected.map(factsOf));
  });

  it('lets holds of other changes, other classes, or none expire', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const other = await openRun(store(), { id: 'run_2', sync: 'others' });
    await holds.renew(other, [sampleHold(other, 'hold_0', ['h1'])], now);
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1'])], now);
    await holds.renew(owned, [sampleHold(owned, 'hold_2', ['h1', 'h2'])], now);
    await holds.renew(owned, [{ ...sampleHold(owned, 'hold_3', ['h1', 'h2']), class: 'removes' }], now);
    expect((await openOf(store())).map(({ id }) => id)).toEqual(['hold_3']);
    await holds.renew(owned, [], now);
    expect(await openOf(store())).toEqual([]);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['expired', 'expired', 'expired']);
    expect(await openOf(store(), 'others', now)).toHaveLength(1);
  });

  it('asks anew about changes whose hold has run out', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1'])], now);
    await holds.renew(owned, [sampleHold(owned, 'hold_2', ['h1'], now + dayMs)], now);
    const open = await openOf(store(), 'people', now + dayMs);
    expect(open.map(({ id, heldAt }) => [id, heldAt])).toEqual([['hold_2', now + dayMs]]);
  });

  it('says approved of a hold when all of its changes are, in one go or several', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const two = [
      sampleHold(owned, 'hold_1', ['h1', 'h2']),
      { ...sampleHold(owned, 'hold_2', ['h3']), class: 'removes' } as const,
    ];
    await holds.renew(owned, two, now);
    expect(await approve(store(), ['h1', 'h1'].map(nameOf))).toBe(1);
    expect(await openOf(store())).toHaveLength(2);
    expect(await approve(store(), [nameOf('h2')], { sync: 'others' })).toBe(1);
    expect(await openOf(store())).toHaveLength(2);
    expect(await approve(store(), [nameOf('h2')])).toBe(1);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['approved', 'open']);
  });

  it('says decided of a hold of which a part was approved and the rest rejected', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await holds.renew(owned, [sampleHold(owned, 'hold_1', ['h1', 'h2'])], now);
    await approve(store(), [nameOf('h1')]);
    expect(await holds.open('people', now)).toMatchObject({ changes: 1, byClass: { disables: 1 } });
    await reject(store(), [nameOf('h2')]);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['decided']);
    await reject(store(), [nameOf('h1')]);
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['rejected']);
    await approve(store(), [nameOf('h1')]);
    await approve(store(), ['h1', 'h2'].map(nameOf), { reopens: true });
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(['approved']);
  });

  it('lists open holds, also those that have expired', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const hold = sampleHold(owned, 'hold_1', ['h1']);
    await holds.renew(owned, [hold], now);
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([]);
    expect(await holds.listOpen('people')).toEqual([factsOf(hold)]);
    expect(await holds.listOpen('others')).toEqual([]);
  });
}
