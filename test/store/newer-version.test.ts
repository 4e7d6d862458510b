import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { migrations } from '../../src/store/db/migrations/index.ts';
import { migrateStore, openStore } from '../../src/store/index.ts';
import { migrateLater } from '../contracts/store-newer.ts';
import { endRun, openPlanned, sampleBatch, sampleTrigger } from '../contracts/store-samples.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();

/** A new, empty database of one kind. */
interface NewDatabase {
  readonly url: string;
  /** Runs statements as another program would. */
  run(sql: string): Promise<void>;
}

const released = ['001-start'];

const executed = (name: string) => `insert into kysely_migration values ('${name}', '2030-01-01T00:00:00.000Z')`;

async function newSqlite(): Promise<NewDatabase> {
  const path = join(await temporaryFolder(), 'rollcall.db');
  return { url: `sqlite:${path}`, run: async (sql) => void new Sqlite(path).exec(sql).close() };
}

async function newPostgres(): Promise<NewDatabase> {
  const url = (await postgres?.newDatabase()) ?? '';
  return { url, run: async (sql) => void (await postgres?.query(url, sql)) };
}

const kinds = { SQLite: newSqlite, ...(postgres === undefined ? {} : { PostgreSQL: newPostgres }) };

describe.each(Object.entries(kinds))('a store in %s and the versions of Rollcall', (_, make) => {
  let database: NewDatabase;
  const open = async (): Promise<Store> => {
    const store = await openStore(database.url, { folder: '.' });
    onTestFinished(() => store.close());
    return store;
  };
  beforeEach(async () => {
    database = await make();
  });

  it('runs the released migrations, whose names never change', async () => {
    const { applied } = await migrateStore(database.url, { folder: '.' });
    expect(applied).toEqual(released);
    expect(Object.keys(migrations)).toEqual(released);
  });

  it('opens a store that a later version has only added to, and applies nothing', async () => {
    expect(await migrateLater(database.url)).toMatchObject({ from: undefined, applied: [...released, '999-later'] });
    expect(await migrateStore(database.url, { folder: '.' })).toMatchObject({
      from: '999-later',
      to: '999-later',
      applied: [],
    });
    expect(await (await open()).triggers.add(sampleTrigger('t1'))).toBe(true);
  });

  it('applies its own migrations beside those of a later version, whatever their order', async () => {
    await migrateLater(database.url);
    const own = async () => {};
    expect(await migrateLater(database.url, { name: '500-own', up: own })).toMatchObject({
      from: '999-later',
      to: '999-later',
      applied: ['500-own'],
    });
  });

  it('keeps the data of a store, and migrates none of it when the migration fails', async () => {
    await (await open()).triggers.add(sampleTrigger('t1'));
    const up = async (db: Kysely<unknown>) => {
      await db.schema.dropTable('triggers').execute();
      throw new Error('a mistake');
    };
    await expect(migrateLater(database.url, { up })).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringContaining('Nothing in it was changed'),
    });
    expect(await migrateLater(database.url)).toMatchObject({ from: released.at(-1), applied: ['999-later'] });
    expect(await (await open()).triggers.waiting()).toEqual([sampleTrigger('t1')]);
  });

  it('refuses a store that a later version has made incompatible: what, why, and what to do', async () => {
    await migrateLater(database.url, { breaks: 'phases of runs have other names' });
    const opening = openStore(database.url, { folder: '.' });
    await expect(opening).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringMatching(
        /changed by a newer version of Rollcall.* 999-later \(since Rollcall 9\.9\.0\).*: phases of runs have other names\. Run Rollcall 9\.9\.0 or later, or restore a backup .*only in this store is the newest refresh token/,
      ),
    });
  });

  it('refuses a store that another version made with other tables, and names what is only there', async () => {
    await migrateStore(database.url, { folder: '.' });
    await database.run('alter table ledger drop column miss_stamp');
    await expect(openStore(database.url, { folder: '.' })).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringMatching(
        /tables of another version of Rollcall \(without ledger\.miss_stamp\).*Run the version that made it.*newest refresh token/,
      ),
    });
  });

  it('refuses a store whose unknown migration does not say that it is compatible', async () => {
    await migrateStore(database.url, { folder: '.' });
    await database.run(executed('999-later'));
    await expect(openStore(database.url, { folder: '.' })).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringMatching(
        /999-later is not compatible: it does not say .*Run the newer version, or restore/,
      ),
    });
  });

  it('shows a run in a phase of a later version with its text, and writes nothing to it', async () => {
    const store = await open();
    const owned = await openPlanned(store, { id: 'run_1' }, []);
    await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: [] }]);
    await database.run("update runs set phase = 'verifying' where id = 'run_1'");
    await database.run("update batches set state = 'uploading' where run = 'run_1'");
    const run = await store.runs.get('run_1');
    expect(run).toMatchObject({ phase: 'verifying', outcome: undefined });
    expect(await store.runs.list({ limit: 9 })).toEqual([run]);
    expect(await store.runs.unfinished()).toEqual([run]);
    expect(await store.batches.ofRun('run_1')).toMatchObject([{ state: 'uploading' }]);
    await store.triggers.add(sampleTrigger('t2'));
    expect(await store.runs.open('people', { id: 'run_2', connection: 'acme', now })).toEqual({ run, isNew: false });
    if (run === undefined) throw new Error('the run is gone');
    const writing = store.runs.update({ run, lease: owned.lease }, { phase: 'done', endedAt: now });
    await expect(writing).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('in the phase "verifying", which this version of Rollcall does not know'),
    });
    expect(await store.runs.get('run_1')).toEqual(run);
  });

  it('shows an outcome of a later version, and counts the run neither as a success nor as good to prune', async () => {
    const store = await open();
    const owned = await openPlanned(store, { id: 'run_1' }, []);
    await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: [] }]);
    await endRun(store, owned, now);
    await database.run("update runs set outcome = 'superseded', is_success = 0, phase = 'archived' where id = 'run_1'");
    await database.run("update batches set state = 'uploading' where run = 'run_1'");
    expect(await store.runs.get('run_1')).toMatchObject({ phase: 'archived', outcome: 'superseded' });
    const standing = (await store.reports.syncs(['people'], now)).get('people');
    expect(standing).toMatchObject({ endedAt: now, successAt: undefined });
    expect((await store.batches.unknown(['acme'])).unresolved).toEqual([]);
    expect(await store.runs.prune(now + 1, 0)).toBe(0);
    await database.run("update runs set phase = 'done' where id = 'run_1'");
    expect(await store.runs.prune(now + 1, 0)).toBe(0);
    expect(await store.batches.ofRun('run_1')).toHaveLength(1);
  });
});
