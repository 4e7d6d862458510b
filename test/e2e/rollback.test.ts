import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/store/migrations/index.ts';
import { addLaterVersion, type NewDatabase } from '../contracts/store-newer.ts';
import { type CommandPlace, openCommandPlace } from '../support/command-place.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const postgres = await startPostgres();
const root = resolve(import.meta.dirname, '../..');
const newest = Object.keys(migrations).toSorted().at(-1) ?? '';

/** Unpacks the version before the newest migration. Undefined in a copy of the project without that part of its history. */
async function unpackVersionBefore(): Promise<string | undefined> {
  const git = async (...args: readonly string[]) => (await run('git', ['-C', root, ...args])).stdout.trim();
  try {
    const file = `src/store/migrations/${newest}.ts`;
    const made = (await git('log', '--diff-filter=A', '--format=%H', '--', file)).split('\n').at(-1) ?? '';
    const before = await git('rev-parse', '--verify', `${made}^`);
    const folder = join(await temporaryFolder(), 'before');
    await mkdir(folder);
    await run('sh', ['-c', `git -C "${root}" archive ${before} src jobs package.json | tar -x -C "${folder}"`]);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return join(folder, 'src/main/cli.ts');
  } catch {
    return undefined;
  }
}

function databaseOf({ folder }: CommandPlace, store: string): NewDatabase {
  if (!store.startsWith('sqlite:')) {
    const tables =
      "select tablename from pg_tables where schemaname = current_schema() and tablename not like 'kysely%'";
    return {
      url: store,
      run: async (sql) => void (await postgres?.query(store, sql)),
      tables: async () => ((await postgres?.query(store, tables)) ?? []).map((row) => String(row.tablename)),
    };
  }
  const use = <T>(work: (raw: Sqlite.Database) => T): T => {
    const raw = new Sqlite(join(folder, store.slice('sqlite:'.length)));
    try {
      return work(raw);
    } finally {
      raw.close();
    }
  };
  const tables = "select name from sqlite_master where type = 'table' and name not like 'kysely%'";
  return {
    url: store,
    run: async (sql) => void use((raw) => raw.exec(sql)),
    tables: async () => use((raw) => raw.prepare(tables).pluck().all() as string[]),
  };
}

const outcomes = async (place: CommandPlace): Promise<readonly unknown[]> => {
  const { stdout } = await place.rollcall('runs', '--json');
  return (JSON.parse(stdout) as { runs: { outcome: string | null; phase: string }[] }).runs.map(
    ({ outcome, phase }) => [phase, outcome],
  );
};

/** A run of a sync that is not configured here, in a phase that only the newer version knows. */
const foreignRun = `insert into runs (id, sync, connection, trigger_kind, scope, phase, started_at, counts, facts)
  values ('run_later', 'others', 'acme', 'manual', '{"kind":"all"}', 'verifying', 1, '{}', '{}')`;

describe.each(postgres === undefined ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))('on %s', (kind) => {
  const newStore = async () => (kind === 'sqlite' ? 'sqlite:./store.db' : ((await postgres?.newDatabase()) ?? ''));

  it('this version does whole runs on the store of a later one, and leaves a run in a phase of it alone', async () => {
    const store = await newStore();
    const place = await openCommandPlace(store);
    await place.employ(12);
    expect(await place.rollcall('migrate')).toMatchObject({ code: 0 });
    const database = databaseOf(place, store);
    await addLaterVersion(database);
    await database.run(foreignRun);
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
    await place.employ(13, [1]);
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
    expect(await outcomes(place)).toEqual([
      ['done', 'succeeded'],
      ['done', 'succeeded'],
      ['verifying', null],
    ]);
    expect(
      place.sandbox.state.log.map(({ kind: write }) => write).filter((write) => write === 'disabled'),
    ).toHaveLength(1);
  });

  it('the version before the newest migration does whole runs on the store of this one, and presents no restored token', async (context) => {
    const before = await unpackVersionBefore();
    if (before === undefined) return context.skip('the history of the project is not here');
    const place = await openCommandPlace(await newStore());
    await place.employ(12);
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
    await place.employ(13, [1]);
    expect(await place.rollcallOf(before, 'apply', 'people')).toMatchObject({ code: 0 });
    expect(await outcomes(place)).toEqual([
      ['done', 'succeeded'],
      ['done', 'succeeded'],
    ]);
    // What it wrote is complete for this version.
    const writes = place.sandbox.state.log.length;
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
    expect(place.sandbox.state.log).toHaveLength(writes);
    expect(await place.rollcall('backup', 'a.backup')).toMatchObject({ code: 0 });
    expect(await place.rollcall('restore', 'a.backup', '--replace', '--yes')).toMatchObject({ code: 0 });
    const presented = place.sandbox.state.refreshes.length;
    expect(await place.rollcallOf(before, 'apply', 'people')).toMatchObject({ code: 1 });
    expect(place.sandbox.state.refreshes).toHaveLength(presented);
  });
});
