import { endOf, isFilePending, isUnproven, nextBatch, whyProve } from '../../core/run/waves.ts';
import type { Batch, OwnedRun, Run } from '../../ports/store.ts';
import { ageOn } from '../clock-span.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { whyStopped } from './plan-age.ts';

/** Where the batches of a run are. A wave is what was sent since the last proof. */
export type Wave = Awaited<ReturnType<typeof readWave>>;

/** Reads where the batches of a run are. */
export async function readWave({ run }: OwnedRun, { store }: EngineIo) {
  const { open, planned } = await store.batches.wave(run.id);
  const sent = open.filter(isUnproven);
  return {
    /** The batch that is being sent, or whose file has no final status. */
    out: open.find((batch) => batch.state === 'sending' || (isUnproven(batch) && isFilePending(batch))),
    /** Batches whose delivery has ended and whose users were not read back yet. */
    unproven: sent.filter((batch) => !isFilePending(batch)),
    /** The first batch that was not sent, and all parts of other batches that were not sent, in order of number. */
    planned,
  };
}

/** Returns whether the run has delivered all its batches. */
export function isAllProven({ out, unproven, planned }: Wave): boolean {
  return out === undefined && unproven.length + planned.length === 0;
}

/** Reads all batches that were not sent, in order of number. */
export function readPlanned({ run }: OwnedRun, { store }: EngineIo): Promise<readonly Batch[]> {
  return store.batches.ofRun(run.id, { states: ['planned'] });
}

/** Returns whether the wave is proven before anything more is sent. `run`: as it is stored now. */
export function isProofDue(run: Run, { settings }: Sync, wave: Wave, { clock }: Pick<EngineIo, 'clock'>): boolean {
  const { unproven, planned } = wave;
  const { probe, provedAt = 0 } = run.delivery ?? {};
  const oldest = Math.min(...unproven.map(endOf));
  const reason = whyProve({
    unproven,
    planned,
    next: nextBatch(planned, probe),
    probe,
    isStopped: whyStopped(run, clock) !== undefined,
    sinceMs: ageOn(clock, Math.max(oldest, provedAt)),
    proofWithinMs: settings.settle.proofWithinMs,
  });
  return reason !== undefined;
}
