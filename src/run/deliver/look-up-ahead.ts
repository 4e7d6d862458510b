import type { Change } from '../../core/plan/change.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Batch, ChangeMark, Run } from '../../ports/store.ts';
import { ageOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch, changesOf } from '../plan-changes.ts';
import { type Lookups, openLookups } from '../read-back/lookups.ts';
import { objectionTo } from './check-before-sending.ts';
import { readPlanned } from './wave.ts';

/** Returns whether the last lookup of all planned users is younger than `settle.lookWithin`. */
export function isLookupRecent({ delivery }: Run, lookWithinMs: number, clock: Clock): boolean {
  return delivery?.lookedAt !== undefined && Math.abs(ageOn(clock, delivery.lookedAt)) < lookWithinMs;
}

/**
 * Looks at the users of all planned batches again if the last lookup is too old and one scan needs fewer requests than
 * single reads. Returns whether the users of the first batch were looked at; if not, the caller reads them one by one.
 */
export async function lookUpAhead(context: RunContext, first: Batch | undefined, io: EngineIo): Promise<boolean> {
  const { owned, sync } = context;
  const { lookWithinMs } = sync.settings.settle;
  if (isLookupRecent(owned.run, lookWithinMs, io.clock)) return true;
  if (first === undefined || !(await changesInBatch(first, io)).some((change) => needsLookup(change, first)))
    return true;
  // A scan that takes long serves the next batch only, because it is too old for the ones after it.
  const isSlow = (owned.run.delivery?.lookTookMs ?? 0) * 2 >= lookWithinMs;
  const planned = await readPlanned(owned, io);
  const count = isSlow ? first.size : planned.reduce((sum, { size }) => sum + size, 0);
  const lookups = await openLookups({ step: 'looking-up', count, names: () => namesAhead(planned, io) }, context, io);
  try {
    if (lookups.scannedAt === undefined) return false;
    await applyLookup(context, lookups, planned, io);
    return true;
  } finally {
    lookups.close();
  }
}

/** Leaves out the planned changes to which a scan objects. Stores when the scan began. */
export async function applyLookup(
  { owned }: RunContext,
  lookups: Lookups,
  planned: readonly Batch[],
  io: EngineIo,
): Promise<void> {
  for (const batch of planned.filter(isCovered)) {
    const changes = (await changesInBatch(batch, io)).filter(({ state }) => state === 'planned');
    const users = await lookups.of(changes);
    const marks: ChangeMark[] = [];
    const findings: Finding[] = [];
    for (const change of changes.filter((one) => needsLookup(one, batch))) {
      const { identification, kind } = change;
      const trouble = objectionTo(change, batch)?.(users.get(identification) ?? { found: false });
      if (trouble === undefined) continue;
      marks.push({ identification, state: 'failed', reason: trouble.reason });
      findings.push({ code: trouble.code, identification, message: `${kind} not sent: ${trouble.reason}` });
    }
    if (marks.length === 0) continue;
    await io.store.batches.update(owned, batch.id, {}, { marks });
    await io.store.runs.addFindings(owned, findings);
  }
  const { startedAt, scannedAt = startedAt } = lookups;
  await io.store.runs.updateDelivery(owned, { lookedAt: startedAt, lookTookMs: scannedAt - startedAt });
}

/** Yields the identifications that a lookup of all planned batches covers. */
export async function* namesAhead(planned: readonly Batch[], io: EngineIo): AsyncGenerator<string, void> {
  for (const batch of planned.filter(isCovered)) {
    for await (const change of changesOf(batch.run, io, { batch: batch.id, states: ['planned'] })) {
      if (needsLookup(change, batch)) yield change.identification;
    }
  }
}

/** Parts of a failed file are looked up just before they are sent. */
export function isCovered({ kind, parent }: Batch): boolean {
  return kind !== 'outbox' && parent === undefined;
}

/** Removes are read one by one. */
function needsLookup(change: Change, batch: Batch): boolean {
  return change.kind !== 'remove' && objectionTo(change, batch) !== undefined;
}
