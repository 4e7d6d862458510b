import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { describeStore, touchedByAdditions } from '../contracts/store.ts';
import { describeVersions, emptyPostgresTables, migrateLater, type NewDatabase } from '../contracts/store-newer.ts';
import { drawFrom } from '../support/drawn.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();

async function newSqlite(): Promise<NewDatabase> {
  return sqliteAt(join(await temporaryFolder(), 'rollcall.db'));
}

function sqliteAt(path: string): NewDatabase {
  const use = <T>(work: (raw: Sqlite.Database) => T): T => {
    const raw = new Sqlite(path);
    try {
      return work(raw);
    } finally {
      raw.close();
    }
  };
  return {
    url: `sqlite:${path}`,
    run: async (sql) => void use((raw) => raw.exec(sql)),
  };
}

async function newPostgres(): Promise<NewDatabase> {
  if (postgres === undefined) throw new Error('skipped without a server');
  const url = await postgres.newDatabase();
  return {
    url,
    run: async (sql) => void (await postgres.query(url, sql)),
  };
}

describeVersions('a store in SQLite', newSqlite);

/** One of the databases, and both in a long run. */
const drawn = drawFrom(['SQLite', 'PostgreSQL'], postgres === undefined ? 1 : 2);

let laterFile: Buffer | undefined;
describe.runIf(drawn.includes('SQLite'))('in a file', () => {
  describeStore(
    'a store in SQLite that a later version has added to',
    async () => {
      const path = join(await temporaryFolder(), 'rollcall.db');
      if (laterFile === undefined) laterFile = await migrateLater(`sqlite:${path}`).then(() => readFile(path));
      else await writeFile(path, laterFile);
      return openStore(`sqlite:${path}`, { folder: '.' });
    },
    touchedByAdditions,
  );
});

describe.skipIf(postgres === undefined)('on a real server', () => {
  describeVersions('a store in PostgreSQL', newPostgres);

  let later: NewDatabase | undefined;
  describe.runIf(drawn.includes('PostgreSQL'))('that others have used', () => {
    describeStore(
      'a store in PostgreSQL that a later version has added to',
      async () => {
        if (later === undefined) {
          later = await newPostgres();
          await migrateLater(later.url);
        } else await later.run(emptyPostgresTables);
        return openStore(later.url, { folder: '.' });
      },
      touchedByAdditions,
    );
  });
});
