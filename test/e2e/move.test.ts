import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import type { Store } from '../../src/ports/store.ts';
import type { BackupPart } from '../../src/store/backup/backup-file.ts';
import { readStore } from '../../src/store/backup/index.ts';
import type { Database } from '../../src/store/db/database.ts';
import { openStore } from '../../src/store/index.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { migrateLater } from '../contracts/store-newer.ts';
import {
  collect,
  dayMs,
  endRun,
  openRun,
  reject,
  sampleBatch,
  sampleChange,
  sampleEntry,
  sampleTokens,
  sampleTrigger,
  writePlan,
} from '../contracts/store-samples.ts';
import { testKey } from '../platform/tokens/token-manager-bench.ts';
import { runRollcall, startRollcall } from '../support/rollcall-process.ts';
import { until } from '../support/services/redis.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();
const now = Date.now();

type Kind = 'SQLite' | 'PostgreSQL';

const newUrl = async (kind: Kind, file: string): Promise<string> =>
  kind === 'SQLite' ? `sqlite:./${file}` : ((await postgres?.newDatabase()) ?? '');

/** A store with everything that only a store knows, and the folder of a configuration that names the other one. */
async function openEnds(from: Kind, to: Kind) {
  const folder = await temporaryFolder();
  const ends = { from: await newUrl(from, 'old.db'), to: await newUrl(to, 'new.db') };
  const connections = { acme: { baseUrl: 'http://127.0.0.1:9', accessToken: 'unused' } };
  await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify({ store: ends.to, connections }));
  const store = await openStore(ends.from, { folder });
  await fill(store).finally(() => store.close());
  const move = ['admin', 'move', ends.from, '--yes', '--json'];
  const run = async () => {
    const { code, stdout, stderr } = await runRollcall(folder, move);
    return { code, stderr, json: code === 0 ? JSON.parse(stdout) : undefined };
  };
  return { ...ends, folder, move, run };
}

async function fill(store: Store): Promise<void> {
  await store.tokens.replace(undefined, sampleTokens({ generation: 7 }));
  const first = await openRun(store, { id: 'run_1', now });
  const misses = { count: 1, since: 5, stamp: 's' };
  await store.ledger.put(first, [
    sampleEntry('E1', { hidden: { job: 'Cook' }, goneSince: 5, misses }),
    sampleEntry('Ñandú "\\ 日本', { disabledAt: 7 }),
  ]);
  await reject(store, [sampleChange('E4', 'disable')], { at: now });
  await endRun(store, first, now);
  const open = await openRun(store, { id: 'run_2', now });
  await writePlan(store, { id: 'run_2', owned: open }, [sampleChange('E1', 'disable'), sampleChange('E2')]);
  await store.plans.setAside(open, 'run_2', ['E2'], { state: 'held', reason: 'too many' });
  await store.decisions.record(open, 'run_2', { now, expiresAt: now + dayMs });
  await store.batches.create(open, [{ batch: sampleBatch(open, 1), identifications: ['E1'] }]);
  const mark = { identification: 'E1', state: 'sent' } as const;
  await store.batches.update(open, 'run_2_b1', { state: 'sent', sentAt: now }, { marks: [mark] });
  await store.triggers.add(sampleTrigger('waiting', { requestedAt: now }));
  await store.leases.release(open.lease);
}

/** What belongs to the database itself, not to its content. */
const own = /^(store_identity|leases|turns|clock_marks|schema_compatibility|kysely_.*)$/;

/** The rows of each table, in any order. Columns that only one version knows are left out. */
async function contentOf(url: string, folder: string): Promise<Record<string, readonly string[]>> {
  const parts: BackupPart[] = await collect(readStore(url, { folder, version: '1', now: () => now }));
  const content: Record<string, string[]> = {};
  let columns: readonly string[] = [];
  let rows: string[] = [];
  for (const part of parts) {
    if (part.kind === 'table') {
      ({ columns } = part);
      rows = [];
      if (!own.test(part.table) && part.table !== 'later_things') content[part.table] = rows;
    } else if (part.kind === 'row') {
      const named = columns.flatMap((name, at) => (name.startsWith('later_') ? [] : [[name, part.row[at] ?? null]]));
      rows.push(JSON.stringify(Object.fromEntries(named.toSorted())));
    }
  }
  for (const some of Object.values(content)) some.sort();
  return content;
}

async function inDatabase<T>(url: string, folder: string, use: (db: Database) => Promise<T>): Promise<T> {
  const { db } = await openDatabase(url, { folder });
  return use(db).finally(() => db.destroy());
}

const refusedIn = (url: string, folder: string) =>
  inDatabase(url, folder, async (db) => {
    const { rows } = await sql<{ refused: string | null }>`select refused from store_identity`.execute(db);
    return rows[0]?.refused ?? null;
  });

const pairs: readonly (readonly [Kind, Kind])[] =
  postgres === undefined
    ? [['SQLite', 'SQLite']]
    : [
        ['SQLite', 'SQLite'],
        ['SQLite', 'PostgreSQL'],
        ['PostgreSQL', 'SQLite'],
        ['PostgreSQL', 'PostgreSQL'],
      ];

describe.each(pairs)('rollcall admin move from %s to %s', (from, to) => {
  it('takes everything once, also when it is killed in between and when it is called again', async () => {
    const ends = await openEnds(from, to);
    const { folder } = ends;
    const before = await contentOf(ends.from, folder);
    expect(Object.entries(before).flatMap(([table, rows]) => (rows.length === 0 ? [] : [table]))).toEqual(
      expect.arrayContaining(['tokens', 'ledger', 'runs', 'changes', 'batches', 'decisions', 'triggers']),
    );
    const killed = await inDatabase(ends.to, folder, (db) =>
      db.transaction().execute(async (blocking) => {
        // The move waits for this transaction when it has told processes to refuse the other store.
        if (to === 'PostgreSQL') {
          await sql`select pg_advisory_xact_lock(hashtextextended('rollcall tables', 0))`.execute(blocking);
        }
        const moving = startRollcall(folder, ends.move);
        await until(async () => (await refusedIn(ends.from, folder)) !== null);
        moving.child.kill('SIGKILL');
        return moving.ended;
      }),
    );
    expect(killed.stdout).toBe('');
    expect(await contentOf(ends.from, folder)).toEqual(before);
    const store = await openStore(ends.from, { folder });
    onTestFinished(() => store.close());
    await expect(store.leases.take('deployment', 'p1', 1000, now)).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringMatching(/is no longer used: it was moved to .*"rollcall admin move" again/),
    });
    expect(await store.leases.holder('deployment', now)).toBeUndefined();
    const former = join(folder, 'former.yaml');
    await writeFile(
      former,
      JSON.stringify({ ...JSON.parse(await readFile(join(folder, 'rollcall.yaml'), 'utf8')), store: ends.from }),
    );
    expect(await runRollcall(folder, ['cancel', 'run_2', '--config', former])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it was moved to'),
    });

    const moved = await ends.run();
    expect(moved, moved.stderr).toMatchObject({ code: 0, json: { moved: true, isDone: false, rows: { tokens: 1 } } });
    const { audit: [entry = '', ...rest] = [], ...after } = await contentOf(ends.to, folder);
    const { audit: had = [], ...all } = before;
    expect(after).toEqual(all);
    expect([rest, JSON.parse(entry)]).toMatchObject([had, { action: 'move' }]);
    expect(await ends.run()).toMatchObject({ code: 0, json: { isDone: true } });
    expect((await contentOf(ends.to, folder)).tokens).toEqual(before.tokens);
    expect(await refusedIn(ends.to, folder)).toBeNull();
  });
});

describe('rollcall admin move', () => {
  it('takes a store to which a later version has added, without what this one does not know', async () => {
    const { folder, run, ...ends } = await openEnds('SQLite', 'SQLite');
    await migrateLater(`sqlite:${join(folder, 'old.db')}`);
    const before = await contentOf(ends.from, folder);
    expect((await run()).code).toBe(0);
    const { audit: _, ...after } = await contentOf(ends.to, folder);
    const { audit: __, ...all } = before;
    expect(after).toEqual(all);
  });

  it('changes nothing where a process works, where the new store has data, and where there is no store', async () => {
    const { folder, run, ...ends } = await openEnds('SQLite', 'SQLite');
    const store = await openStore(ends.from, { folder });
    const lease = await store.leases.take('deployment', 'p1', 60_000, Date.now());
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('processes work on the store') });
    if (lease !== undefined) await store.leases.release(lease);
    await store.close();
    const target = await openStore(ends.to, { folder });
    await target.triggers.add(sampleTrigger('other'));
    await target.close();
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') });
    expect(await refusedIn(ends.from, folder)).toBeNull();
    const missing = await runRollcall(folder, ['admin', 'move', 'sqlite:./none.db', '--yes']);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/there is no store at .*none\.db/) });
    await writeFile(join(folder, 'none.db'), '');
    const empty = await runRollcall(folder, ['admin', 'move', 'sqlite:./none.db', '--yes']);
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to take from it') });
  });

  it('is refused with another encryptionKey than the one of the data, and makes no file', async () => {
    const { folder, run, ...ends } = await openEnds('SQLite', 'SQLite');
    const seals = [openSeal(testKey)];
    const store = await openStore(ends.from, { folder, seals });
    await store.sealing.reseal(1000).finally(() => store.close());
    const config = JSON.parse(await readFile(join(folder, 'rollcall.yaml'), 'utf8'));
    const write = (encryptionKey?: string) =>
      writeFile(join(folder, 'rollcall.yaml'), JSON.stringify({ ...config, encryptionKey }));
    for (const key of [Buffer.alloc(32, 2).toString('base64'), undefined]) {
      await write(key);
      const stderr = expect.stringContaining(`sealed with the key ${seals[0]?.keyId}`);
      expect(await run()).toMatchObject({ code: 1, stderr });
    }
    expect(await refusedIn(ends.from, folder)).toBeNull();
    expect(await readdir(folder)).not.toContain('new.db');
    await write(testKey);
    expect(await run()).toMatchObject({ code: 0 });
  });
});
