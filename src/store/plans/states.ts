import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { ChangeClass, ChangePart } from '../../core/plan/change.ts';
import { conflict, notFound } from '../../core/run/errors.ts';
import { outOf } from '../../core/run/formats.ts';
import { type RunScope, undoneBy } from '../../ports/runs.ts';
import type { Batch, ChangeMark, NewBatch, Plans } from '../../ports/store.ts';
import { asOwner, type Database, type OpenTransaction, type Schema } from '../db/database.ts';
import { decisionsOf, lockName } from '../db/differences.ts';
import { fields } from '../db/fields.ts';
import { inLists } from '../db/row-writer.ts';
import { changedPattern, classMask, isPlanned, type OnChange } from './changes.ts';
import {
  aboutPiece,
  decisionAbout,
  inPiece,
  inPieces,
  inPlan,
  piecesOf,
  planOfRun,
  proposalsAbout,
} from './plan-access.ts';

/*
 * The state of a change is that of its mark. Only a hold of a whole class marks no change: it is a row of `plan_holds`,
 * and a change of the class is held as long as nothing else happened to it.
 *
 *   planned  →  held       with its class (`hold`), or marked: `holdSome`, `holdFields`, `setAside`, `Plans.add`
 *   planned, held  →  dropped             `setAside`, `Plans.add`
 *   planned, held  →  planned, approved   `applyApprovals`
 *   planned, held  →  planned, in a batch `Batches.create`
 *   in a batch  →  sent and further       `markChanges`
 */

const isOfClass = (eb: OnChange, classes: readonly ChangeClass[]) =>
  eb(eb('classes', '&', classMask(classes)), '!=', 0);

/** What guards and operators do to the changes of a plan, and what happened to those of a run. */
export function createPlanStates(
  db: Database,
): Pick<Plans, 'hold' | 'holdSome' | 'holdFields' | 'setAside' | 'applyApprovals' | 'setStates'> {
  const holdWhere = async (
    transaction: OpenTransaction,
    reason: string,
    isMeant: (eb: OnChange) => Expression<SqlBool>,
  ): Promise<number> => {
    const { numUpdatedRows } = await transaction
      .updateTable('changes')
      .set({ mark: 'held', mark_reason: reason })
      .where(isMeant)
      .where(isPlanned)
      .where('is_approved', '=', 0)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  };

  return {
    hold(owned, planId, classes, reason) {
      return inPlan(db, owned, planId, async (transaction) => {
        const { number } = await transaction
          .selectFrom('plan_holds')
          .select((eb) => eb.fn.countAll<number>().as('number'))
          .where('plan', '=', planId)
          .executeTakeFirstOrThrow();
        const hold = { plan: planId, number, classes: classMask(classes), reason };
        await transaction.insertInto('plan_holds').values(hold).execute();
      });
    },

    holdSome(owned, planId, { names, class: held }, reason) {
      return inPlan(db, owned, planId, async (transaction) => {
        let count = 0;
        for (const some of inLists(names)) {
          count += await holdWhere(transaction, reason, (eb) =>
            eb.and([eb('plan', '=', planId), eb('identification', 'in', some), isOfClass(eb, [held])]),
          );
        }
        return count;
      });
    },

    async holdFields(owned, planId, fields, reason) {
      let count = 0;
      const isChanged = (eb: OnChange) => eb.or(fields.map((field) => eb('changed', 'like', changedPattern(field))));
      const counts = inPieces(db, owned, planId, (transaction, piece) =>
        holdWhere(transaction, reason, (eb) => eb.and([inPiece(piece)(eb), eb('kind', '=', 'update'), isChanged(eb)])),
      );
      for await (const some of counts) count += some;
      return count;
    },

    setAside(owned, planId, names, { part = 'account', state, reason }) {
      return inPlan(db, owned, planId, async (transaction) => {
        for (const some of inLists(names)) {
          await transaction
            .updateTable('changes')
            .set({ mark: state, mark_reason: reason })
            .where('plan', '=', planId)
            .where('identification', 'in', some)
            .where('part', '=', part)
            .where('mark', 'in', ['planned', 'held'])
            .execute();
        }
      });
    },

    applyApprovals(owned, planId, sync, now) {
      return inPlan(db, owned, planId, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        const valid = inForce({ sync, now, run: owned?.run.id });
        const any = await transaction.selectFrom('decisions').select('hash').where(valid).limit(1).executeTakeFirst();
        if (any === undefined) return 0;
        let approved = 0;
        for await (const piece of piecesOf(transaction, planId)) {
          const { numUpdatedRows } = await transaction
            .updateTable('changes')
            .set({ is_approved: 1, mark: 'planned', mark_reason: null })
            .where(inPiece(piece))
            .where('mark', 'in', ['planned', 'held'])
            .where((eb) => eb.exists(decisionAbout(eb, sync).where(valid)))
            .executeTakeFirst();
          approved += Number(numUpdatedRows);
        }
        if (owned !== undefined && approved > 0) await consumeApprovals(transaction, planId, sync, owned.run.id);
        return approved;
      });
    },

    setStates: (owned, marks) => asOwner(db, owned, (transaction) => markChanges(transaction, owned.run.id, marks)),
  };
}

/** Selects approvals that still apply: until a run has used them, and after that only to that run. */
function inForce({
  sync,
  now,
  run,
}: {
  readonly sync: string;
  readonly now: number;
  readonly run: string | undefined;
}) {
  return (on: ExpressionBuilder<Schema, 'decisions'>) =>
    on.and([
      on('decisions.sync', '=', sync),
      on('decisions.state', '=', 'approved'),
      on('decisions.ended_at', 'is', null),
      on('decisions.expires_at', '>', now),
      on.or([on('decisions.run', 'is', null), on('decisions.run', '=', run ?? null)]),
    ]);
}

/** Assigns the approvals of changes in the plan to its run. The run may plan again after a crash; no other run may. */
async function consumeApprovals(db: OpenTransaction, planId: string, sync: string, run: string): Promise<void> {
  for await (const piece of piecesOf(db, planId)) {
    await db
      .updateTable('decisions')
      .set({ run })
      .where((eb) => eb.and({ sync, state: 'approved' }))
      .where('run', 'is', null)
      .where(aboutPiece(piece))
      .where((eb) =>
        eb.exists(
          proposalsAbout(eb, planId)
            .whereRef('changes.hash', '=', 'decisions.hash')
            .where('changes.is_approved', '=', 1),
        ),
      )
      .execute();
  }
}

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
  const undone = await undoneRun(db, run);
  const lastByName = new Map(marks.map((mark) => [`${mark.part ?? ''} ${mark.identification}`, mark]));
  for (const group of groupsOf([...lastByName.values()])) {
    const { state, reason, appliedAt, part = 'account' } = group.mark;
    let marked = 0n;
    for (const names of inLists(group.identifications)) {
      const { numUpdatedRows } = await db
        .updateTable('changes')
        .set({
          mark: state,
          mark_reason: reason ?? null,
          ...(appliedAt === undefined ? {} : { applied_at: appliedAt }),
        })
        .where('plan', '=', plan)
        .where('identification', 'in', names)
        .where('part', '=', part)
        .$if(batch !== undefined, (query) => query.where('batch', '=', batch ?? ''))
        .executeTakeFirst();
      marked += numUpdatedRows;
      if (appliedAt !== undefined && undone !== undefined) await markUndone(db, { undone, plan }, { names, part });
    }
    if (Number(marked) !== group.identifications.length) {
      const where = batch === undefined ? `run ${run}` : `batch ${batch} of run ${run}`;
      const missing = group.identifications.length - Number(marked);
      const message = `${outOf(missing, `${group.identifications.length} changes to mark as ${state}`)} not in ${where}; no change was marked.`;
      throw notFound(message);
    }
  }
}

/** Returns the run that this one undoes; undefined for any other run. */
async function undoneRun(db: OpenTransaction, run: string): Promise<string | undefined> {
  const row = await db.selectFrom('runs').select('scope').where('id', '=', run).executeTakeFirst();
  return row && undoneBy(JSON.parse(row.scope) as RunScope)?.run;
}

/** What an undo has taken back no longer counts as something that happened to its person. */
async function markUndone(
  db: OpenTransaction,
  { undone, plan }: { readonly undone: string; readonly plan: string },
  { names, part }: { readonly names: readonly string[]; readonly part: ChangePart },
): Promise<void> {
  await db
    .updateTable('changes')
    .set({ event: 'undone' })
    .where('plan', '=', undone)
    .where('identification', 'in', names)
    .where('part', '=', part)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('changes as back')
          .select('back.kind')
          .where('back.plan', '=', plan)
          .whereRef('back.identification', '=', 'changes.identification')
          .whereRef('back.part', '=', 'changes.part')
          .where((on) => on.or([on('back.kind', '!=', 'update'), on('back.changed', '=', on.ref('changes.changed'))])),
      ),
    )
    .execute();
}

interface MarkGroup {
  readonly mark: ChangeMark;
  readonly identifications: string[];
}

/** Groups equal marks of many users, so that one statement writes them all. */
function groupsOf(marks: readonly ChangeMark[]): Iterable<MarkGroup> {
  const groups = new Map<string, MarkGroup>();
  for (const mark of marks) {
    const key = JSON.stringify([mark.part, mark.state, mark.reason ?? null, mark.appliedAt ?? null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { mark, identifications: [mark.identification] });
    else group.identifications.push(mark.identification);
  }
  return groups.values();
}

export const batches = fields<Batch, 'batches'>('batches', {});

/** `Batches.create`. */
export async function addBatches(db: OpenTransaction, run: string, some: readonly NewBatch[]): Promise<void> {
  if (some.length === 0) return;
  const plan = await planOfRun(db, run);
  for (const { batch, identifications } of some) await createBatch(db, plan, { ...batch, run }, identifications);
}

/**
 * Writes a batch and assigns its changes, which must be in no batch, or in the batch that it was split from. Throws
 * `CONFLICT` when one of them is in another batch, because a change in two batches would be delivered twice.
 */
async function createBatch(
  db: OpenTransaction,
  plan: string,
  batch: Batch,
  identifications: readonly string[],
): Promise<void> {
  await db.insertInto('batches').values(batches.toRow(batch)).execute();
  const names = [...new Set(identifications)];
  let taken = 0;
  for (const some of inLists(names)) {
    const { numUpdatedRows } = await db
      .updateTable('changes')
      .set({ batch: batch.id, mark: 'planned', mark_reason: null })
      .where('plan', '=', plan)
      .where('identification', 'in', some)
      .where('part', '=', batch.kind === 'leaders' ? 'leaders' : 'account')
      .where('batch', 'is not distinct from', batch.parent ?? null)
      .executeTakeFirst();
    taken += Number(numUpdatedRows);
  }
  if (taken === names.length) return;
  const from = batch.parent === undefined ? 'without a batch' : `in batch ${batch.parent}`;
  const message = `batch ${batch.number} of run ${batch.run} needs ${names.length} changes, but ${outOf(names.length - taken, 'them')} not ${from}; no batch was written.`;
  throw conflict(message);
}
