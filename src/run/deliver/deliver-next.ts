import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { type Waiting, waitFor } from '../../core/run/waiting.ts';
import { nextBatch } from '../../core/run/waves.ts';
import type { CallResult, Submission } from '../../ports/delivery.ts';
import type { Batch, ChangeMark, OwnedRun, PlannedBatch, PlannedChange, Run } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { closeRun } from '../finish-run.ts';
import { type NextStep, toProving, toReading } from '../next-step.ts';
import { changesInBatch, marksFor } from '../plan-changes.ts';
import { keepRaw, type UnstoredRequests } from '../run-notes.ts';
import { checkBeforeSending } from './check-before-sending.ts';
import { checkLeaders } from './check-leaders.ts';
import { releaseFileLease, renewAfterMs, takeFileLease, turnWaitMs } from './file-lease.ts';
import { isLookupRecent, lookUpAhead } from './look-up-ahead.ts';
import { isPlanTooOld, whyStopped } from './plan-age.ts';
import { cutToFit, splitRefused } from './refused.ts';
import { storeAnswer } from './store-answer.ts';
import { isProofDue, readWave } from './wave.ts';

/**
 * Sends the run's next batch. Before that, proves what was sent if a proof is due (see `whyProve`). Finishes the run
 * when everything is proven and no batch is left, or nothing more may be sent.
 */
export async function deliverNext(context: RunContext, unstored: UnstoredRequests, io: EngineIo): Promise<NextStep> {
  const { owned } = context;
  const wave = await readWave(owned, io);
  if (wave.out !== undefined) return resume(context, wave.out, io);
  const { run } = owned;
  if (isProofDue(run, context.sync, wave, io)) return toProving();
  const batch = nextBatch(wave.planned, run.delivery?.probe);
  const stopped = whyStopped(run, io.clock);
  if (batch !== undefined && (await isOnlyOld(run, io))) return planAgain(context, io);
  if (batch === undefined || stopped !== undefined) return stop(owned, { reason: stopped }, io);
  // A refused half whose other half was accepted.
  if (batch.final === 'failed') return splitRefused(context, batch, io);
  return sendBatch(context, { batch, first: wave.planned[0], unstored }, io);
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

/** Finishes the run and stores why changes are left. Batches that were sent are proven first. `open`: as in `closeRun`. */
export async function stop(
  owned: OwnedRun,
  { reason, open }: { readonly reason: string | undefined; readonly open?: readonly Batch[] },
  io: EngineIo,
): Promise<NextStep> {
  const { run } = owned;
  const isNew = reason !== undefined && !run.isCancelRequested && run.reason === undefined;
  const stored = isNew ? (await io.store.runs.update(owned, { reason })).run : run;
  return closeRun({ ...owned, run: stored }, given({ open }), io);
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
    // A call of leaders may have been made or not: the list shows what lacks. The reason marks whose list is read.
    if (batch.kind === 'leaders') {
      const marks = marksFor(sent, 'planned', killedReason);
      await io.store.batches.update(owned, batch.id, { state: 'planned' }, { marks });
      return { kind: 'next' };
    }
    if (batch.kind === 'direct' && hasUnsent && sent.length === 0) {
      await io.store.batches.update(owned, batch.id, { state: 'planned' });
      return { kind: 'next' };
    }
    const marks = marksFor(sent, 'unresolved', killedReason);
    // One unknown call waits alone. A file is unknown as a whole.
    const state = batch.kind === 'direct' ? 'sent' : 'unresolved';
    await io.store.batches.update(owned, batch.id, { state, reason: killedReason }, { marks });
  }
  return toProving();
}

const killedReason = 'the worker stopped before it knew whether the platform accepted the batch';

interface BatchToSend {
  readonly batch: PlannedBatch;
  /** The first batch that was not sent. A part of a failed file may go before it. */
  readonly first: Batch | undefined;
  readonly unstored: UnstoredRequests;
}

/**
 * Sends one batch: waits for the connection's turn, leaves out the changes that are no longer intended, stores
 * `sending`, passes the batch to its delivery, and stores the answer.
 */
async function sendBatch(
  context: RunContext,
  { batch, first, unstored }: BatchToSend,
  io: EngineIo,
): Promise<NextStep> {
  const { owned, sync } = context;
  const isFile = batch.kind === 'csv';
  const begunAt = io.clock.now();
  const learned = isFile ? await io.store.learned.get(owned.run.connection) : {};
  if (isFile && (await cutToFit(context, batch, learned, io))) return { kind: 'next' };
  if (isFile) {
    const { isTaken, ahead } = await takeFileLease(owned, io);
    if (!isTaken) {
      return {
        kind: 'again',
        afterMs: turnWaitMs(sync.settings.settle.everyMs, ahead),
        waiting: queued(owned, ahead, io),
      };
    }
  }
  const wasRecent = isLookupRecent(owned.run, sync.settings.settle.lookWithinMs, io.clock);
  const isLookedUp = await lookUpAhead(context, first, io);
  const changes =
    batch.kind === 'leaders'
      ? await checkLeaders(context, batch, io)
      : await checkBeforeSending(context, { batch, isLookedUp }, io);
  if (changes.length === 0) {
    const reason = 'no change of the batch had to be sent';
    await io.store.batches.update(owned, batch.id, { state: 'settled', reason });
    if (isFile) await releaseFileLease(owned, io);
    return { kind: 'next' };
  }
  const hasOldLease = isFile && io.clock.now() - begunAt >= renewAfterMs;
  // The next step waits for its turn.
  if (hasOldLease && !(await takeFileLease(owned, io)).isTaken) return { kind: 'next' };
  let submission: Submission | undefined;
  try {
    submission = await submit(context, { batch, changes, wasRecent }, io);
  } catch (error) {
    return endAfterProof(context, { batch, error }, io);
  }
  // The next step says why the run stops, or looks up again.
  if (submission === undefined) return { kind: 'next' };
  io.checkpoint('batch-accepted');
  return storeAnswer(context, { batch, changes, submission, learned, unstored }, io);
}

function queued({ run }: RunContext['owned'], ahead: number, { clock }: EngineIo): Waiting {
  const known = run.waiting;
  const since = known?.for === 'turn' ? known.since : clock.now();
  const about = `${countOf(ahead, 'other run')} of this connection ${ahead === 1 ? 'sends' : 'send'} a file first`;
  return waitFor('turn', 'it sends its file', { about, since });
}

/**
 * Lets the run prove what it has sent, and then end with the refusal of a write as its reason. Throws every other error,
 * and the refusal too when nothing is left to prove. When reads are refused as well, the proof throws.
 */
async function endAfterProof(
  { owned, signal }: RunContext,
  { batch, error }: { readonly batch: Batch; readonly error: unknown },
  io: EngineIo,
): Promise<NextStep> {
  const isRefused = error instanceof PlatformError && error.retry === 'never' && error.effect === 'none';
  if (!isRefused || signal.aborted || (await readWave(owned, io)).unproven.length === 0) throw error;
  await keepRaw(owned, { about: `batch ${batch.number}`, text: RollcallError.rawTextOf(error) }, io);
  const cause = { topic: 'uploads', subject: owned.run.connection, ...given({ status: error.status }) } as const;
  await io.store.runs.update(owned, { reason: error.message, end: { cause, reasons: [] } });
  return { kind: 'next' };
}

interface CheckedBatch {
  readonly batch: PlannedBatch;
  readonly changes: readonly PlannedChange[];
  /** When the check began, the last lookup was young enough. */
  readonly wasRecent: boolean;
}

/**
 * Stores `sending`, and passes the batch to its delivery. A delivery throws only when the platform received nothing, so
 * the batch then counts as not tried. So it does, and undefined is returned, where a stop was requested or a lookup became
 * too old while the batch was checked. In two cases it stays in state `sending` and is read back: after a stop request,
 * or when calls went out before the store failed.
 */
async function submit(
  context: RunContext,
  { batch, changes, wasRecent }: CheckedBatch,
  io: EngineIo,
): Promise<Submission | undefined> {
  const { owned, sync, signal } = context;
  io.progress({ step: 'delivering', batch: batch.number, batches: batch.ofAll, changes: changes.length });
  const isWhole = batch.kind !== 'direct' && batch.kind !== 'leaders';
  const sent = isWhole ? marksFor(changes, 'sent') : [];
  const sending = { state: 'sending', sentAt: io.clock.now() } as const;
  const { run } = await io.store.batches.update(owned, batch.id, sending, { marks: sent });
  const putBack = async (): Promise<void> => {
    const marks = isWhole ? marksFor(changes, 'planned') : [];
    await io.store.batches.update(owned, batch.id, { state: 'planned', sentAt: batch.sentAt }, { marks });
  };
  const isOld = wasRecent && !isLookupRecent(run, sync.settings.settle.lookWithinMs, io.clock);
  if (isOld || whyStopped(run, io.clock) !== undefined) {
    await putBack();
    return undefined;
  }
  io.checkpoint('batch-sending');
  signal.throwIfAborted();
  try {
    const onResult = (identification: string, result: CallResult) =>
      storeResult(context, { identification, part: batch.kind === 'leaders' ? 'leaders' : 'account' }, result, io);
    const { refusedInRow } = owned.run.delivery ?? {};
    const toSubmit = { id: batch.id, changes, ...given({ refusedInRow }), onResult };
    return await sync.deliveries[batch.kind].submit(toSubmit, signal);
  } catch (error) {
    const isStopped = signal.aborted || (context.stopping.aborted && error === context.stopping.reason);
    const isUntouched =
      !isStopped && (isWhole || (await changesInBatch(batch, io)).every(({ state }) => state !== 'sent'));
    if (isUntouched) {
      await putBack();
      // The run may wait long before it tries again.
      if (batch.kind === 'csv') await releaseFileLease(owned, io);
    }
    throw error;
  }
}

/** Stores the result of one direct call. Before the call, stores that the change is being sent. */
async function storeResult(
  context: RunContext,
  one: Pick<ChangeMark, 'identification' | 'part'>,
  result: CallResult,
  io: EngineIo,
): Promise<void> {
  // Stopping is safe only before a call, because nothing of this change has been sent.
  if (result.kind === 'sending') context.stopping.throwIfAborted();
  else io.checkpoint('change-accepted');
  const reason = 'reason' in result ? result.reason : undefined;
  await io.store.plans.setStates(context.owned, [{ ...one, state: stateAfter[result.kind], ...given({ reason }) }]);
  if ('raw' in result) await keepRaw(context.owned, { about: `change of ${one.identification}`, text: result.raw }, io);
  if (result.kind === 'sending') io.checkpoint('change-sending');
}

const stateAfter: Readonly<Record<CallResult['kind'], ChangeMark['state']>> = {
  sending: 'sent',
  'not-tried': 'planned',
  accepted: 'sent',
  refused: 'failed',
  unknown: 'unresolved',
};
