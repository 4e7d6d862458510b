import { refusalReason } from '../../core/plan/refused-create.ts';
import { chunk } from '../../core/run/batch.ts';
import { countOf } from '../../core/run/formats.ts';
import {
  afterAccepted,
  afterRefusal,
  afterTooLarge,
  connectionTrouble,
  type RefusedFile,
  type RefusedInRow,
  rowsLimit,
} from '../../core/run/waves.ts';
import type { Batch, LearnedFacts, PlannedBatch, PlannedChange } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import type { NextStep } from '../next-step.ts';
import { changesInBatch, marksFor } from '../plan-changes.ts';
import { keepRaw } from '../run-notes.ts';
import { addParts } from '../seal/batches.ts';
import { releaseFileLease } from './file-lease.ts';

interface Refused {
  readonly batch: Batch;
  readonly changes: readonly PlannedChange[];
  readonly reason: string;
  readonly status?: number;
}

/**
 * Handles a file whose upload was refused, so that nothing of it was applied. `afterRefusal` has the rule. The parts go
 * next, before any other file: the other half tells whether the rows are at fault.
 */
export async function refuseFile(context: RunContext, refused: Refused, io: EngineIo): Promise<void> {
  const { owned } = context;
  const { batch, changes } = refused;
  const { update } = io.store.batches;
  await releaseFileLease(owned, io);
  const { other, ...place } = await placeOf(context, batch, io);
  const next = afterRefusal({ ...place, size: changes.length, other: otherAnswer(other) });
  if (next === 'wait') {
    const marks = marksFor(changes, 'planned');
    await update(owned, batch.id, { state: 'planned', status: refusedStatus, final: 'failed' }, { marks });
    return;
  }
  if (next === 'split') return halve(context, refused, place.level, io);
  await failByName(context, refused, next === 'fail-both' ? other : undefined, io);
  if (place.level === 'part') return;
  const refusedInRow = nextInRow(context, refused);
  await io.store.runs.updateDelivery(owned, { refusedInRow });
  const trouble = connectionTrouble(refusedInRow);
  if (trouble !== undefined) {
    await endForTrouble(context, { batch, reason: `${refused.reason} ${trouble}` }, io);
  }
}

/** The status of a file whose upload was refused, in the place of one that the platform shows. */
const refusedStatus = 'refused';

function nextInRow({ owned }: RunContext, { changes, status }: Refused): RefusedInRow {
  const { refusedInRow = { count: 0 } } = owned.run.delivery ?? {};
  const hasDisables = changes.some(({ kind }) => kind === 'disable');
  return {
    ...refusedInRow,
    count: refusedInRow.count + 1,
    ...(hasDisables ? { hasDisables } : {}),
    ...(status === 403 ? {} : { isMixed: true }),
  };
}

/** Returns where a refused file stands: itself, a half of a refused one, or a part of a refused half. */
async function placeOf(
  { owned, sync }: RunContext,
  { id, parent }: Batch,
  io: EngineIo,
): Promise<Pick<RefusedFile, 'level' | 'splitsLeft'> & { readonly other: Batch | undefined }> {
  const splitsLeft = sync.settings.settle.maxSplits - (owned.run.delivery?.splits ?? 0);
  const from = parent === undefined ? undefined : await io.store.batches.get(parent);
  if (from === undefined || !wasRefused(from)) return { level: 'file', splitsLeft, other: undefined };
  const whole = from.parent === undefined ? undefined : await io.store.batches.get(from.parent);
  if (whole !== undefined && wasRefused(whole)) return { level: 'part', splitsLeft, other: undefined };
  const all = await io.store.batches.ofRun(owned.run.id);
  return { level: 'half', splitsLeft, other: all.find((one) => one.parent === parent && one.id !== id) };
}

function wasRefused({ kind, fileId, final }: Batch): boolean {
  return kind === 'csv' && fileId === undefined && final === 'failed';
}

function otherAnswer(other: Batch | undefined): RefusedFile['other'] {
  if (other === undefined) return 'accepted';
  if (wasRefused(other)) return 'refused';
  return other.state === 'planned' ? 'none-yet' : 'accepted';
}

/** Splits a refused half, of which the other half was accepted: so its rows are at fault, or some of them. */
export async function splitRefused(context: RunContext, batch: Batch, io: EngineIo): Promise<NextStep> {
  const changes = (await changesInBatch(batch, io)).filter(({ state }) => state === 'planned');
  const reason = batch.reason ?? 'the platform refuses these rows, and accepted the other half of their file';
  const { splitsLeft } = await placeOf(context, batch, io);
  const next = afterRefusal({ size: changes.length, level: 'half', other: 'accepted', splitsLeft });
  if (next === 'split') await halve(context, { batch, changes, reason }, 'half', io);
  else await failByName(context, { batch, changes, reason }, undefined, io);
  return { kind: 'next' };
}

async function halve(
  context: RunContext,
  { batch, changes }: Refused,
  level: RefusedFile['level'],
  io: EngineIo,
): Promise<void> {
  await cut(context, { batch, changes }, Math.ceil(changes.length / 2), io);
  await io.store.batches.update(context.owned, batch.id, {
    state: 'settled',
    status: refusedStatus,
    final: 'failed',
    finalAt: io.clock.now(),
  });
  const { splits = 0 } = context.owned.run.delivery ?? {};
  if (level !== 'file') await io.store.runs.updateDelivery(context.owned, { splits: splits + 1 });
}

/** Moves the changes to new batches of at most `rows` each. */
function cut(
  context: RunContext,
  { batch, changes }: Pick<Refused, 'batch' | 'changes'>,
  rows: number,
  io: EngineIo,
): Promise<void> {
  const names = changes.map(({ identification }) => identification);
  return addParts(context, { of: batch, parts: chunk(names, rows) }, io);
}

const namedRows = 3;

/** Fails the rows of a refused file, and those of its other half. The finding names some of them. */
async function failByName(
  { owned }: RunContext,
  { batch, changes, reason: told }: Refused,
  other: Batch | undefined,
  io: EngineIo,
): Promise<void> {
  const [change] = changes;
  const isAlone = other === undefined && changes.length === 1 && change !== undefined;
  const reason = isAlone ? refusalReason(change.kind, told) : told;
  const finalAt = io.clock.now();
  const patch = { state: 'settled', status: refusedStatus, final: 'failed', finalAt, reason } as const;
  const others = other === undefined ? [] : await changesInBatch(other, io);
  if (other !== undefined)
    await io.store.batches.update(owned, other.id, patch, { marks: marksFor(others, 'failed', reason) });
  const all = [...others, ...changes];
  const names = all.slice(0, namedRows).map(({ identification }) => identification);
  const what = other === undefined ? countOf(all.length, 'change') : `both halves of ${countOf(all.length, 'change')}`;
  const message = `batch ${batch.number}: ${what} refused (${names.join(', ')}${all.length > namedRows ? ', …' : ''}). ${reason}`;
  const findings = [{ code: 'batch-failed', message }] as const;
  await io.store.batches.update(owned, batch.id, patch, { marks: marksFor(changes, 'failed', reason), findings });
}

/** Ends the run after what was sent is proven. Stores the reason; unsent changes are dropped at the end. */
export async function endForTrouble(
  { owned }: RunContext,
  { batch, reason, raw }: { readonly batch: Batch; readonly reason: string; readonly raw?: string },
  io: EngineIo,
): Promise<void> {
  await keepRaw(owned, { about: `batch ${batch.number}`, text: raw }, io);
  const cause = { topic: 'uploads', subject: owned.run.connection } as const;
  await io.store.runs.update(owned, { reason, end: { cause, reasons: [] } });
}

/**
 * Handles a file that is too large for the platform (413). It goes again in halves at once, because nothing was applied;
 * `settle.maxSplits` does not count this. A single row that is too large fails.
 */
export async function cutTooLarge(context: RunContext, refused: Refused, io: EngineIo): Promise<void> {
  const { owned } = context;
  const { batch, changes, reason } = refused;
  await releaseFileLease(owned, io);
  if (changes.length === 1) return failByName(context, refused, undefined, io);
  const now = io.clock.now();
  await io.store.learned.update(owned.run.connection, (known) => ({
    ...known,
    fileRows: afterTooLarge(known.fileRows, changes.length, now),
  }));
  await cut(context, { batch, changes }, Math.ceil(changes.length / 2), io);
  await io.store.batches.update(owned, batch.id, { state: 'settled', status: 'too large', finalAt: now, reason });
}

/** Cuts a planned file that has more rows than the platform is known to accept. Returns whether it did. */
export async function cutToFit(
  context: RunContext,
  batch: PlannedBatch,
  { fileRows }: LearnedFacts,
  io: EngineIo,
): Promise<boolean> {
  const rows = rowsLimit(fileRows, io.clock.now());
  if (rows === undefined || batch.size <= rows) return false;
  const changes = (await changesInBatch(batch, io)).filter(({ state }) => state === 'planned');
  if (changes.length <= rows) return false;
  await cut(context, { batch, changes }, rows, io);
  const reason = `files of more than ${rows} rows are too large for the platform`;
  await io.store.batches.update(context.owned, batch.id, { state: 'settled', reason });
  return true;
}

/** Remembers the size of an accepted file, where larger ones are too large, and says which setting spares the cuts. */
export async function noteAccepted(
  { owned, sync }: RunContext,
  rows: number,
  { fileRows: known }: LearnedFacts,
  io: EngineIo,
): Promise<void> {
  const { connection } = owned.run;
  if (known === undefined || afterAccepted(known, rows) === known) return;
  await io.store.learned.update(connection, ({ fileRows = known, ...others }) => {
    return { ...others, fileRows: afterAccepted(fileRows, rows) };
  });
  const message = `the platform refuses a file of ${countOf(known.tooLarge, 'row')} as too large (413), and accepts ${countOf(rows, 'row')}: files are cut to that size. Set syncs.${sync.settings.name}.batchRows to ${rows}`;
  await io.store.runs.addFindings(owned, [{ code: 'file-too-large', message }]);
}
