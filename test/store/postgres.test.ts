import { describe } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { describeStore } from '../contracts/store.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

// What else there is belongs to these and goes with them.
const tables = ['runs', 'plans', 'holds', 'leases', 'triggers', 'ledger', 'approvals', 'tokens', 'alert_states', 'alert_deliveries'];

describe.skipIf(postgres === undefined)('on a real server', () => {
  let database: string | undefined;

  describeStore('store in PostgreSQL', async () => {
    if (postgres === undefined) throw new Error('skipped without a server');
    if (database === undefined) database = await postgres.newDatabase();
    else await postgres.query(database, tables.map((table) => `delete from ${table}`).join(';'));
    return openStore(database, { folder: '.' });
  });
});
