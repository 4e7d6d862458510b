import { describe } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { describeStore } from '../contracts/store.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

/** Every table but the list of migrations; whatever belongs to another row goes with it, in any order. */
const emptyTables = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = current_schema() and tablename not like 'kysely%' loop
    execute format('delete from %I', name);
  end loop; end $$`;

describe.skipIf(postgres === undefined)('on a real server', () => {
  let database: string | undefined;

  describeStore('store in PostgreSQL', async () => {
    if (postgres === undefined) throw new Error('skipped without a server');
    if (database === undefined) database = await postgres.newDatabase();
    else await postgres.query(database, emptyTables);
    return openStore(database, { folder: '.' });
  });
});
