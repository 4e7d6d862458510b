import { describe } from 'vitest';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import { openStore } from '../../src/store/index.ts';
import { describeStore, touchedBySealing } from '../contracts/store.ts';
import { emptyPostgresTables } from '../contracts/store-newer.ts';
import { describeSealing, sampleKey } from '../contracts/store-sealing.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

describe.skipIf(postgres === undefined)('on a real server', () => {
  let database: string | undefined;

  describeStore('store in PostgreSQL', async () => {
    if (postgres === undefined) throw new Error('skipped without a server');
    if (database === undefined) database = await postgres.newStore();
    else await postgres.query(database, emptyPostgresTables);
    return openStore(database, { folder: '.' });
  });

  let sealed: string | undefined;

  describeStore(
    'sealed store in PostgreSQL',
    async () => {
      if (postgres === undefined) throw new Error('skipped without a server');
      if (sealed === undefined) sealed = await postgres.newStore();
      else await postgres.query(sealed, emptyPostgresTables);
      return openStore(sealed, { folder: '.', seals: [openSeal(sampleKey(1))] });
    },
    touchedBySealing,
  );

  describeSealing('personal data in PostgreSQL', async () => {
    if (postgres === undefined) throw new Error('skipped without a server');
    const place = await postgres.newStore();
    return (keys) => openStore(place, { folder: '.', seals: keys });
  });
});
