import { PlatformError, type RootCause } from '../../core/run/errors.ts';
import type { DeliveryFacts } from '../../core/run/facts.ts';
import { given } from '../../core/run/given.ts';
import { waitFor } from '../../core/run/waiting.ts';
import { firstPollMs } from '../../core/run/waves.ts';
import type { Submission } from '../../ports/delivery.ts';
import type { Batch, BatchEffects, LearnedFacts, PlannedChange, Run } from '../../ports/store.ts';
import { ageOn, spanOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { type NextStep, toProving } from '../next-step.ts';
import { marksFor } from '../plan-changes.ts';
import { keepRaw, type UnstoredRequests } from '../run-notes.ts';
import { unnamedWord } from './end-words.ts';
import { cutTooLarge, endForTrouble, noteAccepted, refuseFile } from './refused.ts';

export interface Submitted {
  readonly batch: Batch;
  readonly changes: readonly PlannedChange[];
  readonly submission: Submission;
  /** What was known of the connection before the batch was sent. */
  readonly learned: LearnedFacts;
  readonly unstored: UnstoredRequests;
}

/** Stores the platform's answer to a batch. */
export async function storeAnswer(
  context: RunContext,
  { batch, changes, submission, learned, unstored }: Submitted,
  io: EngineIo,
): Promise<NextStep> {
  const { owned } = context;
  const { update } = io.store.batches;
  if ('raw' in submission) await keepRaw(owned, { about: `batch ${batch.number}`, text: submission.raw }, io);
  const { delivery = {} } = owned.run;
  if (submission.kind !== 'wait' && delivery.waitingSince !== undefined) {
    await io.store.runs.updateDelivery(owned, { waitingSince: undefined });
  }
  switch (submission.kind) {
    case 'file':
      await update(
        owned,
        batch.id,
        { state: 'sent', fileId: submission.fileId, fileName: submission.fileName },
        {
          delivery: { refusedUploads: undefined, refusedInRow: undefined, uploadWord: wordOf(submission) },
          run: { phase: 'proving', phaseAt: io.clock.now(), ...unstored() },
        },
      );
      await noteAccepted(context, changes.length, learned, io);
      io.checkpoint('batch-sent');
      return { kind: 'again', afterMs: firstPollMs(batch, context.sync.settings.settle.everyMs, delivery.filePace) };
    case 'direct':
      // `settle.visibleWithin` starts after the last call, not after the first.
      await update(owned, batch.id, { state: 'sent', sentAt: io.clock.now() }, afterCalls(delivery, submission));
      if (submission.trouble !== undefined) await endForTrouble(context, { batch, ...submission.trouble }, io);
      io.checkpoint('batch-sent');
      return { kind: 'next' };
    case 'exported': {
      const { path } = submission;
      const exportedTo = [...(delivery.exportedTo ?? []), path];
      const also = { marks: marksFor(changes, 'exported'), delivery: { exportedTo } };
      await update(owned, batch.id, { state: 'settled', fileName: path }, also);
      return { kind: 'next' };
    }
    case 'wait':
      return sendLater(context, { batch, changes }, submission, io);
    case 'refused': {
      const { reason, status } = submission;
      if (submission.mayBeBusy === true) {
        const meaning = await judgeRefusedUpload(context, io);
        if (meaning.kind === 'wait') return sendLater(context, { batch, changes }, meaning, io);
        await update(owned, batch.id, {
          state: 'sent',
          final: 'failed',
          finalAt: io.clock.now(),
          status: refusedStatus,
        });
        break;
      }
      await refuseFile(context, { batch, changes, reason, ...given({ status }) }, io);
      return { kind: 'next' };
    }
    case 'too-large':
      await cutTooLarge(context, { batch, changes, reason: submission.reason }, io);
      return { kind: 'next' };
    case 'unknown': {
      const { reason } = submission;
      const marks = marksFor(changes, 'unresolved', reason);
      const cause = causeOf(owned.run, submission.status);
      const end = cause === undefined ? {} : { run: { end: { cause, reasons: [] } } };
      await update(owned, batch.id, { state: 'unresolved', reason }, { marks, ...end });
      break;
    }
  }
  io.checkpoint('batch-sent');
  return toProving();
}

/** Returns the unnamed status of an upload's own answer, which is no end. */
function wordOf({ status }: Extract<Submission, { kind: 'file' }>): string | undefined {
  return status === undefined ? undefined : unnamedWord(status);
}

/** Returns the refusals in a row after direct calls, if they have changed. */
function afterCalls(delivery: DeliveryFacts, { refusedInRow }: Extract<Submission, { kind: 'direct' }>): BatchEffects {
  return refusedInRow?.count === delivery.refusedInRow?.count ? {} : { delivery: { refusedInRow } };
}

/** Puts a batch back, of which nothing was applied, and waits. */
async function sendLater(
  context: RunContext,
  { batch, changes }: Pick<Submitted, 'batch' | 'changes'>,
  wait: Omit<Extract<Submission, { kind: 'wait' }>, 'kind'>,
  io: EngineIo,
): Promise<NextStep> {
  const marks = marksFor(changes, 'planned');
  await io.store.batches.update(context.owned, batch.id, { state: 'planned', reason: wait.reason }, { marks });
  return waitForTurn(context, wait, io);
}

/**
 * Waits until the platform accepts another batch. When it accepts none until `settle.deadline`, the run drops its
 * remaining changes.
 */
async function waitForTurn(
  { owned, sync }: RunContext,
  { afterMs, reason: why, status }: Parameters<typeof sendLater>[2],
  io: EngineIo,
): Promise<NextStep> {
  const now = io.clock.now();
  const cause = causeOf(owned.run, status);
  const waitingSince = owned.run.delivery?.waitingSince ?? now;
  const { deadlineMs } = sync.settings.settle;
  if (ageOn(io.clock, waitingSince) < deadlineMs) {
    const problem = { at: now, reason: why, ...given({ cause }) };
    await io.store.runs.update(owned, { problem }, { delivery: { waitingSince } });
    const until = waitingSince + spanOn(io.clock, deadlineMs);
    const waiting = waitFor('platform', 'the run ends, and the next run plans the unsent changes again', {
      about: why.replace(/\.$/, ''),
      since: waitingSince,
      until,
      setting: 'settle.deadline',
    });
    return { kind: 'again', afterMs, waiting };
  }
  const waited = deadlineMs < 120_000 ? `${Math.round(deadlineMs / 1000)} s` : `${Math.round(deadlineMs / 60_000)} min`;
  const reason = `the platform is busy: nothing more could be sent for ${waited} (settle.deadline). The next run plans the unsent changes again. ${why}`;
  await io.store.runs.update(owned, { reason, ...(cause === undefined ? {} : { end: { cause, reasons: [] } }) });
  return { kind: 'next' };
}

/** Returns the cause of an answer that no batch of the connection escapes. */
function causeOf({ connection }: Run, status: number | undefined): RootCause | undefined {
  return status === undefined ? undefined : { topic: 'uploads', subject: connection, status };
}

/** What a refused upload means: the platform is busy and the same file is sent later, or its rows are at fault. */
type RefusedUpload =
  | { readonly kind: 'wait'; readonly afterMs: number; readonly reason: string }
  | { readonly kind: 'failed' };

/** The status of a file whose upload was refused, in the place of one that the platform shows. */
const refusedStatus = 'refused with 400';

/** Uploads of one file after which its refusal counts. */
const maxTries = 3;
const waitMs = 15_000;

/**
 * Decides what an upload that was answered 400 means. The contract lists no status for a busy platform ("Bulk
 * provisioning"), and its error texts are not fixed, so a 400 can be about the rows or about another file.
 *
 *   a file of ours is still processing   the platform is busy
 *   none is known                        the file is sent three times, after 15 s and 30 s; then its rows are at fault
 *
 * A caller that gets `failed` treats the file as one with the final status "failed": read back, and split.
 */
async function judgeRefusedUpload(context: RunContext, io: EngineIo): Promise<RefusedUpload> {
  const { owned } = context;
  const other = await fileInFlight(context, io);
  if (other !== undefined) {
    return { kind: 'wait', afterMs: waitMs, reason: `file ${other.fileId} of run ${other.run} is still processing` };
  }
  const tries = (owned.run.delivery?.refusedUploads ?? 0) + 1;
  await io.store.runs.updateDelivery(owned, { refusedUploads: tries < maxTries ? tries : undefined });
  if (tries >= maxTries) return { kind: 'failed' };
  const reason = `the upload was answered 400, which can mean that another file is processing (try ${tries} of ${maxTries})`;
  return { kind: 'wait', afterMs: tries * waitMs, reason };
}

/** Returns a file of ours that the platform is still processing: one that an earlier run gave up at its deadline. */
async function fileInFlight({ owned, sync, signal }: RunContext, io: EngineIo): Promise<Batch | undefined> {
  const { connection } = owned.run;
  const { unresolved, unproven } = await io.store.batches.unknown([connection]);
  for (const other of [...unresolved, ...unproven]) {
    if (other.fileId === undefined || other.final !== undefined) continue;
    try {
      const { kind } = await sync.platform.status(other.fileId, signal);
      if (kind === 'pending') return other;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  return undefined;
}
