import { expect, onTestFinished, test } from 'vitest';
import { approveDigest, giveVerdict, previewVerdict } from '../../src/app/approve.ts';
import { noPlan, type PlanFacts } from '../../src/core/run/facts.ts';
import type { OwnedRun, Run } from '../../src/ports/store.ts';
import type { EngineIo, Sync } from '../../src/run/engine-io.ts';
import { openStore } from '../../src/store/index.ts';
import { hourMs, openRun, writePlan } from '../contracts/store-samples.ts';
import { plainSettings } from '../run/plain-settings.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { holdCrowd, idOfPerson } from '../support/held-crowd.ts';
import { memoryLogger } from '../support/memory-logger.ts';

const crowd = Array.from({ length: 5 }, (_, i) => idOfPerson(i));
const [first = '', second = '', ...others] = crowd;

/** A store in memory with a run that holds five disables. */
async function openHeld(found: Partial<PlanFacts> = {}) {
  const store = await openStore('sqlite::memory:', { folder: '.', seals: [] });
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  let ids = 0;
  const io: EngineIo = {
    store,
    clock,
    syncs: new Map([['people', { settings: plainSettings } as Sync]]),
    logger: memoryLogger(),
    newId: (prefix) => `${prefix}_${++ids}`,
    retention: { runs: 0, audit: 0, ledgerOfGone: 0 },
    openSpool: () => {
      throw new Error('a verdict reads no source');
    },
    checkpoint: () => {},
    progress: () => {},
    countRequests: (_, work) => work(),
  };
  const { run: id } = await holdCrowd(store, crowd.length, clock.now());
  const read = async (): Promise<Run> => {
    const run = await store.runs.get(id);
    if (run === undefined) throw new Error('the run is gone');
    return run;
  };
  const lease = await store.leases.take(`run:${id}`, 'this test', hourMs, clock.now());
  if (lease === undefined) throw new Error('the lease is taken');
  const owned: OwnedRun = { run: await read(), lease };
  await store.runs.update(owned, { plan: { ...noPlan, ...found } });
  await store.reads.put(owned, {
    ...{ sync: 'people', run: id, at: clock.now(), rows: 5, stamp: 's', fillRates: {} },
    isAccepted: found.isReadDoubted !== true,
  });
  /** A later run whose plan has the same changes, and uses the approvals of them. */
  const deliver = async (): Promise<void> => {
    const later = await openRun(store, { id: 'run_later', now: clock.now() });
    const changes = await store.plans.page(id, { limit: 100 });
    await writePlan(store, { id: 'run_later', owned: later }, changes, 'b');
    await store.plans.applyApprovals(later, 'run_later', 'people', clock.now());
  };
  const statesOf = async () =>
    Object.fromEntries(
      await Promise.all(crowd.map(async (name) => [name, (await store.decisions.of('people', name))[0]?.state])),
    );
  return { store, clock, io, run: await read(), deliver, statesOf };
}

const refusal = async (verdict: Promise<unknown>): Promise<string> =>
  verdict.then(
    () => 'not refused',
    (error: Error) => error.message,
  );

test('an approval of a part does not accept the read, and an approval of everything does', async () => {
  const { store, io, run } = await openHeld({ isReadDoubted: true });
  await giveVerdict(run, { action: 'approve', by: 'ops', ids: [first] }, io);
  await giveVerdict(run, { action: 'approve', by: 'ops', except: [second] }, io);
  expect(await store.reads.last('people')).toBeUndefined();
  await giveVerdict(run, { action: 'approve', by: 'ops' }, io);
  expect(await store.reads.last('people')).toMatchObject({ run: run.id });
});

test.each([
  ['approval', 'approve'],
  ['rejection', 'reject'],
] as const)('the people whom an %s leaves out need a decision of their own', async (_, action) => {
  const { store, io, run } = await openHeld();
  expect(await giveVerdict(run, { action, by: 'ops', ids: [first, second] }, io)).toMatchObject({ changes: 2 });
  for (const name of others) {
    expect(await store.decisions.of('people', name)).toMatchObject([{ state: 'open', by: 'ops' }]);
  }
});

test('a plan is approved by its digest for 24 hours, and not later, and no other one', async () => {
  const digest = 'c'.repeat(64);
  const early = await openHeld();
  early.clock.jumpTo(early.clock.now() + 24 * hourMs - 1);
  expect(await approveDigest('people', digest, { by: 'ops' }, early.io)).toEqual({
    changes: 5,
    rejected: 0,
    pending: 0,
  });
  const late = await openHeld();
  late.clock.jumpTo(late.clock.now() + 24 * hourMs);
  expect(await refusal(approveDigest('people', digest, { by: 'ops' }, late.io))).toContain('older than 24 h');
  const unknown = approveDigest('people', 'f'.repeat(64), { by: 'ops' }, late.io);
  expect(await refusal(unknown)).toContain('no plan of people has the digest');
});

test('an approval of a digest leaves what an operator rejected since', async () => {
  const { io, run, statesOf } = await openHeld();
  await giveVerdict(run, { action: 'reject', by: 'ana', ids: [first] }, io);
  expect(await approveDigest('people', 'c'.repeat(64), { by: 'ops' }, io)).toEqual({
    changes: 4,
    rejected: 1,
    pending: 0,
  });
  expect(await statesOf()).toMatchObject({ [first]: 'rejected', [second]: 'approved' });
});

test('a rejection takes back the approvals that no run has used', async () => {
  const { io, run, statesOf } = await openHeld();
  await giveVerdict(run, { action: 'approve', by: 'ops', ids: [first, second] }, io);
  expect(await giveVerdict(run, { action: 'reject', by: 'ana' }, io)).toMatchObject({ changes: 5 });
  expect(new Set(Object.values(await statesOf()))).toEqual(new Set(['rejected']));
});

test('a run is approved once; the second time is refused with what to do instead', async () => {
  const { io, run, deliver } = await openHeld();
  await giveVerdict(run, { action: 'approve', by: 'ops' }, io);
  await deliver();
  const again = await refusal(giveVerdict(run, { action: 'approve', by: 'ops' }, io));
  expect(again).toContain('are already approved, and an approval counts once');
  expect(again).toContain('rollcall runs people');
});

test('a rejection does not touch approvals that a run has used', async () => {
  const { io, run, deliver, statesOf } = await openHeld();
  await giveVerdict(run, { action: 'approve', by: 'ops', ids: [first, second] }, io);
  await deliver();
  expect(await giveVerdict(run, { action: 'reject', by: 'ana' }, io)).toMatchObject({ changes: 3 });
  expect(await statesOf()).toMatchObject({ [first]: 'approved', [second]: 'approved' });
});

test('a refusal because of a rejection suggests a command about the selected people only', async () => {
  const { io, run, statesOf } = await openHeld();
  await giveVerdict(run, { action: 'reject', by: 'Bea', ids: [first], reason: 'on leave' }, io);
  const order = { ids: [first] };
  for (const refused of [
    giveVerdict(run, { action: 'approve', by: 'ops', ...order }, io),
    previewVerdict({ engine: io }, 'approve', run.id, { ...order, limit: 1 }),
  ]) {
    const message = await refusal(refused);
    expect(message).toContain(`Bea rejected 1 change that run ${run.id} held (on leave)`);
    expect(message).toContain(`"rollcall approve ${run.id} --user ${first} --reopen"`);
  }
  expect(await giveVerdict(run, { action: 'approve', by: 'ops', ...order, reopens: true }, io)).toMatchObject({
    changes: 1,
    reopened: 1,
  });
  expect(await statesOf()).toMatchObject({ [first]: 'approved', [second]: 'open' });
});

test('a suggested command names no person when the whole run was rejected', async () => {
  const { io, run } = await openHeld();
  await giveVerdict(run, { action: 'reject', by: 'Bea' }, io);
  expect(await refusal(giveVerdict(run, { action: 'approve', by: 'ops' }, io))).toContain(
    `"rollcall approve ${run.id} --reopen"`,
  );
  expect(await refusal(giveVerdict(run, { action: 'reject', by: 'ana' }, io))).toContain(
    'so there is nothing to reject',
  );
});
