import type { ChangeKind } from '../core/change.ts';
import type { Finding } from '../core/finding.ts';
import type { Submission } from '../ports/delivery.ts';
import type { Lookup } from '../ports/platform.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { leaveOutUncertain, tooOldToSend } from './plan-age.ts';
import { changesOf } from './plan-run.ts';
import { singleReadLimit } from './read-back.ts';
import { next, type Step } from './step.ts';

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
  await io.store.runs.update(context.owned, { phase: 'settling' });
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
  await io.store.runs.update(owned, { phase: 'settling' });
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

/**
 * Before delivery is left out what an old plan must not do (see `plan-age`) and whom another sync has made its own
 * meanwhile. Every create is looked up again, by read and by search: whoever is there by now, or is there in one of the
 * two only, is not created; and every remove. So are the updates of a file of few: in a larger one each would double the
 * platform's work.
 */
async function stillMeant(
  context: RunContext,
  batch: Batch,
  changes: readonly PlannedChange[],
  io: EngineIo,
): Promise<PlannedChange[]> {
  const planned = changes.filter(({ state }) => state === 'planned');
  if (batch.kind === 'outbox') return planned;
  const certain = leaveOutUncertain(planned, batch, context.owned.run, io.clock.now());
  const open = certain.kept;
  const marks: ChangeMark[] = [...certain.marks];
  const findings: Finding[] = [...certain.findings];
  const { name, connection } = context.sync.settings;
  const known = await io.store.ledger.getMany(
    connection,
    open.map(({ identification }) => identification),
  );
  const isFew = changes.length <= singleReadLimit;
  const check = async (change: PlannedChange): Promise<PlannedChange | undefined> => {
    const { identification } = change;
    const entry = known.get(identification);
    if (entry !== undefined && entry.removed === undefined && entry.owner !== name && io.syncs.has(entry.owner)) {
      const owned = `belongs to sync ${entry.owner} by now: not touched by ${name}`;
      marks.push({ identification, state: 'failed', reason: owned });
      findings.push({ code: 'owned-by-other-sync', identification, message: owned });
      return undefined;
    }
    const whyNot = change.kind === 'update' && !(batch.kind === 'csv' && isFew) ? undefined : objections[change.kind];
    if (whyNot === undefined) return change;
    const trouble = whyNot(await context.sync.platform.find(identification, context.signal));
    if (trouble === undefined) return change;
    marks.push({ identification, state: 'failed', reason: trouble.reason });
    findings.push({ code: trouble.code, identification, message: `${change.kind} not sent: ${trouble.reason}` });
    return undefined;
  };
  const kept = (await Promise.all(open.map(check))).filter((change) => change !== undefined);
  if (marks.length > 0) {
    await io.store.plans.setStates(context.owned, marks);
    await io.store.runs.addFindings(context.owned, findings);
  }
  return kept;
}

type Trouble = Pick<Finding, 'code'> & { readonly reason: string };

function whyNotCreate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === false) return undefined;
  const already = 'the user is on the platform by now; the next run will look again';
  return { code: 'lookup-disagrees', reason: lookup.found === 'unclear' ? lookup.reason : already };
}

/** A row with U would enable again whom somebody has disabled since the plan was made (contract: no other way is shown). */
function whyNotUpdate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found) return { code: 'lookup-disagrees', reason: 'the platform has no such user any more' };
  if (lookup.user.enabled) return undefined;
  return { code: 'foreign-disable', reason: 'somebody disabled the account since the plan was made' };
}

/** There is no way back from a removal: whoever has been enabled again since is kept. */
function whyNotRemove(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found || !lookup.user.enabled) return undefined;
  return { code: 'lookup-disagrees', reason: 'somebody enabled the account since the plan was made' };
}

/** What a last look at the user may say against a change. */
const objections: Partial<Record<ChangeKind, (lookup: Lookup) => Trouble | undefined>> = {
  create: whyNotCreate,
  update: whyNotUpdate,
  remove: whyNotRemove,
};

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
