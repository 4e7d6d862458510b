import { classAllowance } from '../../core/guard/guard.ts';
import { chunk } from '../../core/run/batch.ts';
import type { DecisionRecord, NewChange } from '../../ports/store.ts';
import type { PlanWork } from '../plan-job.ts';

const changesAtOnce = 500;

/** Disables and removes that are left out because another sync is expected to take the users over. */
export interface ExpectedHandOvers {
  /** Positions in the spool. */
  readonly places: number[];
}

/**
 * Returns whether the change enters the plan whatever the guard says: an operator approved or rejected it, or left it
 * out when deciding others.
 */
export function isDecidedByOperator(change: NewChange, known: readonly DecisionRecord[], now: number): boolean {
  if (change.verdict !== undefined) return true;
  const record = known.find(({ hash, endedAt }) => hash === change.hash && endedAt === undefined);
  return record?.state === 'approved' && record.run === undefined && (record.expiresAt ?? now) > now;
}

/**
 * Adds the expected hand-overs to the plan if there are more than the guard allows. The guard then holds all of them,
 * so that a broken source of the other sync cannot keep everyone enabled unnoticed.
 */
export async function addExcessHandOvers(
  { recorder, spool, sync }: Pick<PlanWork, 'recorder' | 'spool' | 'sync'>,
  { places }: ExpectedHandOvers,
  users: { readonly managed: number; readonly enabled: number },
): Promise<void> {
  if (places.length <= classAllowance('handOvers', sync.settings.guards.handOvers, users)) return;
  for (const some of chunk(places, changesAtOnce)) {
    const changes = some.map((place) => JSON.parse(spool.read(place)) as NewChange);
    await recorder.changes(changes);
  }
}
