import { expect, it } from 'vitest';
import type { Sync } from '../../src/run/engine-io.ts';
import { explainWith, type Recorder, recordRun, showPlan, type Watcher } from '../../src/run/recorder.ts';

const users = [{ identification: 'ana' }, { identification: 'eva' }] as never;
const sync = (delivery = 'csv') =>
  ({ settings: { name: 'people', delivery }, configuration: { fingerprint: 'f1', keys: 1 } }) as unknown as Sync;
const owned = { run: { id: 'run_1', startedAt: 3 }, lease: 1 };

/** A store that notes each call, and answers with the number 2. */
function openCalls() {
  const calls: unknown[] = [];
  const part = (name: string) =>
    new Proxy(
      {},
      {
        get:
          (_, call) =>
          async (...given: unknown[]) =>
            Math.min(2, 2 * calls.push([`${name}.${String(call)}`, ...given])),
      },
    );
  const parts = ['plans', 'ledger', 'reads', 'baselines'].map((name) => [name, part(name)]);
  const io = {
    store: Object.fromEntries(parts),
    clock: { now: () => 7 },
    checkpoint: (at: string) => calls.push([at]),
  };
  return { calls, io: io as never };
}

/** Tells the recorder everything that the steps of a plan tell, and returns what it answers. */
async function tellAll(recorder: Recorder): Promise<readonly unknown[]> {
  const holds = [
    { class: 'creates', reason: 'many' },
    { class: 'updates', reason: 'more' },
  ] as never;
  await recorder.begin();
  await recorder.changes([{ hash: 'h' }] as never);
  const taken = await recorder.takeOver(users);
  await recorder.ledger(users);
  await recorder.ledger([]);
  await recorder.applyApprovals();
  const held = await recorder.hold({ holds, fields: [{ field: 'area', reason: 'empty' }] as never });
  const some = await recorder.holdSome({ names: ['ana'], class: 'disables' }, 'why');
  await recorder.setAside(['ana'], { state: 'dropped', reason: 'why' });
  const replaced = await recorder.replaceHeld([]);
  await recorder.configuration({ kind: 'accepted' });
  await recorder.configuration({ kind: 'measured', isOpen: true, isHeld: false });
  await recorder.read({ at: 5 } as never, {} as never, undefined);
  await recorder.seal('d1');
  return [taken, held, some, replaced];
}

const plans = (under: unknown, id: string, run?: string) => [
  ['plans.begin', under, { id, sync: 'people', run, madeAt: 7, configuration: 'f1' }],
  ['plans.add', under, id, [{ hash: 'h' }]],
  ['plans.applyApprovals', under, id, 'people', 7],
  ['plans.hold', under, id, ['creates'], 'many'],
  ['plans.hold', under, id, ['updates'], 'more'],
  ['plans.holdFields', under, id, ['area'], 'empty'],
  ['plans.holdSome', under, id, { names: ['ana'], class: 'disables' }, 'why'],
  ['plans.setAside', under, id, ['ana'], { state: 'dropped', reason: 'why' }],
  ['plans.replaceHeld', under, id, []],
];

it.each(['csv', 'outbox'])('the plan of a run is stored under its lease, with what it found (%s)', async (delivery) => {
  const { calls, io } = openCalls();
  const recorder = recordRun({ owned, sync: sync(delivery) } as never, io);
  expect(await tellAll(recorder)).toEqual([2, [2, 2], 2, 2]);
  const ledger = delivery === 'outbox' ? [] : [['ledger.put', owned, users]];
  const [begin, add, ...others] = plans(owned, 'run_1', 'run_1');
  expect(calls).toEqual([
    ...[begin, add, ['ledger.takeOver', owned, users, 7], ['ledger-written'], ...ledger, ...others],
    ['baselines.accept', owned, { fingerprint: 'f1', keys: 1, at: 7 }],
    ['baselines.measure', owned, { fingerprint: 'f1', keys: 1, at: 7, run: 'run_1', isOpen: true, isHeld: false }],
    ['reads.put', owned, { at: 5, sync: 'people', run: 'run_1', isAccepted: false }],
  ]);
  expect([recorder.planId, recorder.startedAt, recorder.attemptedSince]).toEqual(['run_1', 3, 3]);
});

it('a plan that is only shown stores its changes alone, and counts users as taken over', async () => {
  const { calls, io } = openCalls();
  const recorder = showPlan('shown_1', sync(), io);
  expect(await tellAll(recorder)).toEqual([new Set(['ana', 'eva']), [2, 2], 2, 2]);
  expect(calls).toEqual([...plans(undefined, 'shown_1'), ['plans.seal', undefined, 'shown_1', 'd1']]);
  expect([recorder.startedAt, recorder.attemptedSince]).toEqual([7, Number.POSITIVE_INFINITY]);
});

it('the explanation of a person stores nothing, and tells its watcher the changes', async () => {
  const { calls, io } = openCalls();
  const told: unknown[] = [];
  const recorder = explainWith({ changes: (changes: unknown) => told.push(changes) } as unknown as Watcher, sync(), io);
  expect(await tellAll(recorder)).toEqual([new Set(['ana', 'eva']), [0, 0], 0, 0]);
  expect([calls, told, recorder.planId]).toEqual([[], [[{ hash: 'h' }]], '']);
});
