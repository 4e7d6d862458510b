import { RollcallError } from '../core/run/errors.ts';
import type { ChangeMark } from '../ports/store.ts';
import type { OpenTransaction } from './database.ts';
import { inLists } from './row-writer.ts';

/**
 * Sets the states of changes of a run's plan, and only of `batch` when it is given. Throws `NOT_FOUND`, which undoes the
 * whole transaction, when a mark matches no change: a change whose result is not stored would never end.
 */
export async function markChanges(
  db: OpenTransaction,
  run: string,
  marks: readonly ChangeMark[],
  batch?: string,
): Promise<void> {
  if (marks.length === 0) return;
  const plan = await planOfRun(db, run);
  const lastByName = new Map(marks.map((mark) => [mark.identification, mark]));
  for (const group of groupsOf([...lastByName.values()])) {
    const { state, reason, appliedAt } = group.mark;
    let marked = 0n;
    for (const names of inLists(group.identifications)) {
      const { numUpdatedRows } = await db
        .updateTable('changes')
        .set({
          state,
          state_reason: reason ?? null,
          ...(appliedAt === undefined ? {} : { applied_at: appliedAt }),
        })
        .where('plan', '=', plan)
        .where('identification', 'in', names)
        .$if(batch !== undefined, (query) => query.where('batch', '=', batch ?? ''))
        .executeTakeFirst();
      marked += numUpdatedRows;
    }
    if (Number(marked) !== group.identifications.length) {
      const where = batch === undefined ? `run ${run}` : `batch ${batch} of run ${run}`;
      const missing = group.identifications.length - Number(marked);
      const message = `${missing} of ${group.identifications.length} changes to mark as ${state} are not in ${where}; no change was marked.`;
      throw new RollcallError(message, { code: 'NOT_FOUND' });
    }
  }
}

/** Returns the plan of a run. Throws `NOT_FOUND` when the run has none. */
export async function planOfRun(db: OpenTransaction, run: string): Promise<string> {
  const row = await db.selectFrom('plans').select('id').where('run', '=', run).executeTakeFirst();
  if (row === undefined) {
    throw new RollcallError(`run ${run} has no plan in the store, so nothing in it can be changed.`, {
      code: 'NOT_FOUND',
    });
  }
  return row.id;
}

interface MarkGroup {
  readonly mark: ChangeMark;
  readonly identifications: string[];
}

/** Groups equal marks of many users, so that one statement writes them all. */
function groupsOf(marks: readonly ChangeMark[]): Iterable<MarkGroup> {
  const groups = new Map<string, MarkGroup>();
  for (const mark of marks) {
    const key = JSON.stringify([mark.state, mark.reason ?? null, mark.appliedAt ?? null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { mark, identifications: [mark.identification] });
    else group.identifications.push(mark.identification);
  }
  return groups.values();
}
