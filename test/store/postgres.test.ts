import { describe } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { describeStore } from '../contracts/store.ts';
import { emptyPostgresTables } from '../contracts/store-newer.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

describe.skipIf(postgres === undefined)('on a real server', () => {
  let database: string | undefined;

  describeStore('store in PostgreSQL', async () => {
    if (postgres === undefined) throw new Error('skipped without a server');
    if (database === undefined) database = await postgres.newDatabase();
    else await postgres.query(database, emptyPostgresTables);
    return openStore(database, { folder: '.' });
  });
});
