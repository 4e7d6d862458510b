import { countOf } from '../core/count-of.ts';
import { PlatformError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { FileStatus } from '../ports/platform.ts';
import type { Batch, ChangeMark } from '../ports/store.ts';
import { fileLeaseMs, fileLeaseName, readBatch } from './deliver.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { entryAfter, markOf, type ReadBack, readBack } from './read-back.ts';
import { splitBatch } from './split.ts';
import { next, type Step } from './step.ts';

const longestPollMs = 60_000;

/**
 * One look at a batch that went out: ask for the file's status, then read the users back. Nothing is `applied` on the
 * platform's word alone, and an unknown status is pending until the deadline, never a success; so is one that the
 * platform fails to tell.
 *
 *   sent ──status──► pending ─► look again, more and more seldom, until settle.deadline ─► unresolved
 *                    done ────► read back until settle.visibleWithin ─► applied, or failed: not visible
 *                    failed ──► read back once ─► applied; the rest is split, or failed
 *                    none ────► read back until settle.deadline ─► applied, or unresolved
 *   unresolved ──────────────► read back until settle.visibleWithin ─► applied, or left unresolved
 */
export async function settleBatch(context: RunContext, batchId: string, io: EngineIo): Promise<Step> {
  const batch = await io.store.batches.get(batchId);
  if (batch === undefined || batch.state === 'settled' || batch.state === 'planned') return toDelivery(context, io);
  const { looked, askedMs } =
    batch.fileId !== undefined && batch.final === undefined
      ? await poll(context, batch, io)
      : { looked: batch, askedMs: 0 };
  const sentAt = looked.sentAt ?? 0;
  const now = io.clock.now();
  const { deadlineMs, visibleWithinMs } = context.sync.settings.settle;
  if (looked.fileId !== undefined && looked.final === undefined) {
    const leftMs = sentAt + deadlineMs - now;
    if (leftMs > 0) return lookAgain(context, looked, Math.min(askedMs, leftMs));
    if (looked.status?.startsWith(untold)) await sayUntold(context, looked, io);
    return conclude(context, looked, 'unresolved', io);
  }
  switch (looked.final) {
    case 'failed':
      return conclude(context, looked, 'split', io);
    case 'no-status':
      return conclude(context, looked, now < sentAt + deadlineMs ? 'wait' : 'unresolved', io);
    default: {
      const isInTime = now < (looked.finalAt ?? sentAt) + visibleWithinMs;
      return conclude(context, looked, isInTime ? 'wait' : looked.state === 'unresolved' ? 'unresolved' : 'fail', io);
    }
  }
}

/** What becomes of changes that the platform does not show. */
type Patience = 'wait' | 'fail' | 'split' | 'unresolved';

/** What the platform tells of the file, and how long it wants to be left alone. */
interface Look {
  readonly looked: Batch;
  readonly askedMs: number;
}

async function poll(context: RunContext, batch: Batch, io: EngineIo): Promise<Look> {
  const { owned, sync } = context;
  const { connection } = sync.settings;
  await io.store.leases.take(fileLeaseName(connection), owned.run.id, fileLeaseMs, io.clock.now());
  const { status, askedMs } = await askStatus(context, batch, io);
  const text = status.kind === 'no-status' ? 'no status to be had' : status.text;
  io.progress({ step: 'proving', batch: batch.number, batches: 0, status: text });
  if (status.kind === 'pending' && !status.isKnown && batch.status !== text && !text.startsWith(untold)) {
    io.logger.warn({ run: owned.run.id, batch: batch.number, status: text }, 'unknown file status: waiting');
    const message = `batch ${batch.number}: the platform says "${text}", which dialect.status does not name; treated as still working`;
    await io.store.runs.addFindings(owned, [{ code: 'batch-failed', message }]);
  }
  const final = status.kind === 'pending' ? undefined : status.kind;
  const finalAt = final === undefined ? undefined : io.clock.now();
  const polls = batch.polls + 1;
  await io.store.batches.update(owned, batch.id, { status: text, polls, final, finalAt });
  if (final !== undefined) io.checkpoint('status-final');
  return { looked: { ...batch, status: text, polls, final, finalAt }, askedMs };
}

/** Begins the status of a file of which the platform did not tell one. */
const untold = 'not told: ';

/**
 * The file's status. Where the platform fails to tell it, in a way that may heal, the file is as far as it was: that is
 * no reason to give up a batch that has gone out.
 */
async function askStatus(
  { owned, sync, signal }: RunContext,
  batch: Batch,
  io: EngineIo,
): Promise<{ readonly status: FileStatus; readonly askedMs: number }> {
  try {
    return { status: await sync.platform.status(batch.fileId ?? '', signal), askedMs: 0 };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retry === 'never') throw error;
    const text = untold + (error.status === undefined ? 'no whole answer' : `answered ${error.status}`);
    const fields = { run: owned.run.id, batch: batch.number, status: text, code: error.code, error: error.message };
    if (batch.status !== text) io.logger.warn(fields, 'the status of the file is not to be had: waiting');
    const askedMs = error.retry === 'backoff' ? 0 : error.retry.afterMs;
    return { status: { kind: 'pending', text, isKnown: false }, askedMs };
  }
}

async function sayUntold({ owned, sync }: RunContext, batch: Batch, io: EngineIo): Promise<void> {
  const message = `batch ${batch.number}: what became of its file was ${batch.status}, until settle.deadline; its users were read back. If ${sync.dialect.status.path} is not where the platform tells it, correct dialect.status.path`;
  await io.store.runs.addFindings(owned, [{ code: 'batch-failed', message }]);
}

/** Reads the batch's users back and writes down what is certain; the rest goes as `patience` says. */
async function conclude(context: RunContext, batch: Batch, asked: Patience, io: EngineIo): Promise<Step> {
  const { owned, sync, signal } = context;
  const changes = await readBatch(batch, io);
  const open = changes.filter(({ state }) => state === 'sent' || state === 'unresolved');
  const backs = await readBack(open, sync, signal, io);
  io.checkpoint('read-back');
  const now = io.clock.now();
  const marks: ChangeMark[] = [];
  const ledger: LedgerEntry[] = [];
  const findings: Finding[] = [];
  const unseen: ReadBack[] = [];
  // A fate that is not known, by a lost answer or a file that never ends, is not known better without a sign.
  const isFilePending = batch.fileId !== undefined && batch.final === undefined;
  const lost = new Set(
    open.filter(({ state }) => isFilePending || state === 'unresolved').map(({ identification }) => identification),
  );
  const unclear = backs.filter(({ isUnclear }) => isUnclear === true);
  const patience = unclear.length === 0 ? asked : patienceWithUnclear(context, batch, asked, now);
  for (const { change } of unclear) lost.add(change.identification);
  for (const back of backs) {
    const { identification } = back.change;
    const needsSign = patience === 'wait' || patience === 'split' || lost.has(identification);
    if (back.verdict.kind === 'not-seen' || (back.verdict.kind === 'unverified' && needsSign)) {
      unseen.push(back);
      continue;
    }
    const entry = entryAfter(back, sync, now);
    if (entry !== undefined) ledger.push(entry);
    marks.push(markOf(back, now));
    findings.push(...findingsOf(back));
    if (back.verdict.kind === 'unverified') findings.push(unverified(identification));
  }
  if (unseen.length > 0 && patience === 'wait') {
    // Findings wait for the end: what is certain now will be read again and said once.
    const looked = { ...batch, polls: batch.polls + 1 };
    await io.store.batches.update(owned, batch.id, { polls: looked.polls });
    return lookAgain(context, looked);
  }
  if (unseen.length > 0 && patience === 'split') {
    return splitBatch(context, batch, { marks, ledger, unseen, findings }, io);
  }
  let unresolved = 0;
  for (const { change, verdict } of unseen) {
    const { identification } = change;
    const what = verdict.kind === 'not-seen' ? verdict.what : 'nothing shows that it was taken';
    if (patience === 'unresolved' || lost.has(identification)) {
      unresolved += 1;
      marks.push({ identification, state: 'unresolved', reason: `fate unknown: ${what}` });
    } else marks.push({ identification, state: 'failed', reason: `the platform said it was done, but ${what}` });
  }
  const isLeftOpen = unresolved > 0;
  if (isLeftOpen) findings.push(leftUnresolved(batch, unresolved));
  // Direct calls may have stopped early (too many requests): what was not tried goes out again.
  const hasUntried = changes.some(({ state }) => state === 'planned');
  const state = isLeftOpen ? 'unresolved' : hasUntried ? 'planned' : 'settled';
  const finalAt = state === 'planned' ? undefined : (batch.finalAt ?? now);
  await io.store.batches.update(owned, batch.id, { state, finalAt }, { marks, ledger });
  await io.store.runs.addFindings(owned, findings);
  io.checkpoint('batch-settled');
  return toDelivery(context, io);
}

/** Of whom nothing can be told, a row is neither sent again nor called failed: it may have landed. */
function patienceWithUnclear({ sync }: RunContext, batch: Batch, asked: Patience, now: number): Patience {
  if (asked !== 'split' && asked !== 'fail') return asked;
  if (now < (batch.finalAt ?? batch.sentAt ?? 0) + sync.settings.settle.visibleWithinMs) return 'wait';
  return asked === 'split' ? 'unresolved' : asked;
}

async function toDelivery({ owned }: RunContext, io: EngineIo): Promise<Step> {
  await io.store.runs.update(owned, { phase: 'delivering' });
  return next('deliver');
}

/** Looks more and more seldom: every `settle.every`, growing by half each time, at least once a minute unless asked for patience. */
function lookAgain({ sync }: RunContext, batch: Batch, atLeastMs = 0): Step {
  const { everyMs } = sync.settings.settle;
  const afterMs = Math.min(everyMs * 1.5 ** Math.min(batch.polls, 20), Math.max(longestPollMs, everyMs));
  return next('settle', batch.id, Math.round(Math.max(afterMs, atLeastMs)));
}

function findingsOf({ change, verdict }: ReadBack): Finding[] {
  const { identification } = change;
  if (verdict.kind === 'ignored') {
    const message = `the platform took the change but ignored ${verdict.fields.join(', ')}: is the field writable for this connection?`;
    return [{ code: 'ignored-field', identification, message }];
  }
  const kept = verdict.kind === 'applied' ? Object.keys(verdict.quirks) : [];
  if (kept.length === 0) return [];
  const message = `the platform keeps ${kept.join(', ')} differently than sent (cut, trimmed or re-cased): taken as equal from now on`;
  return [{ code: 'kept-differently', identification, message }];
}

function unverified(identification: string): Finding {
  const message = 'only write-only fields were written and lastUpdate did not move: they are sent again at most twice';
  return { code: 'unverified', identification, message };
}

function leftUnresolved(batch: Batch, count: number): Finding {
  const message = `batch ${batch.number}: ${countOf(count, 'change has', 'changes have')} an unknown fate; nothing more goes to these users until they are seen applied or settle.unknownAfter has passed`;
  return { code: 'unresolved', message };
}
