import type { Submission } from '../../ports/delivery.ts';
import type { Batch, PlannedChange } from '../../ports/store.ts';
import { ageOn, spanOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { keepRaw } from '../keep-raw.ts';
import { type NextStep, toProving } from '../next-step.ts';
import { marksFor } from '../seal/batches.ts';
import { updateFacts } from '../update-facts.ts';
import { releaseFileLease } from './file-lease.ts';
import { firstPollMs } from './file-pace.ts';
import { judgeRefusedUpload, refusedStatus } from './refused-upload.ts';

export interface Submitted {
  readonly batch: Batch;
  readonly changes: readonly PlannedChange[];
  readonly submission: Submission;
}

/** Stores the platform's answer to a batch. */
export async function storeAnswer(
  context: RunContext,
  { batch, changes, submission }: Submitted,
  io: EngineIo,
): Promise<NextStep> {
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
  io.checkpoint('batch-sent');
  return toProving(isFile ? firstPollMs(batch, everyMs, owned.run.facts.filePace) : 0);
}

/** Puts a batch back, of which nothing was applied, and waits. */
async function sendLater(
  context: RunContext,
  { batch, changes }: Pick<Submitted, 'batch' | 'changes'>,
  { afterMs, reason }: { readonly afterMs: number; readonly reason: string },
  io: EngineIo,
): Promise<NextStep> {
  const marks = marksFor(changes, 'planned');
  await io.store.batches.update(context.owned, batch.id, { state: 'planned', reason }, { marks });
  return waitForTurn(context, afterMs, reason, io);
}

/**
 * Waits until the platform accepts another batch. When it accepts none until `settle.deadline`, the run drops its
 * remaining changes.
 */
async function waitForTurn(context: RunContext, afterMs: number, why: string, io: EngineIo): Promise<NextStep> {
  const { owned, sync } = context;
  const now = io.clock.now();
  const waitingSince = owned.run.facts.waitingSince ?? now;
  const { deadlineMs } = sync.settings.settle;
  if (ageOn(io.clock, waitingSince) < deadlineMs) {
    await updateFacts(owned, { waitingSince, problem: { at: now, reason: why } }, io);
    const untilMs = waitingSince + spanOn(io.clock, deadlineMs);
    io.progress({ step: 'retrying', afterMs, atMs: now + afterMs, untilMs, reason: why });
    return { kind: 'again', afterMs };
  }
  const waited = deadlineMs < 120_000 ? `${Math.round(deadlineMs / 1000)} s` : `${Math.round(deadlineMs / 60_000)} min`;
  const reason = `the platform is busy: nothing more could be sent for ${waited} (settle.deadline); the next run plans the rest again. ${why}`;
  await io.store.runs.update(owned, { reason });
  return { kind: 'next' };
}
