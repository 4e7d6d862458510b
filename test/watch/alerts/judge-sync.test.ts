import { expect, onTestFinished, test } from 'vitest';
import { noPlan } from '../../../src/core/run/facts.ts';
import { noHolds } from '../../../src/ports/decisions.ts';
import type { Run, Store } from '../../../src/ports/store.ts';
import { openStore } from '../../../src/store/index.ts';
import { judgeHeld } from '../../../src/watch/alerts/judge-sync.ts';
import { sampleRun } from '../../cli/samples.ts';
import { endRun, openRun, renewHolds, sampleChange, sampleHold, writePlan } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';

const doubt = '29 of 30 rows have a status that is not in lifecycle; first at line 2';

async function emptyStore(): Promise<Store> {
  const store = await openStore('sqlite::memory:', { folder: '.' });
  onTestFinished(() => store.close());
  return store;
}

const doubted = { ...noPlan, isReadDoubted: true, doubt };
const held = async (run: Run, store: Store) => {
  const holds = (await store.holds.open(['people'], now)).get('people') ?? noHolds;
  return judgeHeld({ sync: { name: 'people' }, run, store, now, holds, isHeldKnown: true });
};

test.each(['held', 'partial'] as const)(
  'a run that ended %s with many people blocked is told with the likely cause',
  async (outcome) => {
    const store = await emptyStore();
    const run = sampleRun({ outcome, reason: `${doubt}: approve the run`, plan: doubted });

    expect(await held(run, store)).toMatchObject({
      topic: 'held',
      key: 'held read blocked',
      details: [doubt],
      action: expect.stringContaining(`rollcall approve ${run.id}`),
    });
  },
);

test('an accepted read ends it, and so does a run that only reports the cause', async () => {
  const store = await emptyStore();
  expect(await held(sampleRun({ outcome: 'nothing-to-do', plan: noPlan }), store)).toBe('well');
  expect(await held(sampleRun({ outcome: 'partial', plan: { ...noPlan, doubt } }), store)).toBe('well');
});

test('held changes and a doubted read are one problem that says both', async () => {
  const store = await emptyStore();
  const owned = await openRun(store, { id: 'run_1' });
  const change = sampleChange('ana', 'disable');
  await writePlan(store, { id: 'run_1', owned }, [change]);
  await store.plans.hold(owned, 'run_1', ['disables'], 'too many');
  await renewHolds(store, owned, [sampleHold(owned, 'hold_1', { reason: '1 disables, 5 allowed' })], now);
  await endRun(store, owned);
  const run = sampleRun({ id: 'run_1', outcome: 'held', plan: doubted });

  const problem = await held(run, store);
  expect(problem).toMatchObject({
    key: 'held disables,read',
    details: [doubt, '1 disables, 5 allowed', 'ana: disable'],
  });
});
