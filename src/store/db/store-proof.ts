import { RollcallError } from '../../core/run/errors.ts';
import type { OpenDatabase } from './database.ts';

/**
 * What one process has seen of its store: the id, and the newest generation of each token pair that it has read or written.
 * A failover may lead to an older copy, whose refresh tokens are used up, and an address to another database.
 *
 *   another id           refused by this process only: the store may be right, and what is known of it is not
 *   an older generation  marked, so that every process refuses the copy until `admin restore` gives it a new id
 *   moved               refused by every process: its content is in another store
 *   a pair is missing    refused by this process only: a sync that is renamed takes its pair along
 *
 * Each method rejects with `STORE_INVALID` then. It resolves again as soon as the database is the newest copy.
 */
export class StoreProof {
  readonly #opened: OpenDatabase;
  readonly #newest = new Map<string, number>();
  #id: string | undefined;

  constructor(opened: OpenDatabase) {
    this.#opened = opened;
  }

  /** Compares the store with what was seen before the call. */
  async prove(): Promise<void> {
    const { db, place, prove } = this.#opened;
    await prove?.();
    const known = new Map(this.#newest);
    const rows = await db
      .selectFrom('store_identity')
      .leftJoin('tokens', (join) => join.onTrue())
      .select(['store_identity.id', 'store_identity.refused', 'tokens.connection', 'tokens.generation'])
      .execute();
    const { id, refused = null } = rows[0] ?? {};
    this.#id ??= id;
    if (id !== this.#id) {
      const message = `the store ${place} is not the one that this process opened: it was restored, or its address leads to another database. No run starts and no token is presented. Check "store", then restart this process.`;
      throw refusalOf('STORE_OTHER', message);
    }
    if (refused !== null) throw olderStore(place, refused);
    for (const [connection, seen] of known) {
      const found = rows.find((row) => row.connection === connection)?.generation ?? undefined;
      if (found === undefined || found < seen) await this.#refuse(connection, found, seen);
    }
  }

  /** Rejects only where the content is in another store. For whatever writes without a lease. */
  async requireHere(): Promise<void> {
    const { db, place } = this.#opened;
    const row = await db.selectFrom('store_identity').select('refused').executeTakeFirst();
    if (row?.refused?.startsWith(movedTo) === true) throw olderStore(place, row.refused);
  }

  /** Reads the pair of a connection, and compares it with what was seen before the call. */
  async read<Row extends { readonly generation: number }>(
    connection: string,
    query: () => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const seen = this.#newest.get(connection);
    const row = await query();
    const found = row?.generation;
    if (seen !== undefined && (found === undefined || found < seen)) await this.#refuse(connection, found, seen);
    if (found !== undefined) this.wrote(connection, found);
    return row;
  }

  wrote(connection: string, generation: number): void {
    this.#newest.set(connection, Math.max(generation, this.#newest.get(connection) ?? 0));
  }

  async #refuse(connection: string, found: number | undefined, seen: number): Promise<never> {
    const { db, place } = this.#opened;
    const has = found === undefined ? 'no token pair' : `token pair ${found}`;
    const why = `it has ${has} of ${connection}, and pair ${seen} was seen`;
    if (found !== undefined) {
      await db
        .updateTable('store_identity')
        .set({ refused: why })
        .where('id', '=', this.#id ?? '')
        // The next statement may reach the newer copy.
        .where(({ exists, selectFrom }) => {
          const pair = selectFrom('tokens').select('connection').where('connection', '=', connection);
          return exists(pair.where('generation', '=', found));
        })
        .execute()
        .catch(() => {});
    }
    throw olderStore(place, why);
  }
}

/** The beginning of `refused` in a store whose content is in another one. */
export const movedTo = 'it was moved to ';

function olderStore(place: string, why: string): RollcallError {
  if (why.startsWith(movedTo)) {
    const message = `the store ${place} is no longer used: ${why}. No run starts and no token is presented here. Set "store" to that store. If the move did not end, run "rollcall admin move" again.`;
    return refusalOf('STORE_MOVED', message);
  }
  const message = `the store ${place} is an older copy: ${why}. No run starts and no token is presented, because the copy does not know what was done since. Bring the newest copy back, and work continues. If there is none, stop every process, run "rollcall admin backup FILE", then "rollcall admin restore FILE --replace".`;
  return refusalOf('STORE_OLDER', message);
}

function refusalOf(code: 'STORE_OLDER' | 'STORE_OTHER' | 'STORE_MOVED', message: string): RollcallError {
  const cause = Object.assign(new Error('the store was refused'), { code });
  return new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
}
