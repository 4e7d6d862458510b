import { describeError } from '../core/run/errors.ts';
import { spanOn } from './clock-span.ts';
import type { EngineIo } from './engine-io.ts';

const dayMs = 86_400_000;
/** Shown plans contain all people whom they would change, and cannot be approved after one day. */
const shownForMs = 7 * dayMs;
/** A removal that is due may wait for approval, so the ledger keeps its entry for longer. */
const removalGraceMs = 30 * dayMs;
/** Newest runs of a sync that keep their details, although they changed nothing. */
const keptUnchanged = 100;
/** Rows that one call seals again or forgets. The next call continues. */
const mostRows = 100_000;

/**
 * Deletes what the retention does not keep: details of old runs, and of runs without changes before the newest ones,
 * plans that were only shown, old audit entries, and ledger entries of users who are gone. Then seals personal data that
 * is not sealed with the current key.
 */
export async function pruneOld(io: EngineIo): Promise<void> {
  const now = io.clock.now();
  const { runs, audit } = io.retention;
  const { store, logger } = io;
  const before = (ageMs: number): number => now - spanOn(io.clock, ageMs);
  const dropped = await store.runs.prune(before(runs), 0, {
    shown: before(Math.min(shownForMs, runs)),
    audit: before(audit),
    previews: now,
    unchanged: keptUnchanged,
  });
  if (dropped > 0) logger.info({ dropped }, 'old runs pruned');
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
