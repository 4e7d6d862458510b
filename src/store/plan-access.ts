import { RollcallError } from '../core/run/errors.ts';
import type { OwnedRun } from '../ports/store.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction } from './database.ts';

/**
 * Runs a transaction that writes to a plan, as the owner of its run, or without an owner for a preview plan. Throws
 * `LEASE_LOST` when the caller no longer owns the run, and `CONFLICT` when the plan belongs to another run or to none.
 */
export function asPlanner<T>(
  db: Database,
  owned: OwnedRun | undefined,
  plan: { readonly id: string; readonly run: string | undefined },
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  return asOwnerIfAny(db, owned, async (transaction) => {
    requireOwn(plan, owned);
    return work(transaction);
  });
}

/** Does the same for a plan that was begun. Throws `NOT_FOUND` when no plan has this id. */
export function inPlan<T>(
  db: Database,
  owned: OwnedRun | undefined,
  id: string,
  work: (transaction: OpenTransaction, plan: { readonly digest: string | null }) => Promise<T>,
): Promise<T> {
  return asOwnerIfAny(db, owned, async (transaction) => {
    const plan = await transaction
      .selectFrom('plans')
      .select(['run', 'digest'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (plan === undefined) {
      const message = `the store has no plan ${id}: it was never begun, or another worker has begun the run's plan again.`;
      throw new RollcallError(message, { code: 'NOT_FOUND' });
    }
    requireOwn({ id, run: plan.run ?? undefined }, owned);
    return work(transaction, plan);
  });
}

function asOwnerIfAny<T>(
  db: Database,
  owned: OwnedRun | undefined,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  return owned === undefined ? inTransaction(db, work) : asOwner(db, owned, work);
}

function requireOwn({ id, run }: { readonly id: string; readonly run: string | undefined }, owned?: OwnedRun): void {
  if (run === owned?.run.id) return;
  const whose = run === undefined ? 'is a preview' : `belongs to run ${run}`;
  const who = owned === undefined ? 'no run' : `run ${owned.run.id}`;
  throw new RollcallError(`plan ${id} ${whose}, so ${who} cannot write to it; nothing was written.`, {
    code: 'CONFLICT',
  });
}
