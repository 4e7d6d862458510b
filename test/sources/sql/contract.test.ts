import { describe } from 'vitest';
import { sourceContract } from '../../contracts/source.ts';
import { startMariaDb, startPostgres } from '../../support/services.ts';
import { sqlOnMariaDb, sqlOnPostgres, sqlOnSqlite } from './under-test.ts';

const postgres = await startPostgres();
const mariaDb = await startMariaDb();

sourceContract(sqlOnSqlite);

describe.skipIf(postgres === undefined)('on a real server:', () => {
  sourceContract(sqlOnPostgres(postgres));
});

describe.skipIf(mariaDb === undefined)('on a real server:', () => {
  sourceContract(sqlOnMariaDb(mariaDb));
});
