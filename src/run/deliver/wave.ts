import type { Batch, BatchQuery, OwnedRun, Run } from '../../ports/store.ts';
import { ageOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch } from '../seal/batches.ts';
import { whyStopped } from './plan-age.ts';

/** Where the batches of a run are. A wave is what was sent since the last proof. */
export interface Wave {
  /** The batch that is being sent, or whose file has no final status. */
  readonly out: Batch | undefined;
  /** Batches whose delivery has ended and whose users were not read back yet. */
  readonly unproven: readonly Batch[];
  /** The first batch that was not sent, and all parts of other batches that were not sent, in order of number. */
  readonly planned: readonly Batch[];
}

/**
 * Reads where the batches of a run are, without those that have ended and those that come later: a run may have a
 * thousand, and each of its steps reads the wave.
 */
export async function readWave({ run }: OwnedRun, { store }: EngineIo): Promise<Wave> {
  // One query for each state, because SQLite reads all batches for several states in order of number.
  const queries: readonly BatchQuery[] = [
    { states: ['sending'] },
    { states: ['sent'] },
    { states: ['unresolved'] },
    { states: ['planned'], limit: 1 },
    { states: ['planned'], isPart: true },
  ];
  const found = await Promise.all(queries.map((query) => store.batches.ofRun(run.id, query)));
  const batches = new Map(found.flat().map((batch) => [batch.id, batch]));
  return waveOf([...batches.values()].toSorted((a, b) => a.number - b.number));
}

/** Reads all batches that were not sent, in order of number. */
export function readPlanned({ run }: OwnedRun, { store }: EngineIo): Promise<readonly Batch[]> {
  return store.batches.ofRun(run.id, { states: ['planned'] });
}

function waveOf(batches: readonly Batch[]): Wave {
  const open = batches.filter(isSent);
  return {
    out: batches.find((batch) => batch.state === 'sending' || (isSent(batch) && isFilePending(batch))),
    unproven: open.filter((batch) => !isFilePending(batch)),
    planned: batches.filter(({ state }) => state === 'planned'),
  };
}

/** Returns whether the platform has a file of ours without a final status. */
export function isFilePending({ fileId, final }: Batch): boolean {
  return fileId !== undefined && final === undefined;
}

/** Returns whether the platform may be processing a file of this run: no other run of the connection sends one. */
export function mayBeProcessing({ out, unproven }: Wave): boolean {
  return out !== undefined || unproven.some(({ state, final }) => state === 'unresolved' || final === 'no-status');
}

/** A batch that is unresolved and has an end was given up: later runs settle it. */
function isSent({ state, finalAt }: Batch): boolean {
  return state === 'sent' || (state === 'unresolved' && finalAt === undefined);
}

/**
 * Returns whether the unproven batches are read back before anything more is sent:
 *
 *   nothing more is sent                    no batch is planned, or the run is canceled, gives up, or has an old plan
 *   a batch needs an answer                 its file failed or has no status, the answer to it was lost, or it is the probe
 *   settle.proofWithin has passed           since the oldest one ended, and since the last proof
 *   the next batch depends on the others    its changes take over e-mails, or are the last step of parked changes
 */
export async function isProofDue({ owned, sync }: RunContext, wave: Wave, io: EngineIo): Promise<boolean> {
  const { unproven, planned } = wave;
  if (unproven.length === 0) return false;
  const next = await nextBatch(owned.run, planned, io);
  if (next === undefined || unproven.some((batch) => needsAnswer(batch, planned))) return true;
  if (unproven.some(({ id }) => id === owned.run.facts.probe)) return true;
  const run = await io.store.runs.get(owned.run.id);
  if (run === undefined || whyStopped(run, io.clock) !== undefined) return true;
  const oldest = Math.min(...unproven.map(endOf));
  if (ageOn(io.clock, Math.max(oldest, run.facts.provedAt ?? 0)) >= sync.settings.settle.proofWithinMs) return true;
  return dependsOnOthers(next, io);
}

/**
 * Returns the batch that is sent next: the first planned one. A probe goes before all others, then a piece of a failed
 * file of disables. Another piece goes before a batch that depends on the others, because it may free the e-mails that
 * the batch takes over.
 */
export async function nextBatch(
  { facts }: Pick<Run, 'facts'>,
  planned: readonly Batch[],
  io: EngineIo,
): Promise<Batch | undefined> {
  const [first] = planned;
  const probe = facts.probe === undefined ? undefined : planned.find(({ id }) => id === facts.probe);
  if (first === undefined || probe !== undefined) return probe;
  const pieces = planned.filter(({ parent }) => parent !== undefined);
  for (const piece of pieces) if (await hasDisables(piece, io)) return piece;
  if (pieces.length === 0 || !(await dependsOnOthers(first, io))) return first;
  for (const piece of pieces) if (!(await dependsOnOthers(piece, io))) return piece;
  return first;
}

/** Returns when a batch ended at the platform, as far as it is known. */
export function endOf({ finalAt, sentAt = 0 }: Batch): number {
  return finalAt ?? sentAt;
}

/** The second half of a failed file is sent before the first one is proven, so that both share a proof. */
function needsAnswer({ state, final, parent }: Batch, planned: readonly Batch[]): boolean {
  if (state === 'unresolved' || final === 'no-status') return true;
  return final === 'failed' && !(parent !== undefined && planned.some((batch) => batch.parent === parent));
}

/** Disables share a file with no other change, so the first one tells. */
async function hasDisables({ run, id }: Batch, io: EngineIo): Promise<boolean> {
  const [change] = await io.store.plans.page(run, { batch: id, limit: 1 });
  return change?.kind === 'disable';
}

async function dependsOnOthers(batch: Batch, io: EngineIo): Promise<boolean> {
  if (batch.isParking === true) return false;
  const parent = batch.parent === undefined ? undefined : await io.store.batches.get(batch.parent);
  if (parent?.isParking === true) return true;
  return (await changesInBatch(batch, io)).some(({ waitsFor }) => waitsFor !== undefined);
}
