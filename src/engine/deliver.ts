import type { Submission } from '../ports/delivery.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { tooOldToSend } from './plan-age.ts';
import { changesOf } from './plan-run.ts';
import { next, type Step } from './step.ts';
import { stillMeant } from './still-meant.ts';

/** The run's next batch, if one is left: the first in order of number that has not come to its end. */
export async function deliverNext(context: RunContext, io: EngineIo): Promise<Step> {
  const { run } = context.owned;
  const now = await io.store.runs.get(run.id);
  const batches = await io.store.batches.ofRun(run.id);
  const batch = batches.find(
    ({ state, finalAt }) => state !== 'settled' && !(state === 'unresolved' && finalAt !== undefined),
  );
  if (batch === undefined) return next('finish');
  if (batch.state !== 'planned') return resume(context, batch, io);
  // Only what is still here is dropped; what is out is looked after first.
  if (now?.isCancelRequested === true || now?.reason !== undefined) return next('finish');
  const outdated = tooOldToSend(run, io.clock.now());
  if (outdated !== undefined) {
    await io.store.runs.update(context.owned, { reason: outdated });
    return next('finish');
  }
  return send(context, batch, batches.length, io);
}

/** A batch that was on its way when its worker died: `sending` means that nobody knows whether it arrived. */
async function resume(context: RunContext, batch: Batch, io: EngineIo): Promise<Step> {
  if (batch.state === 'sending') {
    const changes = await readBatch(batch, io);
    const lost = changes.filter(({ state }) => state === 'sent');
    const unsent = changes.filter(({ state }) => state === 'planned');
    const marks = lost.map(
      ({ identification }): ChangeMark => ({ identification, state: 'unresolved', reason: lostReason }),
    );
    if (batch.kind === 'direct' && unsent.length > 0 && lost.length === 0) {
      await io.store.batches.update(context.owned, batch.id, { state: 'planned' });
      return next('deliver');
    }
    await io.store.batches.update(context.owned, batch.id, { state: 'unresolved', reason: lostReason }, { marks });
  }
  await io.store.runs.update(context.owned, { phase: 'proving' });
  return next('settle', batch.id);
}

const lostReason = 'the worker ended before it knew whether the platform took this';

async function send(context: RunContext, batch: Batch, batches: number, io: EngineIo): Promise<Step> {
  const { owned, sync, signal } = context;
  const { settings } = sync;
  const isFile = batch.kind === 'csv';
  if (isFile && !(await takeFileLease(context, io))) {
    return waitForTurn(context, settings.settle.everyMs, 'another run has a file on its way', io);
  }

  const changes = await stillMeant(context, batch, await readBatch(batch, io), io);
  if (changes.length === 0) {
    await io.store.batches.update(owned, batch.id, { state: 'settled', reason: 'nothing in it was to be sent' });
    return next('deliver');
  }
  io.progress({ step: 'delivering', batch: batch.number, batches, changes: changes.length });
  const sentAt = io.clock.now();
  const isWhole = batch.kind !== 'direct';
  const sent = isWhole ? marksOf(changes, 'sent') : [];
  await io.store.batches.update(owned, batch.id, { state: 'sending', sentAt }, { marks: sent });
  io.checkpoint('batch-sending');
  signal.throwIfAborted();

  const onFate = async (identification: string, fate: { kind: string; reason?: string }): Promise<void> => {
    const state = fateStates[fate.kind] ?? 'sent';
    const mark: ChangeMark =
      fate.reason === undefined ? { identification, state } : { identification, state, reason: fate.reason };
    // The safe place to stop is before a call; nothing of this change has gone out yet.
    if (fate.kind === 'sending') context.stopping?.throwIfAborted();
    else io.checkpoint('change-accepted');
    await io.store.plans.setStates(owned, [mark]);
    if (fate.kind === 'sending') io.checkpoint('change-sending');
  };
  let submission: Submission;
  try {
    submission = await sync.deliveries[batch.kind].submit({ id: batch.id, changes, onFate }, signal);
  } catch (error) {
    // What a delivery throws was certainly not taken: as if it had never been tried. Calls that went out before stand as
    // `sending`: their fates, or the store's failing to write one down, are looked after first.
    const isOver = signal.aborted || isStop(error, context);
    if (!isOver && (isWhole || (await readBatch(batch, io)).every(({ state }) => state !== 'sent')))
      await io.store.batches.update(
        owned,
        batch.id,
        { state: 'planned' },
        { marks: marksOf(changes, 'planned', isWhole) },
      );
    throw error;
  }
  io.checkpoint('batch-accepted');
  return receive(context, batch, changes, submission, io);
}

/** We stopped ourselves between two calls: what went out before stands as `sending` and is read back. */
function isStop(error: unknown, { stopping }: RunContext): boolean {
  return stopping?.aborted === true && error === stopping.reason;
}

const fateStates: Readonly<Record<string, ChangeMark['state']>> = {
  sending: 'sent',
  'not-tried': 'planned',
  accepted: 'sent',
  refused: 'failed',
  unknown: 'unresolved',
};

/** Writes down what the platform said of a batch. */
async function receive(
  context: RunContext,
  batch: Batch,
  changes: readonly PlannedChange[],
  submission: Submission,
  io: EngineIo,
): Promise<Step> {
  const { owned } = context;
  const { update } = io.store.batches;
  if (submission.kind !== 'wait' && owned.run.facts.waitingSince !== undefined) {
    const { waitingSince: _over, ...facts } = owned.run.facts;
    await io.store.runs.update(owned, { facts });
  }
  switch (submission.kind) {
    case 'file':
      await update(owned, batch.id, { state: 'sent', fileId: submission.fileId, fileName: submission.fileName });
      break;
    case 'direct':
      // The last call is the youngest: `settle.visibleWithin` begins when it has been made, not the first.
      await update(owned, batch.id, { state: 'sent', sentAt: io.clock.now() });
      break;
    case 'exported': {
      const exportedTo = [...(owned.run.facts.exportedTo ?? []), submission.path];
      await update(
        owned,
        batch.id,
        { state: 'settled', fileName: submission.path },
        { marks: marksOf(changes, 'exported') },
      );
      await io.store.runs.update(owned, { facts: { ...(await io.store.runs.get(owned.run.id))?.facts, exportedTo } });
      return next('deliver');
    }
    case 'wait':
      await update(
        owned,
        batch.id,
        { state: 'planned', reason: submission.reason },
        { marks: marksOf(changes, 'planned') },
      );
      return waitForTurn(context, submission.afterMs, submission.reason, io);
    case 'refused': {
      const marks = marksOf(changes, 'failed').map((mark) => ({ ...mark, reason: submission.reason }));
      await update(owned, batch.id, { state: 'settled', reason: submission.reason }, { marks });
      await io.store.runs.addFindings(owned, [
        { code: 'batch-failed', message: `batch ${batch.number}: ${submission.reason}` },
      ]);
      return next('deliver');
    }
    case 'unknown': {
      const marks = marksOf(changes, 'unresolved').map((mark) => ({ ...mark, reason: submission.reason }));
      await update(owned, batch.id, { state: 'unresolved', reason: submission.reason }, { marks });
      break;
    }
  }
  await io.store.runs.update(owned, { phase: 'proving' });
  io.checkpoint('batch-sent');
  return next('settle', batch.id);
}

/** Waits until the platform takes another batch, but no longer than `settle.deadline`: then the run gives up what is left. */
async function waitForTurn({ owned, sync }: RunContext, afterMs: number, why: string, io: EngineIo): Promise<Step> {
  const now = io.clock.now();
  const waitingSince = owned.run.facts.waitingSince ?? now;
  const { deadlineMs } = sync.settings.settle;
  if (now - waitingSince < deadlineMs) {
    await io.store.runs.update(owned, { facts: { ...owned.run.facts, waitingSince } });
    io.progress({ step: 'retrying', afterMs, reason: why });
    return next('deliver', undefined, afterMs);
  }
  const waited = deadlineMs < 120_000 ? `${Math.round(deadlineMs / 1000)} s` : `${Math.round(deadlineMs / 60_000)} min`;
  const reason = `nothing more could be sent for ${waited} (settle.deadline), the rest is left to the next run. ${why}`;
  await io.store.runs.update(owned, { reason });
  return next('finish');
}

/** One file in flight per connection, over all syncs and workers. Taken anew by the same run after a crash. */
async function takeFileLease({ owned, sync }: RunContext, io: EngineIo): Promise<boolean> {
  const name = fileLeaseName(sync.settings.connection);
  return (await io.store.leases.take(name, owned.run.id, fileLeaseMs, io.clock.now())) !== undefined;
}

export const fileLeaseMs = 10 * 60_000;

export function fileLeaseName(connection: string): string {
  return `file:${connection}`;
}

export async function readBatch(batch: Batch, io: EngineIo): Promise<PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for await (const change of changesOf(batch.run, io, { batch: batch.id })) changes.push(change);
  return changes;
}

function marksOf(changes: readonly PlannedChange[], state: ChangeMark['state'], isMeant = true): ChangeMark[] {
  return isMeant ? changes.map(({ identification }) => ({ identification, state })) : [];
}
