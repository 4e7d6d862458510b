import { countOf } from '../core/count-of.ts';
import type { Finding } from '../core/finding.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { JobOutcome } from '../ports/job.ts';
import type { Batch, ChangeMark } from '../ports/store.ts';
import { changesInBatch } from './batches.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { entryAfter, findingsOf, markOf, type ReadBack, readBack } from './read-back.ts';
import { isFilePending, pollAgain, toDelivery } from './settle-steps.ts';
import { splitBatch } from './split.ts';
import { sendLastStep } from './write-batches.ts';

/** How to handle changes that the platform does not show. */
export type IfUnseen = 'wait' | 'fail' | 'split' | 'unresolved';

export interface Proof {
  readonly batch: Batch;
  readonly ifUnseen: IfUnseen;
}

/** Reads the batch's users back. Stores proven results and the ledger in one transaction. */
export async function proveBatch(context: RunContext, { batch, ifUnseen }: Proof, io: EngineIo): Promise<JobOutcome> {
  const { owned, sync, signal } = context;
  const changes = await changesInBatch(batch, io);
  const open = changes.filter(({ state }) => state === 'sent' || state === 'unresolved');
  const backs = await readBack(open, sync, signal, io);
  io.checkpoint('read-back');
  const now = io.clock.now();
  const hasUnclear = backs.some(({ isUnclear }) => isUnclear === true);
  const action = hasUnclear && ifUnseen === 'split' ? ifUnclear(context, batch, now) : ifUnseen;
  // When an answer was lost or the file never ended, only a visible effect proves that the change was applied.
  const isUnknown = ({ change, isUnclear }: ReadBack): boolean =>
    isUnclear === true || isFilePending(batch) || unknown.has(change.identification);
  const unknown = new Set(
    open.filter(({ state }) => state === 'unresolved').map(({ identification }) => identification),
  );
  const marks: ChangeMark[] = [];
  const ledger: LedgerEntry[] = [];
  const findings: Finding[] = [];
  const unseen: ReadBack[] = [];
  const parked: string[] = [];
  for (const back of backs) {
    const { identification } = back.change;
    const needsSign = action === 'wait' || action === 'split' || isUnknown(back);
    if (action === 'split' && isEdited(back)) {
      // The row may have been applied before that edit, so it is not sent again.
      marks.push({ identification, state: 'failed', reason: reasonUnseen(back) });
      findings.push(...findingsOf(back));
      continue;
    }
    if (back.verdict.kind === 'not-seen' || (back.verdict.kind === 'unverified' && needsSign)) {
      unseen.push(back);
      continue;
    }
    if (batch.isParking === true && back.verdict.kind === 'applied') {
      parked.push(identification);
      continue;
    }
    const entry = entryAfter(back, sync, now);
    if (entry !== undefined) ledger.push(entry);
    marks.push(markOf(back, now));
    findings.push(...findingsOf(back));
    if (back.verdict.kind === 'unverified') findings.push(unverified(identification));
  }
  const isWaiting = unseen.length > 0 && action === 'wait';
  if (batch.final === 'failed') await learnFromFailed(context, { seen: marks.length + parked.length, isWaiting }, io);
  if (isWaiting) {
    // Nothing is stored yet. Results that are certain now are read again later and reported once.
    const polled = { ...batch, polls: batch.polls + 1 };
    await io.store.batches.update(owned, batch.id, { polls: polled.polls });
    return pollAgain(context, polled);
  }
  if (parked.length > 0) await sendLastStep(context, batch, parked, io);
  if (unseen.length > 0 && action === 'split') {
    return splitBatch(context, batch, { marks, ledger, unseen, findings }, io);
  }
  let unresolved = 0;
  for (const back of unseen) {
    const { identification } = back.change;
    if (action === 'unresolved' || isUnknown(back)) {
      unresolved += 1;
      marks.push({ identification, state: 'unresolved', reason: `the outcome is not known: ${whatOf(back)}` });
    } else {
      marks.push({ identification, state: 'failed', reason: reasonUnseen(back) });
      findings.push(...findingsOf(back));
    }
  }
  if (unresolved > 0) findings.push(leftUnresolved(batch, unresolved));
  // Direct calls may have stopped early (too many requests). Changes that were not tried are sent again.
  const hasUntried = changes.some(({ state }) => state === 'planned');
  const state = unresolved > 0 ? 'unresolved' : hasUntried ? 'planned' : 'settled';
  const finalAt = state === 'planned' ? undefined : (batch.finalAt ?? now);
  await io.store.batches.update(owned, batch.id, { state, finalAt }, { marks, ledger });
  await io.store.runs.addFindings(owned, findings);
  io.checkpoint('batch-settled');
  return toDelivery(context, io);
}

/**
 * Learns from the run's first failed file whether its rows appear late. Its parts and all later failed files are then
 * split at once, or also get `settle.visibleWithin` to appear. `seen` is the number of rows that the platform shows
 * now.
 */
async function learnFromFailed(
  { owned }: RunContext,
  { seen, isWaiting }: { readonly seen: number; readonly isWaiting: boolean },
  io: EngineIo,
): Promise<void> {
  const facts = (await io.store.runs.get(owned.run.id))?.facts;
  const known = facts?.failedFile;
  if (known?.showsLate !== undefined) return;
  const isFirstLook = known === undefined;
  if (isFirstLook !== isWaiting) return;
  const failedFile = isFirstLook ? { seen } : { seen: known.seen, showsLate: seen > known.seen };
  await io.store.runs.update(owned, { facts: { ...facts, failedFile } });
}

/**
 * Returns how to handle unclear users. When read and search disagree, the row may have been applied, so the file is not
 * split.
 */
function ifUnclear({ sync }: RunContext, batch: Batch, now: number): IfUnseen {
  return now < (batch.finalAt ?? now) + sync.settings.settle.visibleWithinMs ? 'wait' : 'unresolved';
}

function isEdited({ verdict }: ReadBack): boolean {
  return verdict.kind === 'not-seen' && verdict.edited !== undefined;
}

function whatOf({ verdict }: ReadBack): string {
  return verdict.kind === 'not-seen' ? verdict.what : 'nothing shows that it was taken';
}

function reasonUnseen(back: ReadBack): string {
  return isEdited(back) ? whatOf(back) : `the platform reported done, but ${whatOf(back)}`;
}

function unverified(identification: string): Finding {
  const message = 'only write-only fields were sent and lastUpdate did not move: they are sent again at most twice';
  return { code: 'unverified', identification, message };
}

function leftUnresolved(batch: Batch, count: number): Finding {
  const message = `batch ${batch.number}: the outcome of ${countOf(count, 'change')} is not known; nothing more goes to these users until the platform shows them applied or settle.unknownAfter has passed`;
  return { code: 'unresolved', message };
}
