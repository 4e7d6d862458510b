import { chunk } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import type { Directories, DirectoryEnd, DirectoryPage, DirectoryRow } from '../../ports/reads.ts';
import { asOwner, type Database, type OpenTransaction, pagesByKey, type Schema } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { put, RowWriter, replace } from '../db/row-writer.ts';
import { placeOf } from '../db/tables.ts';

const pagesAtOnce = 50;

/** The digest of a page that no longer has the rows of its read: the next read writes it again. */
const outdated = '';

export function createDirectories(db: Database, keys: KeyRing): Directories {
  const write = createPageWriter(keys);
  return {
    async list() {
      const rows = await db.selectFrom('directories').selectAll().orderBy('sync').execute();
      return rows.map(({ sync, run, read_at, people, pages }) => {
        return { sync, run, at: read_at, people: people, pages: pages };
      });
    },

    async digests(sync) {
      const rows = await db.selectFrom('directory_pages').select(['page', 'digest']).where('sync', '=', sync).execute();
      return new Map(rows.map(({ page, digest }) => [page, digest]));
    },

    async read(sync, pages) {
      const found: DirectoryPage[] = [];
      for (const some of chunk(pages, pagesAtOnce)) {
        const rows = await db
          .selectFrom('directory_pages')
          .select(['page', 'digest', 'sealed'])
          .where('sync', '=', sync)
          .where('page', 'in', some)
          .execute();
        for (const { page, digest, sealed } of rows) {
          found.push({
            page: page,
            digest,
            rows: rowsOf(keys.open(sealed, placeOf('directory_pages', 'sealed', { sync, page: page }))),
          });
        }
      }
      return found;
    },

    write: (owned, sync, pages) => asOwner(db, owned, (transaction) => write(transaction, sync, pages)),
  };
}

/** Returns a function that stores pages of a sync's directory. */
function createPageWriter(keys: KeyRing) {
  const writer = new RowWriter<'directory_pages', Schema['directory_pages']>('directory_pages', replace);
  return (db: OpenTransaction, sync: string, pages: readonly DirectoryPage[]): Promise<void> => {
    const rows = pages.map(({ page, digest, rows }) => {
      const sealed = keys.close(textOf(rows), placeOf('directory_pages', 'sealed', { sync, page }));
      return { sync, page, digest, sealed };
    });
    return writer.write(db, rows);
  };
}

/** Returns a function that stores the last pages of a directory and its header. */
export function createDirectoryEnds(keys: KeyRing) {
  const write = createPageWriter(keys);
  return async (db: OpenTransaction, { header, pages: last }: DirectoryEnd): Promise<void> => {
    const { sync, run, at, people, pages } = header;
    await write(db, sync, last);
    await db.deleteFrom('directory_pages').where('sync', '=', sync).where('page', '>=', pages).execute();
    await put(db, 'directories', { sync, run, read_at: at, people, pages });
  };
}

/** Returns where the directories have the person. Leaves out pages that no configured key opens. */
export async function findInDirectories(
  db: Database,
  keys: KeyRing,
  identification: string,
): Promise<readonly { readonly sync: string; readonly row: DirectoryRow }[]> {
  const found: { sync: string; row: DirectoryRow }[] = [];
  for await (const { sync, rows } of everyPage(db, keys)) {
    for (const row of rows) if (row.identification === identification) found.push({ sync, row });
  }
  return found;
}

/** Takes the person out of every directory. */
export async function eraseFromDirectories(db: OpenTransaction, keys: KeyRing, identification: string): Promise<void> {
  for await (const { sync, page, rows } of everyPage(db, keys)) {
    const kept = rows.filter((row) => row.identification !== identification);
    if (kept.length === rows.length) continue;
    await db
      .updateTable('directory_pages')
      .set({ digest: outdated, sealed: keys.close(textOf(kept), placeOf('directory_pages', 'sealed', { sync, page })) })
      .where((eb) => eb.and({ sync, page }))
      .execute();
  }
}

async function* everyPage(db: Database, keys: KeyRing) {
  const syncs = await db.selectFrom('directory_pages').select('sync').distinct().execute();
  for (const { sync } of syncs) {
    const read = (after = { page: -1 }) =>
      db
        .selectFrom('directory_pages')
        .select(['page', 'sealed'])
        .where('sync', '=', sync)
        .where('page', '>', after.page)
        .orderBy('page')
        .limit(pagesAtOnce)
        .execute();
    for await (const rows of pagesByKey(pagesAtOnce, read)) {
      for (const { page, sealed } of rows) {
        yield { sync, page, rows: rowsOf(keys.open(sealed, placeOf('directory_pages', 'sealed', { sync, page }))) };
      }
    }
  }
}

type Cells = [
  identification: string,
  name: string,
  email: string,
  /** The source; the source, with another person than the account; the platform. */
  side: 's' | 'x' | 'p',
  standing: string,
  /** 0: none, 1: disabled, 2: enabled. */
  account: 0 | 1 | 2,
  lastUpdate?: string,
  birthDate?: string,
];

function textOf(rows: readonly DirectoryRow[]): string {
  return JSON.stringify(
    rows.map(({ identification, name, email, side: shown, standing, isOnPlatform, isEnabled, ...more }): Cells => {
      const account = isOnPlatform ? (isEnabled ? 2 : 1) : 0;
      const { lastUpdate = '', birthDate = '', isStranger } = more;
      const side = isStranger === true ? 'x' : shown === 'source' ? 's' : 'p';
      const last: [string?, string?] =
        birthDate !== '' ? [lastUpdate, birthDate] : lastUpdate !== '' ? [lastUpdate] : [];
      return [identification, name, email, side, standing, account, ...last];
    }),
  );
}

function rowsOf(text: string): readonly DirectoryRow[] {
  return (JSON.parse(text) as Cells[]).map(([identification, name, email, side, standing, account, ...more]) => {
    const [lastUpdate = '', birthDate = ''] = more;
    return {
      identification,
      name,
      email,
      side: side === 'p' ? 'platform' : 'source',
      standing,
      isOnPlatform: account > 0,
      isEnabled: account === 2,
      ...given({ lastUpdate: lastUpdate || undefined, birthDate: birthDate || undefined }),
      ...(side === 'x' ? { isStranger: true } : {}),
    };
  });
}
