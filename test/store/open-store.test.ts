import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { explainSqliteError } from '../../src/store/db/errors.ts';
import { openSqlite } from '../../src/store/db/sqlite-dialect.ts';
import { openStore } from '../../src/store/index.ts';
import { openRun, sampleEntry, sampleTrigger } from '../contracts/store-samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('openStore', () => {
  it('makes the file and its folders below the configuration, for this user alone', async () => {
    const folder = await temporaryFolder();
    const store = await openStore('sqlite:./.rollcall/deep/rollcall.db', { folder });
    await store.triggers.add(sampleTrigger('t1'));
    const mode = async (path: string) => ((await stat(join(folder, path))).mode & 0o777).toString(8);
    expect(await mode('.rollcall')).toBe('700');
    expect(await mode('.rollcall/deep')).toBe('700');
    for (const end of ['', '-wal', '-shm']) expect(await mode(`.rollcall/deep/rollcall.db${end}`)).toBe('600');
    await store.close();
  });

  it('finds everything again, also by an absolute path', async () => {
    const folder = await temporaryFolder();
    const before = await openStore('sqlite:rollcall.db', { folder });
    await before.triggers.add(sampleTrigger('t1'));
    await before.close();
    const after = await openStore(`sqlite:${join(folder, 'rollcall.db')}`, { folder: '/nowhere' });
    expect(await after.triggers.waiting()).toEqual([sampleTrigger('t1')]);
    await after.close();
  });

  it.each([
    ['/proc/x/rollcall.db', 'because no folder can be created at this place (ENOENT)'],
    ['./file/rollcall.db', 'because a part of the path is a file (ENOTDIR)'],
    ['./file/deep/rollcall.db', 'because a part of the path is a file (ENOTDIR)'],
    ['./link/rollcall.db', 'because a part of the path is a link without a target (EEXIST)'],
    ['.', 'because the path is a folder (EISDIR)'],
  ])('says at once why it cannot create %s', async (path, why) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'nothing'), join(folder, 'link'));
    await expect(openStore(`sqlite:${path}`, { folder })).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringContaining(`cannot be created or written, ${why}. Check the path under "store"`),
    });
  });

  it('keeps stores in memory apart', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => openStore('sqlite::memory:', { folder: '.' })));
    await one?.triggers.add(sampleTrigger('t1'));
    expect(await two?.triggers.waiting()).toEqual([]);
    await one?.close();
    await two?.close();
  });

  it('syncs the log at every commit, so that what was said to be stored outlives a power cut', async () => {
    const folder = await temporaryFolder();
    const db = await openSqlite(join(folder, 'rollcall.db'));
    const full = 2;
    expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: full }]);
    expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }]);
    await db.destroy();
  });

  it('says that the disk is full, keeps nothing half-written, and goes on when there is room', async () => {
    const folder = await temporaryFolder();
    await (await openStore('sqlite:rollcall.db', { folder })).close();
    const db = await openSqlite(join(folder, 'rollcall.db'));
    const pages = (await sql<{ page_count: number }>`pragma page_count`.execute(db)).rows[0]?.page_count ?? 0;
    await sql`pragma max_page_count = ${sql.lit(pages + 20)}`.execute(db);
    const leases = Array.from({ length: 2_000 }, (_, index) => ({
      name: `x${index}`.repeat(9),
      owner: null,
      fence: 1,
      until_at: 0,
    }));
    const writing = inTransaction(db, async (transaction) => {
      for (const lease of leases) await transaction.insertInto('leases').values(lease).execute();
    });
    await expect(writing).rejects.toMatchObject({ code: 'STORE_INVALID', retry: 'backoff' });
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    await sql`pragma max_page_count = 1000000`.execute(db);
    await inTransaction(db, (transaction) => transaction.insertInto('leases').values(leases).execute());
    expect(await db.selectFrom('leases').select('name').execute()).toHaveLength(2_000);
    await db.destroy();
  });

  it('refuses a row that belongs to nothing', async () => {
    const store = await openStore('sqlite::memory:', { folder: '.' });
    const owned = await openRun(store, { id: 'run_1' });
    const read = { sync: 'people', run: 'never', at: 0, rows: 1, stamp: 's', isAccepted: true, fillRates: {} };
    await expect(store.reads.put(owned, read)).rejects.toMatchObject({ code: 'CONFLICT' });
    await store.close();
  });

  it.each([
    'postgres://rollcall:secret@:5432/',
    'postgres://rollcall:sec/ret@db.example.com:x/rollcall',
    'mysql://rollcall:secret@db.example.com/rollcall',
    'sqlite:',
    './secret.db',
    '',
  ])('refuses the store %j, saying what is supported and nothing of the rest', async (url) => {
    const opening = openStore(url, { folder: '.' });
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/sqlite:\.\/|postgres:\/\/user:password@/),
    });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  });

  it('refuses a file that is no database, and leaves it as it was', async () => {
    const folder = await temporaryFolder();
    const text = 'identification,email\nana,ana@example.com\n'.repeat(200);
    await writeFile(join(folder, 'employees.csv'), text);
    const opening = openStore('sqlite:employees.csv', { folder });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_INVALID', message: expect.stringContaining('damaged') });
    expect(await readFile(join(folder, 'employees.csv'), 'utf8')).toBe(text);
  });

  it('refuses a database of something else, and leaves it as it was', async () => {
    const folder = await temporaryFolder();
    const raw = new Sqlite(join(folder, 'other.db'));
    raw.exec('create table invoices (id text)');
    const opening = openStore('sqlite:other.db', { folder });
    await expect(opening).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringContaining('invoices'),
    });
    expect(raw.prepare('select name from sqlite_master').pluck().all()).toEqual(['invoices']);
    raw.close();
  });

  it('refuses a path where no file can be', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'folder'));
    for (const path of ['file/rollcall.db', 'folder']) {
      await expect(openStore(`sqlite:${path}`, { folder })).rejects.toMatchObject({ code: 'STORE_INVALID' });
    }
  });

  it('says that the store is damaged when a page in its middle is', async () => {
    const folder = await temporaryFolder();
    const store = await openStore('sqlite:rollcall.db', { folder });
    const owned = await openRun(store, { id: 'run_1' });
    const entries = Array.from({ length: 5_000 }, (_, index) => sampleEntry(`e${index}`));
    await store.ledger.put(owned, entries);
    await store.close();
    const content = await readFile(join(folder, 'rollcall.db'));
    const page = Math.floor(content.indexOf('e2500') / 4096) * 4096;
    content.fill(0x5a, page, page + 4096);
    await writeFile(join(folder, 'rollcall.db'), content);
    const damaged = await openStore('sqlite:rollcall.db', { folder });
    const reading = (async () => {
      for await (const _ of damaged.ledger.all('acme'));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'STORE_INVALID', message: expect.stringContaining('damaged') });
    await damaged.close();
  });

  it('waits for another process that holds the file, while other work of this one goes on', async () => {
    const folder = await temporaryFolder();
    const store = await openStore('sqlite:rollcall.db', { folder });
    const raw = new Sqlite(join(folder, 'rollcall.db'));
    raw.exec('begin immediate');
    const writing = store.triggers.add(sampleTrigger('t1'));
    setImmediate(() => raw.exec('commit'));
    expect(await writing).toBe(true);
    raw.close();
    await store.close();
  });
});

describe('an error of SQLite', () => {
  it.each([
    ['SQLITE_NOTADB', 'STORE_INVALID', 'never'],
    ['SQLITE_CORRUPT_VTAB', 'STORE_INVALID', 'never'],
    ['SQLITE_READONLY_DBMOVED', 'STORE_INVALID', 'never'],
    ['SQLITE_CANTOPEN', 'STORE_INVALID', 'never'],
    ['SQLITE_FULL', 'STORE_INVALID', 'backoff'],
    ['SQLITE_IOERR_FSYNC', 'STORE_INVALID', 'backoff'],
    ['SQLITE_BUSY', 'STORE_INVALID', 'backoff'],
    ['SQLITE_CONSTRAINT_UNIQUE', 'CONFLICT', 'never'],
  ])('%s becomes %s with retry %s, naming the file and keeping the cause', (sqlite, code, retry) => {
    const cause = new Sqlite.SqliteError('as SQLite says', sqlite);
    const error = explainSqliteError(cause, '/var/lib/rollcall.db');
    expect(error).toBeInstanceOf(RollcallError);
    expect(error).toMatchObject({ code, retry, cause });
    expect((error as Error).message).toContain('/var/lib/rollcall.db');
    expect((error as Error).message).toContain(sqlite);
  });

  it('that nobody foresaw, and any other error, comes through as it is', () => {
    for (const error of [new Sqlite.SqliteError('near "selec"', 'SQLITE_ERROR'), new TypeError('a mistake')]) {
      expect(explainSqliteError(error, 'file')).toBe(error);
    }
  });
});
