import { describe, expect, it } from 'vitest';
import type { Batch, RunFacts } from '../../../src/ports/store.ts';
import {
  endOf,
  isFilePending,
  isProofDue,
  mayBeProcessing,
  nextBatch,
  readPlanned,
  readWave,
} from '../../../src/run/deliver/wave.ts';
import { sampleBatch, sampleChange } from '../../contracts/store-samples.ts';
import { openScene, type Scene, settle } from '../run-in-store.ts';

const plain = (name: string) => sampleChange(name, name.startsWith('d') ? 'disable' : 'update');
const waiting = (name: string) => sampleChange(name, 'update', { after: { email: 'x@x.com' }, waitsFor: 'zoe' });

/** Batches by the first letters of their users: `w` waits for another user's e-mail, `d` is disabled. */
async function openBatches(names: readonly string[], facts: RunFacts = {}): Promise<{ scene: Scene; all: Batch[] }> {
  const users = names.flatMap((name) => name.split(' '));
  const changes = users.map((name) => (name.startsWith('w') ? waiting(name) : plain(name)));
  const scene = await openScene({ changes, batches: names.map((name) => name.split(' ')), facts });
  return { scene, all: [...(await scene.batches())] };
}

const batchWith = (batch: Batch | undefined, over: Partial<Batch>): Batch => ({ ...(batch as Batch), ...over });

describe('the batches of a run', () => {
  it('are the one that is out, those to prove, and those to send, in order of number', async () => {
    const scene = await openScene({
      changes: ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8'].map(plain),
      batches: [],
    });
    const { owned } = await scene.context();
    const batches: Partial<Batch>[] = [
      { state: 'settled' },
      { state: 'unresolved' },
      { state: 'sent', fileId: 'f', final: 'done' },
      { state: 'unresolved', finalAt: 1 },
      { state: 'planned' },
      { state: 'planned' },
      { state: 'sent', fileId: 'g' },
      { state: 'planned', parent: 'run_1_b1' },
    ];
    for (const [i, over] of batches.toReversed().entries()) {
      const number = batches.length - i;
      const batch = sampleBatch(owned, number, over);
      await scene.store.batches.create(owned, [
        { batch, identifications: over.parent === undefined ? [`a${number}`] : [] },
      ]);
    }
    const wave = await readWave(owned, scene.io);
    expect(wave.out?.number).toBe(7);
    expect(wave.unproven.map(({ number }) => number)).toEqual([2, 3]);
    expect(wave.planned.map(({ number }) => number)).toEqual([5, 8]);
    expect((await readPlanned(owned, scene.io)).map(({ number }) => number)).toEqual([5, 6, 8]);
  });

  it('that is being sent is out, also before it has a file', async () => {
    const scene = await openScene({ changes: [plain('a1')], batches: [] });
    const { owned } = await scene.context();
    const batch = sampleBatch(owned, 1, { state: 'sending' });
    await scene.store.batches.create(owned, [{ batch, identifications: ['a1'] }]);
    expect(await readWave(owned, scene.io)).toMatchObject({ out: { number: 1 }, unproven: [], planned: [] });
  });

  it.each<{ over: Partial<Batch>; isPending: boolean }>([
    { over: {}, isPending: false },
    { over: { fileId: 'f' }, isPending: true },
    { over: { fileId: 'f', final: 'failed' }, isPending: false },
    { over: { final: 'no-status' }, isPending: false },
  ])('with $over wait for a final status: $isPending', async ({ over, isPending }) => {
    const { all } = await openBatches(['ana']);
    expect(isFilePending(batchWith(all[0], over))).toBe(isPending);
  });

  it('end when the platform says so, else when they were sent', async () => {
    const { all } = await openBatches(['ana']);
    expect(endOf(batchWith(all[0], { finalAt: 7, sentAt: 3 }))).toBe(7);
    expect(endOf(batchWith(all[0], { sentAt: 3 }))).toBe(3);
    expect(endOf(batchWith(all[0], {}))).toBe(0);
  });

  it.each<{ overs: readonly Partial<Batch>[]; may: boolean; isOut?: boolean }>([
    { overs: [], may: false },
    { overs: [], isOut: true, may: true },
    { overs: [{ state: 'sent', final: 'done' }], may: false },
    { overs: [{ state: 'unresolved' }], may: true },
    { overs: [{ state: 'sent', final: 'no-status' }], may: true },
    { overs: [{ state: 'sent', final: 'done' }, { state: 'unresolved' }], may: true },
  ])('$overs, and one out: $isOut, may be processed now: $may', async ({ overs, may, isOut = false }) => {
    const { all } = await openBatches(['ana']);
    const unproven = overs.map((over) => batchWith(all[0], over));
    expect(mayBeProcessing({ out: isOut ? all[0] : undefined, unproven, planned: [] })).toBe(may);
  });
});

describe('the next batch', () => {
  it.each<{
    name: string;
    batches: readonly string[];
    parts?: readonly number[];
    probe?: string;
    next: number | undefined;
  }>([
    { name: 'none, where none is planned', batches: [], next: undefined },
    { name: 'the first one', batches: ['ana', 'ben'], next: 1 },
    { name: 'the first one, though it depends on others', batches: ['wim', 'ben'], next: 1 },
    { name: 'the first one, before a part of another', batches: ['ana', 'ben'], parts: [2], next: 1 },
    { name: 'the part that disables, before all others', batches: ['ana', 'ben', 'dan'], parts: [2, 3], next: 3 },
    { name: 'a part, before one that depends on others', batches: ['wim', 'ana', 'ben'], parts: [3], next: 3 },
    { name: 'the first part, of two', batches: ['wim', 'ana', 'ben'], parts: [2, 3], next: 2 },
    { name: 'the part that does not depend on others', batches: ['wim', 'wes', 'ben'], parts: [2, 3], next: 3 },
    { name: 'the first one, where each part depends on others', batches: ['wim', 'wes'], parts: [2], next: 1 },
    { name: 'the probe, before all others', batches: ['ana', 'ben'], probe: 'run_1_b00002', next: 2 },
    { name: 'the first one, where the probe was sent', batches: ['ana', 'ben'], probe: 'run_1_b00009', next: 1 },
  ])('is $name', async ({ batches, parts = [], probe, next }) => {
    const { scene, all } = await openBatches(batches);
    const planned = all.map((batch) => (parts.includes(batch.number) ? batchWith(batch, { parent: 'b0' }) : batch));
    const facts: RunFacts = probe === undefined ? {} : { probe };
    expect((await nextBatch({ facts }, planned, scene.io))?.number).toBe(next);
  });
});

describe('a proof before more is sent', () => {
  const done: Partial<Batch> = { state: 'sent', final: 'done' };

  /** The first batches are sent, as given, and the last one is planned. */
  async function dueOf(
    names: readonly string[],
    sent: readonly Partial<Batch>[],
    { over = {}, facts = {} }: { readonly over?: Partial<Batch>; readonly facts?: RunFacts } = {},
  ): Promise<boolean> {
    const { scene, all } = await openBatches(names, facts);
    const unproven = sent.map((one, i) => batchWith(all[i], { finalAt: scene.clock.now(), ...one }));
    const planned = all.slice(sent.length).map((batch) => batchWith(batch, over));
    return isProofDue(await scene.context(), { out: undefined, unproven, planned }, scene.io);
  }

  it.each<{ name: string; batches: readonly string[]; sent: readonly Partial<Batch>[]; isDue: boolean }>([
    { name: 'where nothing was sent', batches: ['ana'], sent: [], isDue: false },
    { name: 'while more is to be sent', batches: ['ana', 'ben'], sent: [done], isDue: false },
    { name: 'where nothing more is to be sent', batches: ['ana'], sent: [done], isDue: true },
    { name: 'of a file without an answer', batches: ['ana', 'ben'], sent: [{ state: 'unresolved' }], isDue: true },
    {
      name: 'of a file without a status',
      batches: ['ana', 'ben'],
      sent: [{ ...done, final: 'no-status' }],
      isDue: true,
    },
    { name: 'of a file that failed', batches: ['ana', 'ben'], sent: [{ ...done, final: 'failed' }], isDue: true },
    { name: 'of a later file that failed', batches: ['a', 'b', 'c'], sent: [done, { final: 'failed' }], isDue: true },
    { name: 'where the next one depends on others', batches: ['ana', 'wim'], sent: [done], isDue: true },
    { name: 'where one user of the next one does', batches: ['ana', 'ben wim'], sent: [done], isDue: true },
  ])('is due $name: $isDue', async ({ batches, sent, isDue }) => {
    expect(await dueOf(batches, sent)).toBe(isDue);
  });

  it.each<{ first: string; next: readonly (string | undefined)[]; isDue: boolean }>([
    { first: 'b0', next: ['b0'], isDue: false },
    { first: 'b0', next: [undefined, 'b0'], isDue: false },
    { first: 'b0', next: ['b9'], isDue: true },
    { first: 'b0', next: [undefined], isDue: true },
  ])('waits for the other half of a failed file: half of $first, next of $next', async ({ first, next, isDue }) => {
    const { scene, all } = await openBatches(['ana', 'ben', 'eva']);
    const unproven = [batchWith(all[0], { ...done, final: 'failed', parent: first, finalAt: scene.clock.now() })];
    const planned = next.map((parent, i) => batchWith(all[i + 1], { parent }));
    expect(await isProofDue(await scene.context(), { out: undefined, unproven, planned }, scene.io)).toBe(isDue);
  });

  it('is due after the probe, and only that one', async () => {
    const facts: RunFacts = { probe: 'run_1_b00001' };
    expect(await dueOf(['ana', 'ben', 'eva'], [done, done], { facts })).toBe(true);
    expect(await dueOf(['ana', 'ben'], [done], { facts: { probe: 'run_1_b00009' } })).toBe(false);
  });

  it('is due before the last step of parked changes, not before their first one', async () => {
    const { scene, all } = await openBatches(['ana', 'ben'], {});
    const context = await scene.context();
    const parking = sampleBatch(context.owned, 9, { isParking: true });
    await scene.store.batches.create(context.owned, [{ batch: parking, identifications: [] }]);
    const unproven = [batchWith(all[0], { ...done, finalAt: scene.clock.now() })];
    const due = (over: Partial<Batch>) =>
      isProofDue(context, { out: undefined, unproven, planned: [batchWith(all[1], over)] }, scene.io);
    expect(await due({ parent: parking.id })).toBe(true);
    expect(await due({ parent: 'run_1_b00001' })).toBe(false);
    expect(await due({ parent: 'gone' })).toBe(false);
    const { scene: other, all: waits } = await openBatches(['ana', 'wim']);
    const wave = { out: undefined, unproven: [batchWith(waits[0], { ...done, finalAt: other.clock.now() })] };
    const first = batchWith(waits[1], { isParking: true });
    expect(await isProofDue(await other.context(), { ...wave, planned: [first] }, other.io)).toBe(false);
  });

  it.each([
    { endedAgo: settle.proofWithinMs - 1, provedAgo: undefined, isDue: false },
    { endedAgo: settle.proofWithinMs, provedAgo: undefined, isDue: true },
    { endedAgo: settle.proofWithinMs, provedAgo: settle.proofWithinMs - 1, isDue: false },
    { endedAgo: settle.proofWithinMs, provedAgo: settle.proofWithinMs, isDue: true },
  ])('$endedAgo ms after the end of the oldest batch, and $provedAgo after a proof: $isDue', async (given) => {
    const { scene, all } = await openBatches(['ana', 'ben', 'eva']);
    const { owned } = await scene.context();
    const now = scene.clock.now();
    const { facts } = await scene.run();
    const { provedAgo } = given;
    if (provedAgo !== undefined) {
      await scene.store.runs.update(owned, { facts: { ...facts, provedAt: now - provedAgo } });
    }
    const unproven = [given.endedAgo, 0].map((ago, i) => batchWith(all[i], { ...done, finalAt: now - ago }));
    const wave = { out: undefined, unproven, planned: all.slice(2) };
    expect(await isProofDue(await scene.context(), wave, scene.io)).toBe(given.isDue);
  });

  it('is due when the run is canceled', async () => {
    const { scene, all } = await openBatches(['ana', 'ben']);
    const context = await scene.context();
    const unproven = [batchWith(all[0], { ...done, finalAt: scene.clock.now() })];
    const wave = { out: undefined, unproven, planned: all.slice(1) };
    expect(await isProofDue(context, wave, scene.io)).toBe(false);
    await scene.store.runs.requestCancel('run_1');
    expect(await isProofDue(context, wave, scene.io)).toBe(true);
  });
});
