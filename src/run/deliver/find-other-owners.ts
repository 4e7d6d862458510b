import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { PlannedChange } from '../../ports/store.ts';
import { handOversExpected, isConfiguredOn } from '../compare/neighbors.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';

type NotOurs = Pick<Finding, 'code' | 'message'> & { readonly reason: string };

/**
 * Returns, by identification, why the run must not touch a user:
 *
 * - another sync manages the user by now;
 * - another run of the connection has sent a change of the user, which is not proven yet;
 * - another sync is expected to take the user over.
 */
export async function findOtherOwners(
  changes: readonly PlannedChange[],
  known: ReadonlyMap<string, LedgerEntry>,
  context: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, NotOurs>> {
  const { name, connection } = context.sync.settings;
  const others = new Map<string, NotOurs>();
  const names = changes.map(({ identification }) => identification);
  const claimed = await io.store.batches.claimed(context.owned, names);
  for (const { identification, before } of changes) {
    const entry = entryOf(before?.userId, known.get(identification));
    const owner = entry === undefined || entry.removed !== undefined ? name : entry.owner;
    if (owner !== name && isConfiguredOn(connection, owner, io)) {
      const reason = `belongs to sync ${owner} now, so ${name} does not change it`;
      others.set(identification, { code: 'owned-by-other-sync', reason, message: reason });
    } else if (claimed.has(identification)) {
      const reason = 'another run sent a change of this user whose outcome is not known yet; the next run checks again';
      others.set(identification, { code: 'unresolved', reason, message: reason });
    }
  }
  const ours = changes.filter(({ identification }) => !others.has(identification));
  const expected = await handOversExpected(ours, known, context, io);
  for (const { identification, kind } of ours) {
    const by = expected.get(identification);
    if (by === undefined) continue;
    const reason = `sync ${by} now has the person as active and is expected to take the user over`;
    others.set(identification, { code: 'hand-over-expected', reason, message: `${kind} not sent: ${reason}` });
  }
  return others;
}
