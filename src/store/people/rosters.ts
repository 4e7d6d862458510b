import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openRoster, type RosterHeader, type RosterPage } from '../../core/plan/roster.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Rosters } from '../../ports/store.ts';
import { asOwner, type Database, type Schema } from '../db/database.ts';
import { fields } from '../db/fields.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { put, RowWriter, replace } from '../db/row-writer.ts';
import { putRead } from '../reads.ts';
import { createDirectoryEnds } from './directories.ts';
import { fromText, noteStandings, readPast } from './past.ts';

const pagesAtOnce = 200;
/** A page is some 40 KB of text. So few that neither memory nor other work of this process notices. */
const writtenAtOnce = 32;

export function createRosters(db: Database, keys: KeyRing): Rosters {
  const endDirectory = createDirectoryEnds(keys);
  const pageWriter = new RowWriter<'roster_pages', Schema['roster_pages']>('roster_pages', replace);
  const rosters: Rosters = {
    async open(sync) {
      const row = await db.selectFrom('rosters').selectAll().where('sync', '=', sync).executeTakeFirst();
      if (row === undefined) return undefined;
      const header = { ...headers.fromRow(row), pages: { people: row.people_pages, emails: row.email_pages } };
      return openRoster(header, async (part, numbers) => {
        const pages: RosterPage[] = [];
        for (const some of chunk(numbers, pagesAtOnce)) {
          const rows = await db
            .selectFrom('roster_pages')
            .select(['page', 'data'])
            .where((eb) => eb.and({ sync, part }))
            .where('page', 'in', some)
            .execute();
          for (const { page, data } of rows) pages.push({ part, page: page, data: fromText(data) });
        }
        return pages;
      });
    },

    put(owned, header, pages, { read, directory } = {}) {
      const { sync } = header;
      return asOwner(db, owned, async (transaction) => {
        const stored = await transaction
          .selectFrom('roster_pages')
          .select(['part', 'page', 'digest'])
          .where('sync', '=', sync)
          .execute();
        const known = new Map(stored.map(({ part, page, digest }) => [`${part} ${page}`, digest]));
        const changed: RosterPage[] = [];
        for (const some of chunk(pages, writtenAtOnce)) {
          const isNew = ({ part, page, data }: RosterPage) => known.get(`${part} ${page}`) !== digestOf(toText(data));
          changed.push(...some.filter(isNew));
          await nextTurn();
        }
        const since = await noteStandings(transaction, header, {
          ...{ changed, startedAt: owned.run.startedAt, isDoubted: false },
        });
        for (const some of chunk(changed, writtenAtOnce)) {
          const rows = some.map(({ part, page, data }): Schema['roster_pages'] => {
            const text = toText(data);
            return { sync, part, page, digest: digestOf(text), data: text };
          });
          await pageWriter.write(transaction, rows);
          await nextTurn();
        }
        for (const part of ['people', 'emails'] as const) {
          await transaction
            .deleteFrom('roster_pages')
            .where((eb) => eb.and({ sync, part }))
            .where('page', '>=', header.pages[part])
            .execute();
        }
        const { people, emails } = header.pages;
        const sizes = { people_pages: people, email_pages: emails, known_since: since };
        await put(transaction, 'rosters', { ...headers.toRow(header), ...sizes });
        if (directory !== undefined) await endDirectory(transaction, directory);
        if (read !== undefined) await putRead(transaction, keys, read);
      });
    },

    doubt(owned, { read, ...header }, pages) {
      return asOwner(db, owned, async (transaction) => {
        const { startedAt } = owned.run;
        await noteStandings(transaction, header, { changed: pages, startedAt, isDoubted: true });
        await putRead(transaction, keys, read);
      });
    },

    past: (sync, identification) => readPast(db, rosters, sync, identification),
  };
  return rosters;
}

const headers = fields<Omit<RosterHeader, 'pages'>, 'rosters'>('rosters', {
  read_at: 'at',
  people: 'rows',
  people_pages: null,
  email_pages: null,
  known_since: null,
});

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function toText(data: Int32Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}
