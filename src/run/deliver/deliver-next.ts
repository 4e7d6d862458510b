import type { Batch, Run } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { finishRun } from '../finish-run.ts';
import { type NextStep, toProving, toReading } from '../next-step.ts';
import { changesInBatch, marksFor } from '../seal/batches.ts';
import { isPlanTooOld } from './plan-age.ts';
import { sendBatch } from './send-batch.ts';
import { isProofDue, nextBatch, readWave } from './wave.ts';
import { whyStopped } from './why-stopped.ts';

/**
 * Sends the run's next batch. Before that, proves what was sent if a proof is due (see `isProofDue`). Finishes the run
 * when everything is proven and no batch is left, or nothing more may be sent.
 */
export async function deliverNext(context: RunContext, io: EngineIo): Promise<NextStep> {
  const { owned } = context;
  const wave = await readWave(owned, io);
  if (wave.out !== undefined) return resume(context, wave.out, io);
  if (await isProofDue(context, wave, io)) return toProving();
  const run = (await io.store.runs.get(owned.run.id)) ?? owned.run;
  const batch = await nextBatch(run, wave.planned, io);
  const stopped = whyStopped(run, io.clock);
  if (batch !== undefined && (await isOnlyOld(run, io))) return planAgain(context, io);
  if (batch === undefined || stopped !== undefined) return stop(context, run, stopped, io);
  return sendBatch({ ...context, owned: { ...owned, run } }, { batch, first: wave.planned[0] }, io);
}

/** Returns whether nothing of the run was sent, and only the age of its plan prevents that. */
async function isOnlyOld(run: Run, { clock, store }: EngineIo): Promise<boolean> {
  if (run.isCancelRequested || run.reason !== undefined || !isPlanTooOld(run, clock)) return false;
  return (await store.batches.ofRun(run.id)).every(({ sentAt }) => sentAt === undefined);
}

/** Reads and plans again, because the run waited too long for its turn or was interrupted. Waiting fails no run. */
function planAgain({ owned }: RunContext, io: EngineIo): NextStep {
  io.logger.info(
    { run: owned.run.id, sync: owned.run.sync },
    'the plan is a day old and nothing was sent, so the run plans again',
  );
  return toReading;
}

/** Finishes the run and stores why changes are left. Batches that were sent are proven first. */
async function stop(context: RunContext, run: Run, reason: string | undefined, io: EngineIo): Promise<NextStep> {
  if (reason !== undefined && !run.isCancelRequested && run.reason === undefined) {
    await io.store.runs.update(context.owned, { reason });
  }
  return finishRun(context, io);
}

/**
 * Continues with a batch that a killed worker left. In state `sending`, it is not known whether the platform received
 * it.
 */
async function resume(context: RunContext, batch: Batch, io: EngineIo): Promise<NextStep> {
  const { owned } = context;
  if (batch.state === 'sending') {
    const changes = await changesInBatch(batch, io);
    const sent = changes.filter(({ state }) => state === 'sent');
    const hasUnsent = changes.some(({ state }) => state === 'planned');
    if (batch.kind === 'direct' && hasUnsent && sent.length === 0) {
      await io.store.batches.update(owned, batch.id, { state: 'planned' });
      return { kind: 'next' };
    }
    const marks = marksFor(sent, 'unresolved', killedReason);
    await io.store.batches.update(owned, batch.id, { state: 'unresolved', reason: killedReason }, { marks });
  }
  return toProving();
}

const killedReason = 'the worker stopped before it knew whether the platform accepted the batch';
