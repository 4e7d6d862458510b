import type { RawText, RawTexts } from '../ports/raw-texts.ts';
import { asOwner, type Database } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import { placeOf } from './tables.ts';

const mostTexts = 200;
const mostCharacters = 4000;

export function createRawTexts(db: Database, keys: KeyRing): RawTexts {
  return {
    async add(owned, { at, about, text }) {
      if (keys.prefix === undefined) return;
      const run = owned.run.id;
      await asOwner(db, owned, async (transaction) => {
        const last = await transaction
          .selectFrom('raw_texts')
          .select((eb) => eb.fn.max('number').as('number'))
          .where('run', '=', run)
          .executeTakeFirst();
        const number = Number(last?.number ?? 0) + 1;
        if (number > mostTexts) return;
        const content = JSON.stringify([about, text.slice(0, mostCharacters)]);
        const sealed = keys.close(content, placeOf('raw_texts', 'sealed', { run, number }));
        await transaction.insertInto('raw_texts').values({ run, number, at, sealed }).execute();
      });
    },

    async ofRun(run) {
      const rows = await db.selectFrom('raw_texts').selectAll().where('run', '=', run).orderBy('number').execute();
      return rows.map(({ number, at, sealed }): RawText => {
        const [about, text] = JSON.parse(keys.open(sealed, placeOf('raw_texts', 'sealed', { run, number }))) as [
          string,
          string,
        ];
        return { at: Number(at), about, text };
      });
    },
  };
}
