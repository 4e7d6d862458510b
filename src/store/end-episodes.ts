import type { ExpressionBuilder } from 'kysely';
import type { OwnedRun } from '../ports/store.ts';
import { asOwner, type Database, type OpenTransaction } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { shownPlans } from './pending-people.ts';
import { inLists } from './row-writer.ts';
import type { DecisionRow, Schema } from './schema.ts';

interface Ending {
  readonly planId: string;
  readonly identifications: readonly string[];
  readonly now: number;
}

/** `Decisions.end`. */
export function endEpisodes(db: Database, owned: OwnedRun, { planId, identifications, now }: Ending): Promise<void> {
  const { sync, id: run } = owned.run;
  return asOwner(db, owned, async (transaction) => {
    await lockName(transaction, decisionsOf(sync));
    const shown = await shownPlans(transaction, sync, now);
    for (const names of inLists(identifications)) {
      await useUp(transaction, { sync, run, planId, names });
      await openDecisions(transaction, { sync, names })
        .set({ ended_at: now, ended_by: run })
        .where((eb) => eb.not(eb.exists(proposals(eb, planId))))
        .execute();
      for (const plan of shown) await endShown(transaction, { sync, run, planId, names, now, plan });
    }
  });
}

interface Names {
  readonly sync: string;
  readonly run: string;
  readonly planId: string;
  readonly names: readonly string[];
}

/** An approval is for the next decision about the person: other values need another one. */
async function useUp(db: OpenTransaction, { sync, run, planId, names }: Names): Promise<void> {
  await openDecisions(db, { sync, names })
    .set({ run })
    .where('state', '=', 'approved')
    .where('run', 'is', null)
    .where((eb) => eb.exists(proposals(eb, planId).whereRef('changes.hash', '!=', 'decisions.hash')))
    .execute();
}

function openDecisions(db: OpenTransaction, { sync, names }: Pick<Names, 'sync' | 'names'>) {
  return db
    .updateTable('decisions')
    .where('sync', '=', sync)
    .where('ended_at', 'is', null)
    .where('identification', 'in', names);
}

/** The plan's changes of the same person by the same rule as the decision. */
function proposals({ selectFrom }: ExpressionBuilder<Schema, 'decisions'>, planId: string) {
  return selectFrom('changes')
    .select('changes.hash')
    .where('changes.plan', '=', planId)
    .whereRef('changes.identification', '=', 'decisions.identification')
    .whereRef('changes.rule', '=', 'decisions.rule');
}

/**
 * Remembers that a change which a plan showed is gone, so that the plan's digest does not approve it when it appears
 * again.
 */
async function endShown(
  db: OpenTransaction,
  { sync, run, planId, names, now, plan }: Names & { readonly now: number; readonly plan: string },
): Promise<void> {
  const gone = await db
    .selectFrom('changes')
    .select(['identification', 'rule', 'episode', 'hash'])
    .where('plan', '=', plan)
    .where('identification', 'in', names)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('changes as proposed')
            .select('proposed.hash')
            .where('proposed.plan', '=', planId)
            .whereRef('proposed.identification', '=', 'changes.identification')
            .whereRef('proposed.rule', '=', 'changes.rule'),
        ),
      ),
    )
    .execute();
  if (gone.length === 0) return;
  const rows = gone.map(
    (change): DecisionRow => ({
      ...change,
      sync,
      state: 'open',
      by_whom: null,
      why: null,
      at: now,
      expires_at: now,
      run: null,
      ended_at: now,
      ended_by: run,
    }),
  );
  await db
    .insertInto('decisions')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['sync', 'identification', 'hash']).doNothing())
    .execute();
}
