import { type Selectable, sql } from 'kysely';
import { conflict } from '../core/run/errors.ts';
import type { AlertState } from '../ports/alerts.ts';
import type { Learned, LearnedFacts, Pause, Pauses, Restores, SyncNames } from '../ports/store.ts';
import { isPausing } from '../ports/store-operations.ts';
import { sourceTokenName, tokenPlace } from '../ports/tokens.ts';
import { appendAudit } from './audit/chain.ts';
import { type Database, inTransaction, keyOf, type OpenTransaction, type Schema } from './db/database.ts';
import { fields } from './db/fields.ts';
import type { KeyRing } from './db/key-ring.ts';
import { addNew, isSameRow, put } from './db/row-writer.ts';
import { declaredColumns, declaredTables, placeOf, tables } from './db/tables.ts';

const pauses = fields<Pause, 'pauses'>('pauses', { by_whom: 'by', until_at: 'until' }, { until: 'optional' });

export function createPauses(db: Database): Pauses {
  return {
    async add(pause) {
      const { sync, pausedAt } = pause;
      await db.deleteFrom('pauses').where('sync', '=', sync).where('until_at', '<=', pausedAt).execute();
      return addNew(db, 'pauses', pauses.toRow(pause));
    },

    async remove(sync, now) {
      const removed = await db.deleteFrom('pauses').where('sync', '=', sync).returningAll().execute();
      return removed.some((row) => isPausing(pauses.fromRow(row), now));
    },

    get: (sync, now) => findPause(db, sync, now),

    async list(now) {
      const rows = await db.selectFrom('pauses').selectAll().orderBy('sync').execute();
      return rows.flatMap((row) => pauseAt(row, now) ?? []);
    },
  };
}

export function createLearned(db: Database): Learned {
  const read = async (from: Database | OpenTransaction, connection: string): Promise<LearnedFacts> => {
    const row = await from
      .selectFrom('learned')
      .select('facts')
      .where('connection', '=', connection)
      .executeTakeFirst();
    return row === undefined ? {} : (JSON.parse(row.facts) as LearnedFacts);
  };
  return {
    get: (connection) => read(db, connection),
    update: (connection, change) =>
      inTransaction(db, async (transaction) => {
        const facts = JSON.stringify(change(await read(transaction, connection)));
        await put(transaction, 'learned', { connection, facts });
      }),
  };
}

export async function findPause(db: Database | OpenTransaction, sync: string, now: number): Promise<Pause | undefined> {
  const row = await db.selectFrom('pauses').selectAll().where('sync', '=', sync).executeTakeFirst();
  return row && pauseAt(row, now);
}

/** Returns the pause of a row; undefined after its end. */
export function pauseAt(row: Selectable<Schema['pauses']>, now: number): Pause | undefined {
  const pause = pauses.fromRow(row);
  return isPausing(pause, now) ? pause : undefined;
}

export function createRestores(db: Database): Restores {
  return {
    async last() {
      const row = await db
        .selectFrom('restores')
        .select(['at', 'made_at'])
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && { at: row.at, madeAt: row.made_at };
    },
  };
}

export function createSyncNames(db: Database, keys: KeyRing): SyncNames {
  return {
    async owners(connection) {
      const rows = await db
        .selectFrom('ledger')
        .select((eb) => ['owner', eb.fn.countAll().as('count')])
        .where('connection', '=', connection)
        .where('removed_at', 'is', null)
        .where('disabled_at', 'is', null)
        .groupBy('owner')
        .execute();
      return new Map(rows.map(({ owner, count }) => [owner, Number(count)]));
    },

    async isUsed(order) {
      await refuseElsewhere(db, order);
      for (const table of declaredTables) {
        const { sync } = tables[table] as { readonly sync?: string };
        if (sync === undefined) continue;
        const { rows } = await sql`
          select 1 from ${sql.table(table)} where ${sql.ref(sync)} = ${order.from} limit 1`.execute(db);
        if (rows.length > 0) return true;
      }
      return false;
    },

    rename({ from, to, connection }, entry) {
      return inTransaction(db, async (transaction) => {
        await refuseElsewhere(transaction, { from, to, connection });
        let moved = (await moveAlerts(transaction, from, to)) + (await moveTokens(transaction, keys, from, to));
        for (const table of declaredTables) {
          await resealFor(transaction, keys, table, { from, to });
          moved += await moveRows(transaction, table, from, to);
        }
        if (moved === 0) return false;
        await appendAudit(transaction, entry);
        return true;
      });
    },
  };
}

type RenameOrder = Parameters<SyncNames['rename']>[0];

async function refuseElsewhere(db: Database, { from, to, connection }: RenameOrder): Promise<void> {
  const elsewhere = await db
    .selectFrom('ledger')
    .select('connection')
    .where('owner', '=', from)
    .where('connection', '!=', connection)
    .limit(1)
    .executeTakeFirst();
  if (elsewhere === undefined) return;
  const message = `syncs.${to}.formerly: the users of ${from} are on the connection ${elsewhere.connection}, and ${to} syncs to ${connection}. Remove formerly, or name the connection ${elsewhere.connection}; nothing was moved`;
  throw conflict(message);
}

/** Moves the rotating tokens of the sync's source. */
async function moveTokens(db: OpenTransaction, keys: KeyRing, from: string, to: string): Promise<number> {
  const [former, connection] = [sourceTokenName(from), sourceTokenName(to)];
  const rows = await db.selectFrom('tokens').selectAll().where('connection', 'in', [former, connection]).execute();
  const row = rows.find((one) => one.connection === former);
  if (row === undefined) return 0;
  await db.deleteFrom('tokens').where('connection', '=', former).execute();
  if (rows.length === 2) return 1;
  const { generation } = row;
  const moved = (text: string | null, which: 'access' | 'refresh'): string | null =>
    text === null
      ? null
      : keys.move(text, tokenPlace(former, generation, which), tokenPlace(connection, generation, which));
  const [access_sealed, refresh_sealed] = [moved(row.access_sealed, 'access'), moved(row.refresh_sealed, 'refresh')];
  await db
    .insertInto('tokens')
    .values({ ...row, connection, access_sealed, refresh_sealed })
    .execute();
  return 1;
}

/** A sealed value is bound to the key of its row, so where the name is part of the key it is sealed again. */
async function resealFor(
  db: OpenTransaction,
  keys: KeyRing,
  table: (typeof declaredTables)[number],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const key: readonly string[] = keyOf(table);
  const { sync = '' } = tables[table];
  if (!key.includes(sync)) return;
  for (const { name } of declaredColumns(table).filter(({ sealedBy }) => sealedBy === 'key ring')) {
    const { rows } = await sql<Readonly<Record<string, unknown>>>`
      select * from ${sql.table(table)} where ${sql.ref(sync)} = ${from}`.execute(db);
    for (const row of rows) {
      if (row[name] === null) continue;
      const placed = (one: typeof row): string => placeOf(table, name as never, one);
      const value = keys.move(String(row[name]), placed(row), placed({ ...row, [sync]: to }));
      await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${value} where ${isSameRow(key, row)}`.execute(db);
    }
  }
}

/** Moves the rows of a table. Where the new name has its own, one of a kind, the former ones are deleted. */
async function moveRows(
  db: OpenTransaction,
  table: (typeof declaredTables)[number],
  from: string,
  to: string,
): Promise<number> {
  const key: readonly string[] = keyOf(table);
  const { sync } = tables[table];
  if (sync === undefined) return 0;
  const [name, column] = [sql.table(table), sql.ref(sync)];
  const others = key.filter((one) => one !== sync);
  if (others.length < key.length) {
    // Pages belong to the read of their own header, so they are not mixed. A decision belongs to its change.
    const same = table === 'decisions' ? others : [];
    const isSame = sql.join(
      [sql`own.${column} = ${to}`, ...same.map((one) => sql`own.${sql.ref(one)} = ${sql.ref(`${table}.${one}`)}`)],
      sql` and `,
    );
    await sql`delete from ${name} where ${column} = ${from}
      and exists (select 1 from ${name} as own where ${isSame})`.execute(db);
  }
  const { numAffectedRows } = await sql`update ${name} set ${column} = ${to} where ${column} = ${from}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

async function moveAlerts(db: OpenTransaction, from: string, to: string): Promise<number> {
  const subjects = [`sync ${from}`, `sync ${to}`];
  const rows = await db.selectFrom('alert_states').selectAll().where('subject', 'in', subjects).execute();
  const former = rows.find(({ subject }) => subject === subjects[0]);
  if (former === undefined) return 0;
  if (rows.length === 2) {
    await db.deleteFrom('alert_states').where('subject', '=', former.subject).execute();
    return 1;
  }
  const state: AlertState = { ...(JSON.parse(former.state) as AlertState), subject: { kind: 'sync', name: to } };
  await db
    .updateTable('alert_states')
    .set({ subject: `sync ${to}`, state: JSON.stringify(state) })
    .where('subject', '=', former.subject)
    .execute();
  return 1;
}
