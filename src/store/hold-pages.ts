import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, OpenTransaction } from './database.ts';
import type { HoldRow } from './hold-schema.ts';
import type { SortedHashes } from './sorted-hashes.ts';

/**
 * Hashes in a page: 134 KB of text. The hold itself has the first page, because that is where a version without pages
 * looks: it then closes a large hold by its first page, and the next run opens it again.
 */
const hashesPerPage = 2000;

/** Writes a hold and its hashes, page by page. Other work of this process gets a turn after each page. */
export async function insertHold(
  db: OpenTransaction,
  hold: Omit<HoldRow, 'hashes' | 'size'>,
  hashes: SortedHashes,
): Promise<void> {
  let page = 0;
  for (const list of hashes.lists(hashesPerPage)) {
    const text = JSON.stringify(list);
    if (page === 0) {
      await db
        .insertInto('holds')
        .values({ ...hold, hashes: text, size: hashes.size })
        .execute();
    } else {
      await db.insertInto('hold_pages').values({ hold: hold.id, page, hashes: text }).execute();
    }
    page += 1;
    await nextTurn();
  }
}

/** Yields the hashes of a hold in order, one page at a time. */
export async function* hashPages(db: Database, id: string): AsyncGenerator<readonly string[], void> {
  const first = await db.selectFrom('holds').select('hashes').where('id', '=', id).executeTakeFirst();
  if (first === undefined) return;
  yield JSON.parse(first.hashes) as string[];
  for (let page = 1; ; page++) {
    await nextTurn();
    const next = await db
      .selectFrom('hold_pages')
      .select('hashes')
      .where('hold', '=', id)
      .where('page', '=', page)
      .executeTakeFirst();
    if (next === undefined) return;
    yield JSON.parse(next.hashes) as string[];
  }
}
