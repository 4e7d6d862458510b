import { expect, it } from 'vitest';
import { safeguardsOf } from '../../src/core/guard/loosened.ts';
import type { Configuration } from '../../src/core/plan/configuration.ts';
import type { ChangeState } from '../../src/core/run/run.ts';
import { defaultGuards } from '../../src/core/run/settings.ts';
import type { AuditEntry, OwnedRun, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { endRun, openRun, sampleChange, writePlan } from './store-samples.ts';

const configuration = (fingerprint: string, scope = fingerprint): Configuration & { readonly at: number } => ({
  fingerprint,
  settings: { scope, policy: 'sync' } as Configuration['settings'],
  elsewhere: { connection: 'c', source: 's', dialect: 'd' },
  at: now,
});

export function describeBaselines(store: () => Store): void {
  const ofEdit = { classes: ['updates', 'configuration'] } as const;
  const measured = ({ run: { id } }: OwnedRun, over = {}) => {
    return { ...configuration('edited'), run: id, isOpen: false, isHeld: false, ...over };
  };

  it('a sync has none before its first accepted read, then the one that was accepted last', async () => {
    const { baselines } = store();
    expect(await baselines.read('people')).toEqual({ accepted: undefined, measured: undefined });
    const owned = await openRun(store(), { id: 'run_1' });
    await baselines.accept(owned, configuration('first'));
    await baselines.accept(owned, configuration('second'));
    expect((await baselines.read('people')).accepted).toMatchObject(configuration('second'));
    expect(await baselines.read('others')).toMatchObject({ accepted: undefined });
  });

  it.each<{ state: ChangeState; isOpen?: boolean; advances: boolean }>([
    { state: 'applied', advances: true },
    { state: 'unverified', advances: true },
    { state: 'exported', advances: true },
    { state: 'applied', isOpen: true, advances: false },
    { state: 'held', advances: false },
    { state: 'dropped', advances: false },
    { state: 'failed', advances: false },
    { state: 'unresolved', advances: false },
  ])('advances to the edit that a run measured: $advances when its change is $state', async (one) => {
    const { baselines, plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await baselines.accept(owned, configuration('first'));
    await writePlan(store(), { id: 'run_1', owned }, [sampleChange('eva', 'update', ofEdit), 'ida']);
    await plans.setStates(owned, [{ identification: 'eva', state: one.state }]);
    await baselines.measure(owned, measured(owned, { isOpen: one.isOpen === true }));
    await baselines.advance(owned);
    const { accepted, measured: left } = await baselines.read('people');
    expect([accepted?.fingerprint, left?.fingerprint]).toEqual(
      one.advances ? ['edited', undefined] : ['first', 'edited'],
    );
  });

  it('of several processes that replace the safeguards of a sync at once, one does, with its entry', async () => {
    const { baselines, audit } = store();
    const one = (digest: string) => {
      const safeguards = safeguardsOf({ guards: defaultGuards, protected: [digest] }, undefined);
      return { sync: 'people', digest, safeguards, at: now };
    };
    const entry = (id: string): AuditEntry => ({
      ...{ id, at: now, by: 'configuration', action: 'loosen-safeguards', sync: 'people' },
      ...{ connection: undefined, run: undefined, detail: 'guards.disables: 5 % → 50 %' },
    });
    expect(await baselines.safeguards()).toEqual(new Map());
    expect(await baselines.replaceSafeguards(undefined, one('a'), undefined)).toBe(true);
    const both = ['audit_1', 'audit_2'].map((id) => baselines.replaceSafeguards('a', one('b'), entry(id)));
    expect((await Promise.all(both)).toSorted()).toEqual([false, true]);
    expect(await baselines.safeguards()).toEqual(new Map([['people', one('b')]]));
    expect(await audit.list({ limit: 9 })).toHaveLength(1);
    expect(await baselines.read('people')).toEqual({ accepted: undefined, measured: undefined });
  });

  it('does not advance to what another run measured', async () => {
    const { baselines } = store();
    const first = await openRun(store(), { id: 'run_1' });
    await baselines.accept(first, configuration('first'));
    await baselines.measure(first, measured(first, { isHeld: true }));
    await endRun(store(), first);
    const second = await openRun(store(), { id: 'run_2' });
    await baselines.advance(second);
    const found = await baselines.read('people');
    expect(found).toMatchObject({ accepted: { fingerprint: 'first' }, measured: { run: 'run_1', isHeld: true } });
  });

  it('returns the last applied change of each person, with the configuration of its plan', async () => {
    const { baselines, plans } = store();
    for (const [i, made] of ['old', 'new'].entries()) {
      const id = `run_${i}`;
      const owned = await openRun(store(), { id });
      await plans.begin(owned, { id, sync: 'people', run: id, madeAt: now, configuration: made });
      await plans.add(owned, id, [sampleChange('eva', 'update', ofEdit), sampleChange('ida')]);
      await plans.seal(owned, id, 'a'.repeat(64));
      await plans.setStates(owned, [{ identification: 'eva', state: 'applied', appliedAt: now + i }]);
      await endRun(store(), owned);
    }
    const { before, classes } = sampleChange('eva', 'update', ofEdit);
    expect(await baselines.lastWrites('acme', ['eva', 'ida'])).toEqual(
      new Map([['eva', { kind: 'update', before, classes, configuration: 'new' }]]),
    );
  });

  it('replaces held changes that no one approved', async () => {
    const { plans } = store();
    await plans.begin(undefined, { id: 'plan_1', sync: 'people', run: undefined, madeAt: now });
    await plans.add(undefined, 'plan_1', [
      sampleChange('eva', 'create', { classes: ['creates', 'configuration'] }),
      sampleChange('ida'),
    ]);
    await plans.hold(undefined, 'plan_1', ['configuration'], 'this edit changes 11 people');
    const others = ['eva', 'ida'].map((name) => sampleChange(name, 'create', { after: { area: 'Earlier' } }));
    expect(await plans.replaceHeld(undefined, 'plan_1', others)).toBe(1);
    expect(await plans.page('plan_1', { limit: 9 })).toMatchObject([
      { identification: 'eva', state: 'planned', after: { area: 'Earlier' }, classes: ['creates'] },
      { identification: 'ida', after: { area: 'After' } },
    ]);
  });
}
