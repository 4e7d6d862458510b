import { type Correction, correctionKey } from '../core/run/corrections.ts';
import type { CorrectionsFound } from '../ports/reads.ts';
import type { Database, OpenTransaction } from './db/database.ts';
import { fields } from './db/fields.ts';
import { RowWriter } from './db/row-writer.ts';
import type { Schema } from './db/schema.ts';

const rows = fields<Correction, 'corrections'>('corrections', { sync: null }, { hasAccess: 'flag' });
const writer = new RowWriter<'corrections', Schema['corrections']>('corrections');

export const toCorrection = rows.fromRow;

/** `Reads.corrections`. */
export async function readCorrections(db: Database, sync: string): Promise<readonly Correction[]> {
  const found = await db
    .selectFrom('corrections')
    .selectAll()
    .where('sync', '=', sync)
    .orderBy('subject')
    .orderBy('code')
    .orderBy('field')
    .execute();
  return found.map(toCorrection);
}

/** Replaces the corrections of a sync. What was there before keeps its time, and what is over is deleted. */
export async function putCorrections(
  db: OpenTransaction,
  sync: string,
  { corrections, isOver, at }: CorrectionsFound,
): Promise<void> {
  const before = await readCorrections(db, sync);
  const known = new Map(before.map((one) => [correctionKey(one), one]));
  const found = new Map(
    corrections.map((one) => [correctionKey(one), { ...one, since: known.get(correctionKey(one))?.since ?? at }]),
  );
  for (const [key, one] of known) {
    const isUnnamed = one.subject === one.place;
    if (!found.has(key) && !isUnnamed && !isOver(one.subject)) found.set(key, one);
  }
  const after = [...found.values()].map((one) => ({ ...rows.toRow(one), sync }));
  const same = new Set(before.map((one) => JSON.stringify({ ...rows.toRow(one), sync })));
  if (after.length === before.length && after.every((row) => same.has(JSON.stringify(row)))) return;
  await db.deleteFrom('corrections').where('sync', '=', sync).execute();
  await writer.write(db, after);
}
