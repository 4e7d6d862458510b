import { type Correction, type CorrectionsFound, correctionKey } from '../core/person/corrections.ts';
import { RollcallError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { ReadProfile } from '../ports/reads.ts';
import type { RawText, RawTexts, ReadRecord, Reads, Watermark } from '../ports/store.ts';
import { asOwner, type Database, type OpenTransaction, type Schema } from './db/database.ts';
import { fields } from './db/fields.ts';
import type { KeyRing } from './db/key-ring.ts';
import { put, RowWriter } from './db/row-writer.ts';
import { placeOf } from './db/tables.ts';

const reads = fields<Omit<ReadRecord, 'profile'>, 'reads'>(
  'reads',
  { read_at: 'at', row_count: 'rows', sight: 'visibility', profile: null },
  { isAccepted: 'flag', fillRates: 'json', visibility: 'optional json', blocked: 'optional json' },
);

const watermarks = fields<Watermark, 'watermarks'>('watermarks', { sync: null, known_at: 'at' });

export function createReads(db: Database, keys: KeyRing): Reads {
  const newest = async (sync: string, accepted: readonly number[]): Promise<ReadRecord | undefined> => {
    const row = await db
      .selectFrom('reads')
      .selectAll()
      .where('sync', '=', sync)
      .where('is_accepted', 'in', accepted)
      .orderBy('read_at', 'desc')
      .orderBy('run', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && { ...reads.fromRow(row), ...given({ profile: profileOf(row, keys) }) };
  };
  return {
    last: (sync) => newest(sync, [1]),
    latest: (sync) => newest(sync, [0, 1]),

    async recent(sync, count) {
      const rows = await db
        .selectFrom('reads')
        .select('read_at')
        .where((eb) => eb.and({ sync, is_accepted: 1 }))
        .orderBy('read_at', 'desc')
        .limit(count)
        .execute();
      return rows.map(({ read_at: at }) => at);
    },

    put: (owned, read) => asOwner(db, owned, (transaction) => putRead(transaction, keys, read)),

    async accept(runId) {
      await db.updateTable('reads').set({ is_accepted: 1 }).where('run', '=', runId).execute();
    },

    watermark: (sync) => readWatermark(db, sync),
    corrections: (sync) => readCorrections(db, sync),
  };
}

/** Stores a read. A resumed run reads again, and its later read replaces the first. */
export function putRead(db: OpenTransaction, keys: KeyRing, read: ReadRecord): Promise<void> {
  const { run, profile } = read;
  const sealed = profile && keys.close(JSON.stringify(profile), placeOf('reads', 'profile', { run }));
  return put(db, 'reads', { ...reads.toRow(read), profile: sealed ?? null });
}

function profileOf({ run, profile }: { run: string; profile: string | null }, keys: KeyRing): ReadProfile | undefined {
  if (profile === null) return undefined;
  try {
    return JSON.parse(keys.open(profile, placeOf('reads', 'profile', { run }))) as ReadProfile;
  } catch (error) {
    if (error instanceof RollcallError) return undefined;
    throw error;
  }
}

/** `Reads.watermark`. */
export async function readWatermark(db: Database, sync: string): Promise<Watermark | undefined> {
  const row = await db.selectFrom('watermarks').selectAll().where('sync', '=', sync).executeTakeFirst();
  return row && watermarks.fromRow(row);
}

/** Sets the sync's watermark, or deletes it when `mark` is undefined. */
export async function putWatermark(db: OpenTransaction, sync: string, mark: Watermark | undefined): Promise<void> {
  if (mark === undefined) {
    await db.deleteFrom('watermarks').where('sync', '=', sync).execute();
    return;
  }
  await put(db, 'watermarks', { ...watermarks.toRow(mark), sync });
}

const corrections = fields<Correction, 'corrections'>('corrections', { sync: null }, { hasAccess: 'flag' });
const correctionWriter = new RowWriter<'corrections', Schema['corrections']>('corrections');

export const toCorrection = corrections.fromRow;

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
  { corrections: all, isOver, at }: CorrectionsFound,
): Promise<void> {
  const before = await readCorrections(db, sync);
  const known = new Map(before.map((one) => [correctionKey(one), one]));
  const found = new Map(
    all.map((one) => [correctionKey(one), { ...one, since: known.get(correctionKey(one))?.since ?? at }]),
  );
  for (const [key, one] of known) {
    const isUnnamed = one.subject === one.place;
    if (!found.has(key) && !isUnnamed && !isOver(one.subject)) found.set(key, one);
  }
  const after = [...found.values()].map((one) => ({ ...corrections.toRow(one), sync }));
  const same = new Set(before.map((one) => JSON.stringify({ ...corrections.toRow(one), sync })));
  if (after.length === before.length && after.every((row) => same.has(JSON.stringify(row)))) return;
  await db.deleteFrom('corrections').where('sync', '=', sync).execute();
  await correctionWriter.write(db, after);
}

const mostTexts = 200;
const mostCharacters = 4000;

export function createRawTexts(db: Database, keys: KeyRing): RawTexts {
  return {
    async add(owned, { at, about, text }) {
      if (keys.prefix === undefined) return;
      const run = owned.run.id;
      await asOwner(db, owned, async (transaction) => {
        const last = await transaction
          .selectFrom('raw_texts')
          .select((eb) => eb.fn.max('number').as('number'))
          .where('run', '=', run)
          .executeTakeFirst();
        const number = (last?.number ?? 0) + 1;
        if (number > mostTexts) return;
        const content = JSON.stringify([about, text.slice(0, mostCharacters)]);
        const sealed = keys.close(content, placeOf('raw_texts', 'sealed', { run, number }));
        await transaction.insertInto('raw_texts').values({ run, number, at, sealed }).execute();
      });
    },

    async ofRun(run) {
      const rows = await db.selectFrom('raw_texts').selectAll().where('run', '=', run).orderBy('number').execute();
      return rows.map(({ number, at, sealed }): RawText => {
        const [about, text] = JSON.parse(keys.open(sealed, placeOf('raw_texts', 'sealed', { run, number }))) as [
          string,
          string,
        ];
        return { at: at, about, text };
      });
    },
  };
}
