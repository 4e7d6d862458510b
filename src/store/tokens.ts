import type { TokenRecord } from '../ports/store.ts';
import type { Session, Sessions } from '../ports/store-operations.ts';
import type { TokenBook } from '../ports/tokens.ts';
import type { Database, Schema } from './db/database.ts';
import { fields } from './db/fields.ts';
import { addNew } from './db/row-writer.ts';
import type { StoreProof } from './db/store-proof.ts';

const tokens = fields<Omit<TokenRecord, 'restored'>, 'tokens'>(
  'tokens',
  { room: null, restored_at: null, restored_seed: null },
  { usedSeeds: 'json', triedSeeds: 'json' },
);

/** The pair is durable when `replace` resolves, because the database syncs every commit to disk. */
export function createTokenStore(db: Database, proof: StoreProof): TokenBook {
  const rows = () => db.selectFrom('tokens').select([...tokens.columns, 'restored_at', 'restored_seed']);
  const update = async (seen: TokenRecord, next: TokenRecord, room: string | undefined): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('tokens')
      .set(toRow({ ...next, connection: seen.connection }, room))
      .where((eb) => eb.and({ connection: seen.connection, generation: seen.generation, state: seen.state }))
      // The start of the refresh is part of the comparison: a second refresh of the same generation is another attempt.
      .where('refresh_started_at', 'is not distinct from', seen.refreshStartedAt ?? null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  return {
    async get(connection) {
      const query = rows().where('connection', '=', connection);
      const row = await proof.read(connection, () => query.executeTakeFirst());
      return row && toRecord(row);
    },

    all: async () => new Map((await rows().execute()).map((row) => [row.connection, toRecord(row)])),

    async replace(seen, next, room) {
      const isStored =
        seen === undefined ? await addNew(db, 'tokens', toRow(next, room)) : await update(seen, next, room);
      if (isStored) proof.wrote(seen?.connection ?? next.connection, next.generation);
      return isStored;
    },
  };
}

function toRow({ restored, ...record }: TokenRecord, room: string | undefined): Schema['tokens'] {
  const restore = { restored_at: restored?.at ?? null, restored_seed: restored?.seedHash ?? null };
  return { ...tokens.toRow(record), ...restore, room: room ?? null };
}

function toRecord(row: Omit<Schema['tokens'], 'room'>): TokenRecord {
  const { restored_at: at, restored_seed: seed } = row;
  // A row that a restore made has no list of tried tokens.
  const record = tokens.fromRow({ ...row, tried_seeds: row.tried_seeds ?? '[]' });
  return { ...record, restored: at === null ? undefined : { at, seedHash: seed ?? undefined } };
}

const sessions = fields<Session, 'sessions'>('sessions', {}, { groups: 'json', grants: 'json' });

export function createSessions(db: Database): Sessions {
  return {
    async add(session) {
      await db.deleteFrom('sessions').where('expires_at', '<=', session.createdAt).execute();
      await db.insertInto('sessions').values(sessions.toRow(session)).execute();
    },

    async get(key) {
      const row = await db.selectFrom('sessions').selectAll().where('key', '=', key).executeTakeFirst();
      return row && sessions.fromRow(row);
    },

    async touch(key, usedAt) {
      await db
        .updateTable('sessions')
        .set({ used_at: usedAt })
        .where('key', '=', key)
        .where('used_at', '<', usedAt)
        .execute();
    },

    async regrant({ key, grants: had }, grants) {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({ grants: JSON.stringify(grants) })
        .where((eb) => eb.and({ key, grants: JSON.stringify(had) }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async end(key) {
      const { numDeletedRows } = await db.deleteFrom('sessions').where('key', '=', key).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async list() {
      const rows = await db.selectFrom('sessions').selectAll().orderBy('used_at', 'desc').orderBy('key').execute();
      return rows.map(sessions.fromRow);
    },
  };
}
