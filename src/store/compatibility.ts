import type { Kysely } from 'kysely';
import { RollcallError } from '../core/run/errors.ts';
import type { Migrations } from './migrations/index.ts';
import type { Schema } from './schema.ts';

/**
 * Returns the executed migrations that only a newer version knows and that leave the store usable for this one. Throws
 * `STORE_INVALID` when one of them breaks older versions, or does not say. `tables` are the tables of the store, `known`
 * the migrations of this version.
 */
export async function findNewerMigrations(
  db: Kysely<unknown>,
  place: string,
  {
    executed,
    tables,
    known,
  }: { readonly executed: readonly string[]; readonly tables: readonly string[]; readonly known: Migrations },
): Promise<readonly string[]> {
  const newer = executed.filter((name) => !Object.hasOwn(known, name)).toSorted();
  if (newer.length === 0) return [];
  const rows = tables.includes('schema_compatibility')
    ? await (db as unknown as Kysely<Schema>).selectFrom('schema_compatibility').selectAll().execute()
    : [];
  for (const name of newer) {
    const row = rows.find(({ migration }) => migration === name);
    if (row !== undefined && row.breaks === null) continue;
    const since = row === undefined ? '' : ` (since Rollcall ${row.since})`;
    const why = row?.breaks ?? 'it does not say whether older versions can use the store';
    const wanted = row === undefined ? 'the newer version' : `Rollcall ${row.since} or later`;
    const message =
      `the store ${place} was changed by a newer version of Rollcall, and this version cannot use it. The migration ` +
      `${name}${since} is not compatible: ${why}. Run ${wanted}, or restore a backup from before the upgrade.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  return newer;
}

/** Records, for versions that do not know this version's migrations, whether each one leaves the store usable. */
export async function recordCompatibility(db: Kysely<unknown>, known: Migrations): Promise<void> {
  const rows = Object.entries(known).map(([migration, { since, breaks = null }]) => ({
    migration,
    since,
    breaks,
  }));
  await (db as unknown as Kysely<Schema>)
    .insertInto('schema_compatibility')
    .values(rows)
    .onConflict((conflict) => conflict.column('migration').doNothing())
    .execute();
}
