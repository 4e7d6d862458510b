import { join } from 'node:path';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import { openStore } from '../../src/store/index.ts';
import { describeStore, openInTurn, touchedBySealing } from '../contracts/store.ts';
import { describeSealing, sampleKey } from '../contracts/store-sealing.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describeStore('store in SQLite', await openInTurn('sqlite::memory:'));

const seals = [openSeal(sampleKey(1))];
describeStore('sealed store in SQLite', await openInTurn('sqlite::memory:', seals), touchedBySealing);

describeSealing('personal data in SQLite', async () => {
  const place = `sqlite:${join(await temporaryFolder(), 'store.db')}`;
  return (keys) => openStore(place, { folder: '.', seals: keys });
});
