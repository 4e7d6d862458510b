import { describe } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { describeStore, openInTurn } from '../contracts/store.ts';
import { describeSealing } from '../contracts/store-sealing.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

describe.skipIf(postgres === undefined)('on a real server', async () => {
  if (postgres === undefined) return;
  describeStore('store in PostgreSQL', await openInTurn(await postgres.newDatabase()));

  describeSealing('personal data in PostgreSQL', async () => {
    const place = await postgres.newStore();
    return (keys) => openStore(place, { folder: '.', seals: keys });
  });
});
