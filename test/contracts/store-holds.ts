import { expect, it } from 'vitest';
import type { Change } from '../../src/core/plan/change.ts';
import { noHolds } from '../../src/ports/decisions.ts';
import type { HoldFacts, NewHold, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  collect,
  dayMs,
  endRun,
  holdAll,
  hourMs,
  openPlanned,
  openRun,
  reject,
  renewHolds,
  sampleChange,
  sampleHold,
  writeHeld,
} from './store-samples.ts';

const openAt = async (store: Store, sync: string, at: number) =>
  (await store.holds.open([sync], at)).get(sync) ?? noHolds;
const openOf = async (store: Store, sync = 'people', at = now) => (await openAt(store, sync, at)).holds;
const openIds = async (store: Store, sync = 'people') => (await openOf(store, sync)).map(({ id }) => id);
const factsOf = (hold: NewHold, size: number): HoldFacts => ({ ...hold, size });
const remove = (name: string) => sampleChange(name, 'remove');
const both = (name: string) => sampleChange(name, 'remove', { classes: ['disables', 'removes'] });
const removes = { class: 'removes' } as const;

export function describeHolds(store: () => Store): void {
  const countsAt = async (at = now) => {
    const { changes, byClass } = await openAt(store(), 'people', at);
    return [changes, byClass];
  };
  const statesOf = async (run: string) => (await store().holds.ofRun(run)).map(({ state }) => state);
  /** A run about some people that ends after it has held them. */
  const heldRun = async (id: string, held: readonly (string | Change)[], at = now) => {
    const owned = await openRun(store(), { id, now: at });
    const changes = await holdAll(store(), owned, held, { id: `hold of ${id}`, now: at });
    await endRun(store(), owned);
    return changes;
  };

  it('tells open holds until they run out, and those of a run for good', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const changes = await holdAll(store(), owned, ['E1', 'E2', sampleChange('E3')]);
    const facts = factsOf(sampleHold(owned, 'hold_1'), 2);
    expect(await openOf(store())).toEqual([facts]);
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([]);
    expect(await openOf(store(), 'others', now)).toEqual([]);
    expect(await holds.ofRun('run_1')).toEqual([facts]);
    expect(await holds.listOpen('people')).toEqual([facts]);
    expect(await holds.listOpen('others')).toEqual([]);
    expect((await collect(holds.hashes('hold_1'))).flat()).toEqual(changes.slice(0, 2).map(({ hash }) => hash));
    expect((await collect(holds.hashes('hold_2'))).flat()).toEqual([]);
  });

  it('counts what is held, each change once: in all and by class, again whenever something changes', async () => {
    expect(await countsAt()).toEqual([0, {}]);
    const owned = await openRun(store(), { id: 'run_1' });
    const [first, second, third] = await writeHeld(store(), owned, ['E1', 'E2', both('E3'), remove('E4')]);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_1')], now);
    expect(await countsAt()).toEqual([3, { disables: 3 }]);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_1'), sampleHold(owned, 'hold_2', removes)], now);
    expect(await countsAt()).toEqual([4, { disables: 3, removes: 2 }]);
    expect(await countsAt()).toEqual([4, { disables: 3, removes: 2 }]);
    await approve(
      store(),
      [first, second, third].filter((one) => one !== undefined),
    );
    expect(await countsAt()).toEqual([1, { removes: 1 }]);
    expect(await countsAt(now + dayMs)).toEqual([0, {}]);
  });

  it('counts a change once that several runs hold', async () => {
    await heldRun('run_1', ['E1', both('E2'), 'E3']);
    const owned = await openRun(store(), { id: 'run_2' });
    await writeHeld(store(), owned, [both('E2'), remove('E4')]);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_2', removes)], now);
    expect(await countsAt()).toEqual([4, { disables: 3, removes: 2 }]);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_2', removes), sampleHold(owned, 'hold_3')], now);
    expect(await countsAt()).toEqual([4, { disables: 3, removes: 2 }]);
  });

  it('renews a hold of the same changes under its old id, and it is found from both runs', async () => {
    const { holds } = store();
    await heldRun('run_1', ['E1', 'E2']);
    const second = await openRun(store(), { id: 'run_2', now: now + hourMs });
    await holdAll(store(), second, ['E2', 'E1'], { id: 'hold_2', now: now + hourMs });
    const hold = sampleHold(second, 'hold of run_1', { heldAt: now, expiresAt: now + hourMs + dayMs });
    expect(await openOf(store(), 'people', now + dayMs)).toEqual([factsOf(hold, 2)]);
    for (const run of ['run_1', 'run_2']) expect(await holds.ofRun(run)).toEqual([factsOf(hold, 2)]);
  });

  it('tells since when something waits, which stays when others join it, and begins again with a new episode', async () => {
    const since = async (at: number) => (await openAt(store(), 'people', at)).since;
    expect(await since(now)).toBeUndefined();
    await heldRun('run_1', ['E1']);
    await heldRun('run_2', ['E1', 'E2'], now + hourMs);
    expect(await since(now + hourMs)).toBe(now);
    const third = await openPlanned(store(), { id: 'run_3' }, []);
    await store().decisions.end(third, 'run_3', { identifications: ['E1'], keepsRejections: false }, now + hourMs);
    await endRun(store(), third);
    await heldRun('run_4', ['E1', 'E2'], now + 2 * hourMs);
    expect(await since(now + 2 * hourMs)).toBe(now + hourMs);
  });

  it('renews each of several holds by itself', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await writeHeld(store(), owned, ['E1', remove('E2')]);
    const two = (heldAt: number) => [
      sampleHold(owned, `z ${heldAt}`, { heldAt }),
      sampleHold(owned, `a ${heldAt}`, { ...removes, heldAt: heldAt + 1, reason: 'others' }),
    ];
    await renewHolds(store(), owned, two(now), now);
    await renewHolds(store(), owned, two(now + hourMs).reverse(), now + hourMs);
    const expected = two(now).map((hold) => factsOf({ ...hold, expiresAt: hold.expiresAt + hourMs }, 1));
    expect(await openOf(store())).toEqual(expected);
    expect(await holds.ofRun('run_1')).toEqual(expected);
  });

  it('lets a hold stand while one of its changes waits, whatever another run holds', async () => {
    const { decisions } = store();
    await heldRun('run_1', ['E1', 'E2', 'E3']);
    await heldRun('run_2', ['E1']);
    expect(await openIds(store())).toEqual(['hold of run_1', 'hold of run_2']);
    expect(await countsAt()).toEqual([3, { disables: 3 }]);
    const third = await openPlanned(store(), { id: 'run_3' }, [sampleChange('E2', 'disable')]);
    await decisions.record(third, 'run_3', { now: now + 1, expiresAt: now + dayMs });
    await decisions.end(third, 'run_3', { identifications: ['E1', 'E2'], keepsRejections: false }, now + 1);
    await renewHolds(store(), third, [], now + 1);
    expect(await openIds(store())).toEqual(['hold of run_1']);
    expect(await countsAt(now + 1)).toEqual([1, { disables: 1 }]);
    await decisions.end(third, 'run_3', { identifications: ['E3'], keepsRejections: false }, now + 2);
    await renewHolds(store(), third, [], now + 2);
    expect(await openIds(store())).toEqual([]);
    expect(await statesOf('run_1')).toEqual(['expired']);
  });

  it('closes a hold whose waiting changes are all in the holds of a newer run', async () => {
    await heldRun('run_1', ['E1', 'E2']);
    await heldRun('run_2', ['E1', 'E2', 'E3']);
    expect(await openIds(store())).toEqual(['hold of run_2']);
    expect(await countsAt()).toEqual([3, { disables: 3 }]);
  });

  it('lets holds of other changes, other classes, or none expire when a run plans again', async () => {
    const other = await openRun(store(), { id: 'run_2', sync: 'others' });
    await holdAll(store(), other, ['E1'], { id: 'hold_0' });
    const owned = await openRun(store(), { id: 'run_1' });
    await holdAll(store(), owned, ['E1']);
    await holdAll(store(), owned, ['E1', 'E2'], { id: 'hold_2' });
    expect(await openIds(store())).toEqual(['hold_2']);
    await writeHeld(store(), owned, [remove('E1'), remove('E2')]);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_3', removes), sampleHold(owned, 'hold_4')], now);
    expect(await openIds(store())).toEqual(['hold_3']);
    await writeHeld(store(), owned, []);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_5')], now);
    expect(await openOf(store())).toEqual([]);
    expect(await statesOf('run_1')).toEqual(['expired', 'expired', 'expired']);
    expect(await openIds(store(), 'others')).toEqual(['hold_0']);
  });

  it('asks anew about changes whose hold has run out', async () => {
    const { holds } = store();
    await heldRun('run_1', ['E1']);
    expect(await holds.listOpen('people')).toHaveLength(1);
    await heldRun('run_2', ['E1'], now + dayMs);
    const open = await openOf(store(), 'people', now + dayMs);
    expect(open.map(({ id, heldAt }) => [id, heldAt])).toEqual([['hold of run_2', now + dayMs]]);
  });

  it('says approved of a hold when all of its changes are, in one go or several', async () => {
    const owned = await openRun(store(), { id: 'run_1' });
    const [first, second] = await writeHeld(store(), owned, ['E1', 'E2', remove('E3')]);
    await renewHolds(store(), owned, [sampleHold(owned, 'hold_1'), sampleHold(owned, 'hold_2', removes)], now);
    if (first === undefined || second === undefined) throw new Error('there are changes');
    expect(await approve(store(), [first, first])).toBe(1);
    expect(await openOf(store())).toHaveLength(2);
    expect(await approve(store(), [second], { sync: 'others' })).toBe(1);
    expect(await openOf(store())).toHaveLength(2);
    expect(await approve(store(), [second])).toBe(1);
    expect(await statesOf('run_1')).toEqual(['approved', 'open']);
  });

  it('says decided of a hold of which a part was approved and the rest rejected', async () => {
    const [first, second] = await heldRun('run_1', ['E1', 'E2']);
    if (first === undefined || second === undefined) throw new Error('there are changes');
    await approve(store(), [first]);
    expect(await countsAt()).toEqual([1, { disables: 1 }]);
    await reject(store(), [second]);
    expect(await statesOf('run_1')).toEqual(['decided']);
    await reject(store(), [first]);
    expect(await statesOf('run_1')).toEqual(['rejected']);
    await approve(store(), [first]);
    await approve(store(), [first, second], { reopens: true });
    expect(await statesOf('run_1')).toEqual(['approved']);
  });

  it('is the same hold in pieces: renewed, counted with others, decided when its last change is', async () => {
    const names = Array.from({ length: 2600 }, (_, i) => `E${String(i).padStart(5, '0')}`);
    const changes = await heldRun('run_1', names);
    expect((await collect(store().holds.hashes('hold of run_1'))).flat()).toHaveLength(names.length);
    await heldRun('run_2', names, now + hourMs);
    expect(await store().holds.ofRun('run_2')).toMatchObject([{ id: 'hold of run_1', size: names.length }]);
    await heldRun('run_3', [...names.slice(2000), 'E9'], now + hourMs);
    expect(await countsAt()).toEqual([2601, { disables: 2601 }]);
    await approve(store(), changes.slice(0, -1));
    expect(await countsAt()).toEqual([2, { disables: 2 }]);
    expect(await statesOf('run_1')).toEqual(['open']);
    await reject(store(), changes.slice(-1));
    expect(await statesOf('run_1')).toEqual(['decided']);
  });
}
