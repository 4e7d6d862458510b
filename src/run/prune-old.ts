import { describeError } from '../core/run/errors.ts';
import { spanOn } from './clock-span.ts';
import type { EngineIo } from './engine-io.ts';

const dayMs = 86_400_000;
/** Shown plans contain all people whom they would change, and cannot be approved after one day. */
const shownForMs = 7 * dayMs;
/** A removal that is due may wait for approval, so the ledger keeps its entry for longer. */
const removalGraceMs = 30 * dayMs;
/** Rows that one call seals again or forgets. The next call continues. */
const mostRows = 100_000;

/**
 * Deletes what the retention does not keep: details of old runs, plans that were only shown, old audit entries, and
 * ledger entries of users who are gone. Then seals personal data that is not sealed with the current key.
 */
export async function pruneOld(io: EngineIo): Promise<void> {
  const now = io.clock.now();
  const { runs, audit, storeSize } = io.retention;
  const { store, logger } = io;
  const before = (ageMs: number): number => now - spanOn(io.clock, ageMs);
  const prune = (ageMs: number) =>
    store.runs.prune(before(ageMs), 0, {
      shown: before(Math.min(shownForMs, ageMs)),
      audit: before(audit),
      previews: now,
    });
  const dropped = await prune(runs);
  let shortened = 0;
  for (let ageMs = runs; storeSize !== undefined && ageMs > dayMs; ) {
    const { bytes, isLate = false } = await store.size();
    // Where the size is late, the next pass looks whether this one was enough.
    if (bytes <= storeSize || (isLate && shortened > 0)) break;
    ageMs = Math.max(dayMs, ageMs / 2);
    const more = await prune(ageMs);
    if (more === 0) continue;
    shortened += more;
    logger.warn(
      { ageMs, dropped: more },
      'the store is larger than retention.storeSize: details of runs are kept for a shorter time',
    );
  }
  await store.noteSize(now);
  if (dropped + shortened > 0) logger.info({ dropped: dropped + shortened }, 'old runs pruned');
  const forgotten = await store.people.forgetGone(before(ledgerAge(io)), now, mostRows);
  if (forgotten > 0) logger.info({ forgotten }, 'ledger entries of users who are gone were replaced by keyed hashes');
  const sealed = await store.sealing.reseal(mostRows);
  if (sealed > 0) logger.info({ sealed }, 'personal data was sealed with the current encryptionKey');
}

function ledgerAge({ retention, syncs }: EngineIo): number {
  const waits = [...syncs.values()].map(({ settings: { remove } }) => (remove === 'never' ? 0 : remove.afterMs));
  return Math.max(retention.ledgerOfGone, ...waits.map((ms) => (ms === 0 ? 0 : ms + removalGraceMs)));
}

/** Prunes in addition to other work, for commands that may be the only ones to use a store. Errors are only logged. */
export async function pruneBeside(io: EngineIo): Promise<void> {
  await pruneOld(io).catch((error: unknown) => {
    io.logger.warn({ error: describeError(error) }, 'old runs were not pruned');
  });
}
