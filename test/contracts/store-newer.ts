import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { migrateStore, openStore } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { endRun, openRun, sampleBatch, sampleTrigger, writePlan } from './store-samples.ts';

/** A new, empty database of one kind. */
export interface NewDatabase {
  readonly url: string;
  /** Runs statements as another program would. */
  run(sql: string): Promise<void>;
  /** Names of the tables that Rollcall made. */
  tables(): Promise<readonly string[]>;
}

const released = [
  '001-first',
  '002-approvals-once',
  '004-alerts',
  '004-pauses-and-audit',
  '005-field-sight',
  '006-audit-of-connections',
  '007-watermarks',
  '008-compatibility',
  '009-decisions',
  '010-blocked',
  '011-rosters',
  '012-email-chains',
  '013-hand-overs',
  '014-token-retries',
  '015-raw-texts',
  '016-forgotten',
  '018-runs-by-end',
  '019-turns',
  '020-clock-jumps',
  '021-alert-threads',
  '022-run-requests',
  '023-restores',
  '030-sessions',
  '031-run-phases',
  '032-previews',
  '033-directories',
  '034-hold-pages',
  '035-batches-by-state',
];

const executed = (name: string) => `insert into kysely_migration values ('${name}', '2030-01-01T00:00:00.000Z')`;

/** Empties every table of Rollcall, in any order, and leaves what says which migrations the store has had. */
export const emptyPostgresTables = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = current_schema()
    and tablename not like 'kysely%' and tablename <> 'schema_compatibility' loop
    execute format('delete from %I', name);
  end loop; end $$`;

/** Writes into a migrated store what a later version with one additive migration leaves there. */
export async function addLaterVersion(database: NewDatabase, name = '999-later'): Promise<void> {
  const columns = (await database.tables()).flatMap((table) => [
    `alter table ${table} add column later_text text`,
    `alter table ${table} add column later_count integer not null default 7`,
  ]);
  const record = `insert into schema_compatibility (migration, since, breaks) values ('${name}', '9.9.0', null)`;
  const made = 'create table later_things (id text primary key)';
  await database.run(['begin', ...columns, made, executed(name), record, 'commit'].join(';\n'));
}

/** What a store of one database keeps to while versions work on it side by side. */
export function describeVersions(name: string, make: () => Promise<NewDatabase>): void {
  describe(`${name} and the versions of Rollcall`, () => {
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
      await migrateStore(database.url, { folder: '.' });
      await addLaterVersion(database);
      expect(await migrateStore(database.url, { folder: '.' })).toMatchObject({
        from: '999-later',
        to: '999-later',
        applied: [],
      });
      expect(await (await open()).triggers.add(sampleTrigger('t1'))).toBe(true);
    });

    it('applies its own migrations beside those of a later version, whatever their order', async () => {
      await migrateStore(database.url, { folder: '.' });
      await addLaterVersion(database, '000-later');
      await database.run("delete from kysely_migration where name = '007-watermarks'");
      await database.run('drop table watermarks');
      expect((await migrateStore(database.url, { folder: '.' })).applied).toEqual(['007-watermarks']);
    });

    it('refuses a store that a later version has made incompatible: what, why, and what to do', async () => {
      await migrateStore(database.url, { folder: '.' });
      await addLaterVersion(database);
      const why = 'phases of runs have other names';
      await database.run(`update schema_compatibility set breaks = '${why}' where migration = '999-later'`);
      const opening = openStore(database.url, { folder: '.' });
      await expect(opening).rejects.toMatchObject({
        code: 'STORE_INVALID',
        message: expect.stringMatching(
          /changed by a newer version of Rollcall.* 999-later \(since Rollcall 9\.9\.0\).*: phases of runs have other names\. Run Rollcall 9\.9\.0 or later, or restore a backup/,
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
      const owned = await openRun(store, { id: 'run_1' });
      await writePlan(store, { id: 'run_1', owned }, []);
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
      const owned = await openRun(store, { id: 'run_1' });
      await writePlan(store, { id: 'run_1', owned }, []);
      await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: [] }]);
      await endRun(store, owned, now);
      await database.run("update runs set outcome = 'superseded', phase = 'archived' where id = 'run_1'");
      await database.run("update batches set state = 'uploading' where run = 'run_1'");
      expect(await store.runs.get('run_1')).toMatchObject({ phase: 'archived', outcome: 'superseded' });
      expect(await store.alerts.lastRuns('people')).toEqual({ attemptAt: now, successAt: undefined });
      expect(await store.batches.unresolved('acme')).toEqual([]);
      expect(await store.runs.prune(now + 1, 0)).toBe(0);
      await database.run("update runs set phase = 'done' where id = 'run_1'");
      expect(await store.runs.prune(now + 1, 0)).toBe(0);
      expect(await store.batches.ofRun('run_1')).toHaveLength(1);
    });
  });
}
