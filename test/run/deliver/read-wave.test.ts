import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/ports/store.ts';
import { isProofDue, readPlanned, readWave } from '../../../src/run/deliver/wave.ts';
import { sampleBatch, sampleChange } from '../../contracts/store-samples.ts';
import { openScene, settle } from '../run-in-store.ts';

const plain = (name: string) => sampleChange(name, 'disable');

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

  it('are proven when the run is canceled, or settle.proofWithin after the oldest one ended and the last proof', async () => {
    const scene = await openScene({ changes: ['ana', 'ben', 'eva'].map(plain), batches: [['ana'], ['ben'], ['eva']] });
    const now = scene.clock.now();
    const run = await scene.run();
    const [first, second] = await scene.batches();
    const { planned } = await readWave((await scene.context()).owned, scene.io);
    const due = (endedAgo: number, over: Partial<typeof run> = {}): boolean => {
      const done = { state: 'sent', final: 'done' } as const;
      const unproven = [{ ...first, finalAt: now - endedAgo } as Batch, { ...second, finalAt: now } as Batch];
      const sent = unproven.map((batch) => ({ ...batch, ...done }));
      return isProofDue({ ...run, ...over }, scene.sync, { out: undefined, unproven: sent, planned }, scene.io);
    };
    const { proofWithinMs } = settle;
    expect([due(proofWithinMs - 1), due(proofWithinMs)]).toEqual([false, true]);
    const proved = (ago: number) => ({ facts: { provedAt: now - ago } });
    expect([due(proofWithinMs, proved(proofWithinMs - 1)), due(proofWithinMs, proved(proofWithinMs))]).toEqual([
      false,
      true,
    ]);
    expect(due(0, { isCancelRequested: true })).toBe(true);
  });
});
