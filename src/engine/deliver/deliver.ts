import type { CallResult, Submission } from '../../ports/delivery.ts';
import type { JobOutcome } from '../../ports/job.ts';
import type { Batch, ChangeMark, PlannedChange, Run } from '../../ports/store.ts';
import { changesInBatch, marksFor } from '../batches.ts';
import { ageOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { releaseFileLease, renewAfterMs, takeFileLease, turnWaitMs } from '../file-lease.ts';
import { finishRun } from '../finish-run.ts';
import { keepRaw } from '../keep-raw.ts';
import { updateFacts } from '../update-facts.ts';
import { checkBeforeSending } from './check-before-sending.ts';
import { firstPollMs } from './file-pace.ts';
import { isLookupRecent, lookUpAhead } from './look-up-ahead.ts';
import { toProving } from './next-phase.ts';
import { isPlanTooOld } from './plan-age.ts';
import { judgeRefusedUpload, refusedStatus } from './refused-upload.ts';
import { isProofDue, nextBatch, readWave } from './wave.ts';
import { whyStopped } from './why-stopped.ts';

/**
 * Sends the run's next batch. Before that, proves what was sent if a proof is due (see `isProofDue`). Finishes the run
 * when everything is proven and no batch is left, or nothing more may be sent.
 */
export async function deliverNext(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  const { owned } = context;
  const wave = await readWave(owned, io);
  if (wave.out !== undefined) return resume(context, wave.out, io);
  if (await isProofDue(context, wave, io)) return toProving(context, io);
  const run = (await io.store.runs.get(owned.run.id)) ?? owned.run;
  const batch = await nextBatch(run, wave.planned, io);
  const stopped = whyStopped(run, io.clock);
  if (batch !== undefined && (await isOnlyOld(run, io))) return planAgain(context, io);
  if (batch === undefined || stopped !== undefined) return stop(context, stopped, io);
  return send({ ...context, owned: { ...owned, run } }, { batch, first: wave.planned[0] }, io);
}

/** Returns whether nothing of the run was sent, and only the age of its plan prevents that. */
async function isOnlyOld(run: Run, { clock, store }: EngineIo): Promise<boolean> {
  if (run.isCancelRequested || run.reason !== undefined || !isPlanTooOld(run, clock)) return false;
  return (await store.batches.ofRun(run.id)).every(({ sentAt }) => sentAt === undefined);
}

/** Reads and plans again, because the run waited too long for its turn or was interrupted. Waiting fails no run. */
async function planAgain({ owned }: RunContext, io: EngineIo): Promise<JobOutcome> {
  io.logger.info(
    { run: owned.run.id, sync: owned.run.sync },
    'the plan is a day old and nothing was sent, so the run plans again',
  );
  await io.store.runs.update(owned, { phase: 'reading' });
  return { kind: 'next' };
}

/** Finishes the run and stores why changes are left. Batches that were sent are proven first. */
async function stop(context: RunContext, reason: string | undefined, io: EngineIo): Promise<JobOutcome> {
  const { owned } = context;
  const run = await io.store.runs.get(owned.run.id);
  if (reason !== undefined && run?.isCancelRequested !== true && run?.reason === undefined) {
    await io.store.runs.update(owned, { reason });
  }
  return finishRun(context, io);
}

/**
 * Continues with a batch that a killed worker left. In state `sending`, it is not known whether the platform received
 * it.
 */
async function resume(context: RunContext, batch: Batch, io: EngineIo): Promise<JobOutcome> {
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
  return toProving(context, io);
}

const killedReason = 'the worker stopped before it knew whether the platform accepted the batch';

interface Sending {
  readonly batch: Batch;
  /** The first batch that was not sent. A part of a failed file may go before it. */
  readonly first: Batch | undefined;
}

async function send(context: RunContext, { batch, first }: Sending, io: EngineIo): Promise<JobOutcome> {
  const { owned, sync, signal } = context;
  const isFile = batch.kind === 'csv';
  const { everyMs, lookWithinMs } = sync.settings.settle;
  const begunAt = io.clock.now();
  if (isFile) {
    const { isTaken, ahead } = await takeFileLease(owned, io);
    if (!isTaken) {
      io.progress({ step: 'queued', ahead });
      return { kind: 'again', afterMs: turnWaitMs(everyMs, ahead) };
    }
  }
  const wasRecent = isLookupRecent(owned.run, lookWithinMs, io.clock);
  const isLookedAt = await lookUpAhead(context, first, io);
  const changes = await checkBeforeSending(context, { batch, isLookedAt }, io);
  if (changes.length === 0) {
    await io.store.batches.update(owned, batch.id, {
      state: 'settled',
      reason: 'no change of the batch had to be sent',
    });
    if (isFile) await releaseFileLease(owned, io);
    return { kind: 'next' };
  }
  // The lookups may have taken long. The next step says why the run stops, or looks again.
  const run = (await io.store.runs.get(owned.run.id)) ?? owned.run;
  if (whyStopped(run, io.clock) !== undefined) return { kind: 'next' };
  if (wasRecent && !isLookupRecent(run, lookWithinMs, io.clock)) return { kind: 'next' };
  if (isFile && io.clock.now() - begunAt >= renewAfterMs && !(await takeFileLease(owned, io)).isTaken)
    return { kind: 'next' };
  const batches = await io.store.batches.count(run.id);
  io.progress({ step: 'delivering', batch: batch.number, batches, changes: changes.length });
  const isWhole = batch.kind !== 'direct';
  const sent = isWhole ? marksFor(changes, 'sent') : [];
  await io.store.batches.update(owned, batch.id, { state: 'sending', sentAt: io.clock.now() }, { marks: sent });
  io.checkpoint('batch-sending');
  signal.throwIfAborted();

  let submission: Submission;
  try {
    const onResult = (identification: string, result: CallResult) => storeResult(context, identification, result, io);
    submission = await sync.deliveries[batch.kind].submit({ id: batch.id, changes, onResult }, signal);
  } catch (error) {
    // A delivery throws only when the platform received nothing, so the batch counts as not tried. In two cases it
    // stays in state `sending` and is read back: after a stop request, or when calls went out before the store failed.
    const isStopped = signal.aborted || (context.stopping.aborted && error === context.stopping.reason);
    const isUntouched =
      !isStopped && (isWhole || (await changesInBatch(batch, io)).every(({ state }) => state !== 'sent'));
    if (isUntouched) {
      const marks = isWhole ? marksFor(changes, 'planned') : [];
      await io.store.batches.update(owned, batch.id, { state: 'planned' }, { marks });
      // The run may wait long before it tries again.
      if (isFile) await releaseFileLease(owned, io);
    }
    throw error;
  }
  io.checkpoint('batch-accepted');
  return receive(context, { batch, changes, submission }, io);
}

/** Stores the result of one direct call. Before the call, stores that the change is being sent. */
async function storeResult(
  context: RunContext,
  identification: string,
  result: CallResult,
  io: EngineIo,
): Promise<void> {
  // Stopping is safe only before a call, because nothing of this change has been sent.
  if (result.kind === 'sending') context.stopping.throwIfAborted();
  else io.checkpoint('change-accepted');
  const reason = 'reason' in result ? result.reason : undefined;
  const marks = marksFor([{ identification }], stateAfter[result.kind], reason);
  await io.store.plans.setStates(context.owned, marks);
  if ('raw' in result) await keepRaw(context.owned, { about: `change of ${identification}`, text: result.raw }, io);
  if (result.kind === 'sending') io.checkpoint('change-sending');
}

const stateAfter: Readonly<Record<CallResult['kind'], ChangeMark['state']>> = {
  sending: 'sent',
  'not-tried': 'planned',
  accepted: 'sent',
  refused: 'failed',
  unknown: 'unresolved',
};

interface Submitted {
  readonly batch: Batch;
  readonly changes: readonly PlannedChange[];
  readonly submission: Submission;
}

/** Stores the platform's answer to a batch. */
async function receive(
  context: RunContext,
  { batch, changes, submission }: Submitted,
  io: EngineIo,
): Promise<JobOutcome> {
  const { owned } = context;
  const { update } = io.store.batches;
  if ('raw' in submission) await keepRaw(owned, { about: `batch ${batch.number}`, text: submission.raw }, io);
  if (submission.kind !== 'wait' && owned.run.facts.waitingSince !== undefined) {
    await updateFacts(owned, { waitingSince: undefined }, io);
  }
  switch (submission.kind) {
    case 'file':
      if (owned.run.facts.refusedUploads !== undefined) await updateFacts(owned, { refusedUploads: undefined }, io);
      await update(owned, batch.id, { state: 'sent', fileId: submission.fileId, fileName: submission.fileName });
      break;
    case 'direct':
      // `settle.visibleWithin` starts after the last call, not after the first.
      await update(owned, batch.id, { state: 'sent', sentAt: io.clock.now() });
      io.checkpoint('batch-sent');
      return { kind: 'next' };
    case 'exported': {
      const { path } = submission;
      const exportedTo = [...(owned.run.facts.exportedTo ?? []), path];
      await update(owned, batch.id, { state: 'settled', fileName: path }, { marks: marksFor(changes, 'exported') });
      await updateFacts(owned, { exportedTo }, io);
      return { kind: 'next' };
    }
    case 'wait':
      return sendLater(context, { batch, changes }, submission, io);
    case 'refused': {
      const { reason } = submission;
      if (submission.mayBeBusy === true) {
        const meaning = await judgeRefusedUpload(context, batch, io);
        if (meaning.kind === 'wait') return sendLater(context, { batch, changes }, meaning, io);
        await update(owned, batch.id, {
          state: 'sent',
          final: 'failed',
          finalAt: io.clock.now(),
          status: refusedStatus,
        });
        break;
      }
      await update(owned, batch.id, { state: 'settled', reason }, { marks: marksFor(changes, 'failed', reason) });
      await io.store.runs.addFindings(owned, [{ code: 'batch-failed', message: `batch ${batch.number}: ${reason}` }]);
      await releaseFileLease(owned, io);
      return { kind: 'next' };
    }
    case 'unknown': {
      const { reason } = submission;
      const marks = marksFor(changes, 'unresolved', reason);
      await update(owned, batch.id, { state: 'unresolved', reason }, { marks });
      break;
    }
  }
  const { everyMs } = context.sync.settings.settle;
  const isFile = submission.kind === 'file';
  const next = await toProving(context, io, isFile ? firstPollMs(batch, everyMs, owned.run.facts.filePace) : 0);
  io.checkpoint('batch-sent');
  return next;
}

/** Puts a batch back, of which nothing was applied, and waits. */
async function sendLater(
  context: RunContext,
  { batch, changes }: Pick<Submitted, 'batch' | 'changes'>,
  { afterMs, reason }: { readonly afterMs: number; readonly reason: string },
  io: EngineIo,
): Promise<JobOutcome> {
  const marks = marksFor(changes, 'planned');
  await io.store.batches.update(context.owned, batch.id, { state: 'planned', reason }, { marks });
  return waitForTurn(context, afterMs, reason, io);
}

/**
 * Waits until the platform accepts another batch. When it accepts none until `settle.deadline`, the run drops its
 * remaining changes.
 */
async function waitForTurn(context: RunContext, afterMs: number, why: string, io: EngineIo): Promise<JobOutcome> {
  const { owned, sync } = context;
  const now = io.clock.now();
  const waitingSince = owned.run.facts.waitingSince ?? now;
  const { deadlineMs } = sync.settings.settle;
  if (ageOn(io.clock, waitingSince) < deadlineMs) {
    await updateFacts(owned, { waitingSince }, io);
    io.progress({ step: 'retrying', afterMs, reason: why });
    return { kind: 'again', afterMs };
  }
  const waited = deadlineMs < 120_000 ? `${Math.round(deadlineMs / 1000)} s` : `${Math.round(deadlineMs / 60_000)} min`;
  const reason = `the platform is busy: nothing more could be sent for ${waited} (settle.deadline); the next run plans the rest again. ${why}`;
  await io.store.runs.update(owned, { reason });
  return { kind: 'next' };
}
