import { conflict } from '../../core/run/errors.ts';
import type { Batch, NewBatch } from '../../ports/store.ts';
import type { OpenTransaction } from '../db/database.ts';
import { fields } from '../db/fields.ts';
import { inLists } from '../db/row-writer.ts';
import { planOfRun } from './changes.ts';

export const batches = fields<Batch, 'batches'>('batches', {});

export const toBatch = batches.fromRow;

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
      .set({ batch: batch.id, state: 'planned', state_reason: null })
      .where('plan', '=', plan)
      .where('identification', 'in', some)
      .where('part', '=', batch.kind === 'leaders' ? 'leaders' : 'account')
      .where('batch', 'is not distinct from', batch.parent ?? null)
      .executeTakeFirst();
    taken += Number(numUpdatedRows);
  }
  if (taken === names.length) return;
  const from = batch.parent === undefined ? 'without a batch' : `in batch ${batch.parent}`;
  const message = `batch ${batch.number} of run ${batch.run} needs ${names.length} changes, but ${names.length - taken} of them are not ${from}; no batch was written.`;
  throw conflict(message);
}
