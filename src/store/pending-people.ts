import { compareIdentifications } from '../core/plan/change.ts';
import type { Database } from './database.ts';

/** How long the digest of a plan that was shown may be approved (`rollcall apply --approve`). */
const shownForMs = 24 * 3_600_000;

/** `Decisions.pending`. */
export async function pendingPeople(
  db: Database,
  sync: string,
  { now, limit, after = '' }: { readonly now: number; readonly limit: number; readonly after?: string },
): Promise<readonly string[]> {
  const decided = await db
    .selectFrom('decisions')
    .select('identification')
    .distinct()
    .where('sync', '=', sync)
    .where('ended_at', 'is', null)
    .where('identification', '>', after)
    .orderBy('identification')
    .limit(limit)
    .execute();
  const names = new Set(decided.map(({ identification }) => identification));
  for (const plan of await shownPlans(db, sync, now)) {
    const shown = await db
      .selectFrom('changes')
      .select('identification')
      .where('plan', '=', plan)
      .where('identification', '>', after)
      .where('state', 'in', ['planned', 'held'])
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('decisions')
              .select('decisions.hash')
              .where('decisions.sync', '=', sync)
              .whereRef('decisions.identification', '=', 'changes.identification')
              .whereRef('decisions.hash', '=', 'changes.hash'),
          ),
        ),
      )
      .orderBy('identification')
      .limit(limit)
      .execute();
    for (const { identification } of shown) names.add(identification);
  }
  return [...names].sort(compareIdentifications).slice(0, limit);
}

/** Plans of the sync that were only shown, and not too long ago to be approved by digest. */
export async function shownPlans(db: Database, sync: string, now: number): Promise<readonly string[]> {
  const plans = await db
    .selectFrom('plans')
    .select('id')
    .where('sync', '=', sync)
    .where('run', 'is', null)
    .where('digest', 'is not', null)
    .where('made_at', '>', now - shownForMs)
    .execute();
  return plans.map(({ id }) => id);
}
