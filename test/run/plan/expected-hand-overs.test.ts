import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Threshold } from '../../../src/core/run/settings.ts';
import type { DecisionRecord } from '../../../src/ports/store.ts';
import { addExcessHandOvers, isDecidedByOperator } from '../../../src/run/compare/expected-hand-overs.ts';
import { showPlan } from '../../../src/run/recorder.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { guards, openPlanScene } from '../plan-scene.ts';

const now = 1000;

describe('the decision of an operator about a change', () => {
  const change = sampleChange('ana', 'disable');
  const approved = { hash: change.hash, by: 'ops', state: 'approved', expiresAt: now + 1 } as const;
  const rejected = { hash: change.hash, by: 'ops', state: 'rejected' } as const;
  const about = (over: object) => over as DecisionRecord;

  it.each<{ name: string; known: readonly DecisionRecord[]; isDecided: boolean }>([
    { name: 'where there is none', known: [], isDecided: false },
    { name: 'is an approval', known: [about(approved)], isDecided: true },
    { name: 'is not a hold that waits', known: [about({ hash: change.hash, state: 'open' })], isDecided: false },
    { name: 'is not one that has ended', known: [about({ ...rejected, endedAt: 1 })], isDecided: false },
    { name: 'is not one about another change', known: [about({ ...rejected, hash: 'other' })], isDecided: false },
    { name: 'is an approval that no run took', known: [about({ ...approved, run: undefined })], isDecided: true },
    { name: 'is no approval that a run took', known: [about({ ...approved, run: 'run_1' })], isDecided: false },
    { name: 'is no approval that has expired', known: [about({ ...approved, expiresAt: now })], isDecided: false },
    { name: 'is no approval without an end', known: [about({ ...approved, expiresAt: undefined })], isDecided: false },
  ])('$name: $isDecided', ({ known, isDecided }) => {
    expect(isDecidedByOperator(change, known, now)).toBe(isDecided);
  });

  it('is also what a standing decision made of it', () => {
    expect(isDecidedByOperator({ ...change, verdict: { state: 'dropped', reason: 'no' } }, [], now)).toBe(true);
  });
});

describe('expected hand-overs', () => {
  /** Stores the hand-overs of so many users, in reversed order, and returns whom the plan then has. */
  async function added(count: number, handOvers: Threshold, enabled = 100): Promise<readonly string[]> {
    const { store, sync, io } = await openPlanScene({ records: [], settings: guards({ handOvers }) });
    const spool = openFileSpool(tmpdir());
    onTestFinished(() => spool.close());
    const recorder = showPlan('plan_1', sync, io);
    await recorder.begin();
    const places = Array.from({ length: count }, (_, i) => {
      return spool.append(JSON.stringify(sampleChange(`u${1000 + count - i}`, 'disable')));
    });
    await addExcessHandOvers({ recorder, spool, sync }, { places }, { managed: 200, enabled });
    return (await store.plans.page('plan_1', { limit: 2000 })).map(({ identification }) => identification);
  }

  const none = { absolute: 0, percent: 0, cap: undefined };

  it.each([
    { count: 0, limit: none, names: [] },
    { count: 2, limit: { ...none, absolute: 2 }, names: [] },
    { count: 3, limit: { ...none, absolute: 2 }, names: ['u1001', 'u1002', 'u1003'] },
    { count: 1, limit: { ...none, percent: 1 }, names: [] },
    { count: 2, limit: { ...none, percent: 1 }, names: ['u1001', 'u1002'] },
  ])('of $count users with the limit $limit enter the plan as $names', async ({ count, limit, names }) => {
    expect(await added(count, limit)).toEqual(names);
  });

  it('enter the plan all together, however many they are', async () => {
    const names = await added(501, none);
    expect([names.length, names[0], names.at(-1)]).toEqual([501, 'u1001', 'u1501']);
  });
});
