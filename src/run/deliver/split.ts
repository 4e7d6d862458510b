import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { UndoneRecord } from '../../core/plan/undo.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import { afterAccepted, afterTooLarge } from '../../core/run/waves.ts';
import type { Batch, ChangeMark, PlannedChange, Run } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import type { ReadBack } from '../read-back/read-back.ts';
import { addParts } from '../seal/batches.ts';

/**
 * After this many failed files with no row applied (a file, its halves, its quarters), one row is sent alone. If that
 * fails too, the platform is faulty, not the rows. The files alone prove nothing: a bad row in each quarter would keep
 * all others from being sent.
 */
const doubtAfterFailures = 7;

export interface FailedFile {
  readonly marks: readonly ChangeMark[];
  readonly ledger: readonly LedgerEntry[];
  readonly undone: readonly UndoneRecord[];
  readonly findings: readonly Finding[];
  /** Changes that the platform did not apply, in order of identification. */
  readonly unseen: readonly ReadBack[];
}

/**
 * Halves a failed file until the bad rows are isolated, within the limit of `settle.maxSplits`. If the platform itself
 * may be faulty, cuts off one row as a probe instead.
 */
export async function splitBatch(context: RunContext, batch: Batch, failed: FailedFile, io: EngineIo): Promise<void> {
  const { owned, sync } = context;
  const { unseen } = failed;
  const run = await io.store.runs.get(owned.run.id);
  const splits = run?.delivery?.splits ?? 0;
  const all = await io.store.batches.ofRun(owned.run.id);
  const status = batch.status ?? 'failed';
  const files = all.filter(({ final }) => final !== undefined);
  const isDoubted = failed.marks.length === 0 && hasOnlyFailures(files) && !(await hasApplied(files, io));
  const isFaulty = isDoubted && files.some(({ size }) => size === 1);
  const isProbing = isDoubted && !isFaulty && unseen.length > 1;
  const isSplitting = isProbing || (unseen.length > 1 && splits < sync.settings.settle.maxSplits && !isFaulty);

  const findings = [...failed.findings];
  const marks = [...failed.marks];
  if (!isSplitting) {
    const alone =
      unseen.length === 1 ? 'a file with this row alone also fails' : `in a failed file of ${unseen.length} rows`;
    const reason = `the platform says "${status}": ${alone}`;
    for (const { change } of unseen) marks.push({ identification: change.identification, state: 'failed', reason });
    const names = unseen.slice(0, 3).map(({ change }) => change.identification);
    findings.push({
      code: 'batch-failed',
      message: `batch ${batch.number}: ${reason} (${names.join(', ')}${unseen.length > 3 ? ', …' : ''})`,
    });
  }
  // The rows move to the halves first, so after a kill every row is in exactly one open batch.
  if (isSplitting) {
    const middle = Math.ceil(unseen.length / 2);
    // Selects a different row in each run, in case this row is at fault.
    const alone = rowFor(owned.run, unseen.length);
    const parts = isProbing
      ? [unseen.filter((_, i) => i === alone), unseen.filter((_, i) => i !== alone)]
      : [unseen.slice(0, middle), unseen.slice(middle)];
    const names = parts.map((half) => half.map(({ change }) => change.identification));
    const before = async (probe: Batch) => {
      if (isProbing) await io.store.runs.updateDelivery(owned, { probe: probe.id });
    };
    await addParts(context, { of: batch, parts: names, before }, io);
  }
  await io.store.batches.update(
    owned,
    batch.id,
    { state: 'settled', reason: `the platform says "${status}"` },
    { marks, ledger: failed.ledger, undone: failed.undone },
  );
  if (isFaulty) findings.push(platformFaulty(files.length));
  await io.store.runs.addFindings(owned, findings);
  await io.store.runs.updateDelivery(owned, { splits: splits + (isSplitting ? 1 : 0) });
  const cause = { topic: 'files', subject: owned.run.connection, code: 'PLATFORM_FAILED' } as const;
  if (isFaulty)
    await io.store.runs.update(owned, { reason: platformFaulty(files.length).message, end: { cause, reasons: [] } });
}

interface SentInVain {
  readonly batch: Batch;
  /** All changes of the file, in its order. */
  readonly changes: readonly PlannedChange[];
  readonly certain: Omit<FailedFile, 'unseen'>;
  readonly unseen: readonly ReadBack[];
}

/** Fewer rows at the end of a file that had no effect may be a coincidence. */
const fewestBehind = 3;

/**
 * Sends what had no effect again, in smaller files, although the platform reported the file as done: some platforms apply
 * only the first rows. Where all rows behind one position had no effect, later files are cut there (`cutToFit`). Returns
 * false where that proves nothing: a file of updates without any effect, or the limit of `settle.maxSplits`.
 */
export async function sendAgain(
  context: RunContext,
  { batch, changes, certain, unseen }: SentInVain,
  io: EngineIo,
): Promise<boolean> {
  const { owned, sync } = context;
  const splits = (await io.store.runs.get(owned.run.id))?.delivery?.splits ?? 0;
  const again = unseen.filter(
    ({ verdict, isUnclear }) => verdict.kind === 'not-seen' && verdict.overwritten === undefined && isUnclear !== true,
  );
  const isWorth = again.length < changes.length || again.some(({ change }) => change.kind !== 'update');
  if (again.length === 0 || again.length < unseen.length || !isWorth) return false;
  if (splits >= sync.settings.settle.maxSplits) return false;
  const names = again.map(({ change }) => change.identification);
  const rows = positionOf(changes, new Set(names));
  const parts = [...chunk(names, rows ?? Math.ceil(names.length / 2))];
  const reason = `the platform reported done, but shows no effect of ${countOf(names.length, 'row')}, which ${names.length === 1 ? 'goes' : 'go'} again in smaller files`;
  await addParts(context, { of: batch, parts }, io);
  await io.store.batches.update(owned, batch.id, { state: 'settled', reason }, certain);
  await io.store.runs.updateDelivery(owned, { splits: splits + 1 });
  if (rows === undefined) return true;
  const now = io.clock.now();
  await io.store.learned.update(owned.run.connection, ({ fileRows, ...known }) => {
    return { ...known, fileRows: afterAccepted(afterTooLarge(fileRows, rows + 1, now), rows) };
  });
  const message = `the platform applied only the first ${countOf(rows, 'row')} of a file of ${changes.length}, and files are cut to that size. Set syncs.${sync.settings.name}.batchRows to ${rows}`;
  await io.store.runs.addFindings(owned, [{ code: 'file-too-large', message }]);
  return true;
}

/** Returns how many rows at the start of a file had an effect, where none behind them had one. */
function positionOf(changes: readonly PlannedChange[], inVain: ReadonlySet<string>): number | undefined {
  const first = changes.findIndex(({ identification }) => inVain.has(identification));
  const isBehind = changes.length - first === inVain.size && inVain.size >= fewestBehind;
  return first > 0 && isBehind ? first : undefined;
}

function hasOnlyFailures(files: readonly Batch[]): boolean {
  return files.length >= doubtAfterFailures && files.every(({ final }) => final === 'failed');
}

/** A number below `count` that differs from run to run. */
function rowFor({ startedAt }: Run, count: number): number {
  return startedAt % count;
}

/** A platform that applies the good rows of files that it calls failed is not faulty. */
async function hasApplied(files: readonly Batch[], io: EngineIo): Promise<boolean> {
  for (const { id, run } of files) {
    const applied = await io.store.plans.page(run, { batch: id, states: ['applied'], limit: 1 });
    if (applied.length > 0) return true;
  }
  return false;
}

function platformFaulty(files: number): Finding {
  const message = `${files} files in a row failed, and no change was applied. The platform does not seem to process files, so the rest was not sent`;
  return { code: 'platform-ill', message };
}
