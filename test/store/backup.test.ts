import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import type { Store } from '../../src/ports/store.ts';
import { backUpStore, previewRestore, restoreInto, restoreStore } from '../../src/store/backup/index.ts';
import { migrations } from '../../src/store/db/migrations/index.ts';
import { openStore } from '../../src/store/index.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import {
  approve,
  dayMs,
  endRun,
  hourMs,
  openRun,
  reject,
  renewHolds,
  sampleBatch,
  sampleChange,
  sampleEntry,
  sampleHold,
  sampleTokens,
  sampleTrigger,
  writePlan,
} from '../contracts/store-samples.ts';
import { testKey } from '../platform/tokens/token-manager-bench.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();

interface Place {
  readonly folder: string;
  readonly url: string;
  readonly file: string;
  open(): Promise<Store>;
}

async function openPlace(kind: 'SQLite' | 'PostgreSQL'): Promise<Place> {
  const folder = await temporaryFolder();
  const url = kind === 'SQLite' ? 'sqlite:./rollcall.db' : ((await postgres?.newDatabase()) ?? '');
  const open = async (): Promise<Store> => {
    const store = await openStore(url, { folder });
    onTestFinished(() => store.close());
    return store;
  };
  return { folder, url, file: join(folder, 'a.backup'), open };
}

// PostgreSQL gives its own time, so what a test stores is of now.
const now = Date.now();
const parts = ({ folder }: Place) => ({ folder, version: '1.2.3', now: () => now });
const order = (place: Place, seeds: Record<string, string> = {}) => ({
  ...parts(place),
  id: 'audit_restore',
  by: 'ana',
  syncs: ['people'],
  seeds: new Map(Object.entries(seeds)),
});

const kinds = postgres === undefined ? (['SQLite'] as const) : (['SQLite', 'PostgreSQL'] as const);

describe.each(kinds)('a backup of %s', (kind) => {
  it('is restored with runs in progress ended, approvals and holds asked again, and absence counted anew', async () => {
    const place = await openPlace(kind);
    const store = await place.open();
    const ended = await openRun(store, { id: 'run_1', now });
    await store.ledger.put(ended, [
      sampleEntry('E1', {
        hidden: { job: 'Cook' },
        goneSince: 5,
        misses: { count: 1, since: 5, stamp: 's' },
        disabledAt: 7,
      }),
      sampleEntry('E2', { handOverSince: 5 }),
      sampleEntry('Ñandú "\\ 日本', { hidden: {} }),
    ]);
    await endRun(store, ended, now);
    const open = await openRun(store, { id: 'run_2', now });
    const changes = [
      sampleChange('E1', 'disable'),
      sampleChange('E2'),
      sampleChange('E3'),
      sampleChange('E4', 'disable'),
    ];
    await writePlan(store, { id: 'run_2', owned: open }, changes);
    await store.plans.setAside(open, 'run_2', ['E4'], { state: 'held', reason: 'too many' });
    await store.decisions.record(open, 'run_2', { now, expiresAt: now + dayMs });
    await store.batches.create(open, [
      { batch: sampleBatch(open, 1), identifications: ['E1'] },
      { batch: sampleBatch(open, 2), identifications: ['E2'] },
    ]);
    const mark = { identification: 'E1', state: 'sent' } as const;
    await store.batches.update(open, 'run_2_b1', { state: 'sent', sentAt: now - 5 * hourMs }, { marks: [mark] });
    await renewHolds(store, open, [sampleHold(open, 'hold_1', { heldAt: now })], now);
    await store.triggers.add(sampleTrigger('waiting', { requestedAt: now }));
    await store.tokens.replace(undefined, sampleTokens());

    const made = await backUpStore(place.url, place.file, parts(place));
    expect(made).toMatchObject({
      version: '1.2.3',
      database: kind === 'SQLite' ? 'sqlite' : 'postgres',
      rows: { ledger: 3, runs: 2 },
    });
    await store.leases.release(open.lease);
    const { effects } = await restoreStore(place.url, place.file, order(place, { acme: 'new', other: 'alone' }));

    expect(effects).toMatchObject({
      endedRuns: 1,
      cancelledRequests: 1,
      endedHolds: 1,
      tokens: ['acme', 'other'],
      paused: ['people'],
    });
    const after = await place.open();
    expect(await after.runs.get('run_2')).toMatchObject({
      phase: 'done',
      outcome: 'failed',
      reason: expect.stringContaining('restored'),
    });
    expect(await after.runs.unfinished()).toEqual([]);
    expect((await after.batches.unknown(['acme'])).unresolved.map(({ id }) => id)).toEqual(['run_2_b1', 'run_2_b2']);
    expect((await after.plans.count('run_2')).states).toMatchObject({
      unresolved: 2,
      held: 1,
      dropped: 1,
      planned: 0,
      sent: 0,
    });
    expect(await after.triggers.state('waiting')).toEqual({ kind: 'cancelled' });
    expect(await after.holds.listOpen('people')).toEqual([]);
    expect(await after.ledger.get('acme', 'E1')).toEqual(sampleEntry('E1', { hidden: { job: 'Cook' }, disabledAt: 7 }));
    expect(await after.ledger.get('acme', 'E2')).toEqual(sampleEntry('E2'));
    expect(await after.ledger.get('acme', 'Ñandú "\\ 日本')).toBeDefined();
    expect(await after.tokens.get('acme')).toMatchObject({
      state: 'revoked',
      refreshSealed: 'sealed refresh',
      restored: { seedHash: 'new' },
    });
    expect(await after.tokens.get('other')).toMatchObject({
      refreshSealed: undefined,
      restored: { seedHash: 'alone' },
    });
    expect(await after.pauses.get('people', Date.now())).toMatchObject({ by: 'ana (restore)' });
    expect(await after.restores.last()).toMatchObject({ madeAt: Date.parse(made.madeAt) });
    expect(await after.audit.list({ limit: 1 })).toMatchObject([{ action: 'restore', by: 'ana' }]);
  });

  it('to a place where no file can be is wrong usage', async () => {
    const place = await openPlace(kind);
    await place.open();
    await writeFile(place.file, 'taken');
    await expect(backUpStore(place.url, join(place.file, 'backup.gz'), parts(place))).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('cannot be written (ENOTDIR). Check the path'),
    });
  });

  it('keeps a rejection and ends an approval that was not used', async () => {
    const place = await openPlace(kind);
    const store = await place.open();
    const run = await openRun(store, { id: 'run_1', now });
    const [yes, no] = [sampleChange('E1', 'disable'), sampleChange('E2', 'disable')];
    await writePlan(store, { id: 'run_1', owned: run }, [yes, no]);
    await approve(store, [yes], { at: now });
    await reject(store, [no], { at: now });
    await endRun(store, run, now);
    await backUpStore(place.url, place.file, parts(place));
    const { effects } = await restoreStore(place.url, place.file, order(place));
    expect(effects).toMatchObject({ endedApprovals: 1 });
    const after = await place.open();
    await after.pauses.remove('people', Date.now());
    const next = await openRun(after, { id: 'run_2', now: now + 1 });
    await writePlan(after, { id: 'run_2', owned: next }, [yes, no]);
    const decided = await after.plans.applyApprovals(next, 'run_2', 'people', now + dayMs / 2);
    expect(decided).toBe(0);
    expect(await after.decisions.of('people', no.identification)).toMatchObject([{ state: 'rejected' }]);
  });

  it('is of one instant, also when the store is written meanwhile', async () => {
    const place = await openPlace(kind);
    const store = await place.open();
    const run = await openRun(store, { id: 'run_1', now });
    const entries = Array.from({ length: 1000 }, (_, i) => sampleEntry(`E${i}`));
    await store.ledger.put(run, entries);
    let isMade = false;
    const making = backUpStore(place.url, place.file, parts(place)).finally(() => {
      isMade = true;
    });
    // Each of these writes changes every row, in one transaction.
    for (let at = 1; !isMade && at < 200; at++) {
      await store.ledger.put(
        run,
        entries.map((entry) => ({ ...entry, writtenAt: at })),
      );
    }
    await making;
    const lines = gunzipSync(await readFile(place.file))
      .toString()
      .split('\n');
    const from = lines.findIndex((line) => line.startsWith('{"table":"ledger"'));
    const { columns } = JSON.parse(lines[from] ?? '') as { columns: string[] };
    const at = columns.indexOf('written_at');
    const seen = new Set(lines.slice(from + 1, from + 1001).map((line) => (JSON.parse(line) as unknown[])[at]));
    expect([...seen]).toHaveLength(1);
  });

  it('with sealed data is refused without its key and with another one, and the store is as before', async () => {
    const place = await openPlace(kind);
    const seals = [openSeal(testKey)];
    const sealed = await openStore(place.url, { folder: place.folder, seals });
    const owned = await openRun(sealed, { id: 'run_1' });
    await sealed.ledger.put(owned, [sampleEntry('E1', { hidden: { job: 'Cook' } })]);
    await sealed.leases.release(owned.lease);
    await sealed.close();
    await backUpStore(place.url, place.file, parts(place));
    const store = await openStore(place.url, { folder: place.folder, seals });
    onTestFinished(() => store.close());
    await store.tokens.replace(undefined, sampleTokens());
    await expect(restoreStore(place.url, place.file, order(place))).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringContaining('encryptionKey is not set'),
    });
    const others = { ...order(place), seals: [openSeal(Buffer.alloc(32, 2).toString('base64'))] };
    await expect(restoreStore(place.url, place.file, others)).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringMatching(
        `sealed with the key ${seals[0]?.keyId}, .* formerEncryptionKeys .*Nothing was changed`,
      ),
    });
    expect(await store.tokens.get('acme')).toMatchObject({ state: 'ready', restored: undefined });
    expect(await restoreStore(place.url, place.file, { ...order(place), seals })).toMatchObject({
      effects: { tokens: [] },
    });
  });
});

describe('a backup', () => {
  it('is refused while a process works on the store, and then nothing is changed', async () => {
    const place = await openPlace('SQLite');
    const store = await place.open();
    await backUpStore(place.url, place.file, parts(place));
    await store.leases.take('deployment', 'redis', hourMs, now);
    await store.tokens.replace(undefined, sampleTokens());
    const refusal = { code: 'CONFLICT', message: expect.stringContaining('"deployment"') };
    await expect(previewRestore(place.url, place.file, parts(place))).rejects.toMatchObject(refusal);
    await expect(restoreStore(place.url, place.file, order(place))).rejects.toMatchObject(refusal);
    expect(await store.tokens.get('acme')).toMatchObject({ state: 'ready' });
  });

  it('that is damaged changes nothing', async () => {
    const place = await openPlace('SQLite');
    const store = await place.open();
    await store.tokens.replace(undefined, sampleTokens());
    await backUpStore(place.url, place.file, parts(place));
    const text = gunzipSync(await readFile(place.file)).toString();
    const damages = [
      gzipSync(text.replace('sealed refresh', 'sealed refrash')),
      gzipSync(text.slice(0, text.lastIndexOf('{"end"'))),
      gzipSync(`${text}[]\n`),
      (await readFile(place.file)).subarray(0, -20),
    ];
    for (const damage of damages) {
      await writeFile(place.file, damage);
      await expect(restoreStore(place.url, place.file, order(place))).rejects.toMatchObject({
        code: 'STORE_INVALID',
        message: expect.stringMatching(/damaged.*Nothing was changed/),
      });
    }
    for (const other of [Buffer.from('PK'), gzipSync('hello\n'), gzipSync('{"a":1}\n')]) {
      await writeFile(place.file, other);
      await expect(restoreStore(place.url, place.file, order(place))).rejects.toMatchObject({ code: 'USAGE' });
    }
    expect(await store.tokens.get('acme')).toMatchObject({ state: 'ready' });
  });

  it('of a newer version is refused with the version to use', async () => {
    const place = await openPlace('SQLite');
    await place.open();
    await backUpStore(place.url, place.file, parts(place));
    const text = gunzipSync(await readFile(place.file)).toString();
    await writeFile(place.file, gzipSync(text.replace('"001-start"', '"001-start","999-later"')));
    await expect(previewRestore(place.url, place.file, parts(place))).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringMatching(/999-later.*Rollcall 1\.2\.3 or later/),
    });
  });
});

it('a backup of an older version is brought to the tables of the version that restores it', async () => {
  const place = await openPlace('SQLite');
  const old = await place.open();
  await old.triggers.add(sampleTrigger('t1'));
  await backUpStore(place.url, place.file, parts(place));
  const target = await openDatabase('sqlite:./new.db', { folder: place.folder });
  onTestFinished(() => target.db.destroy());
  const second = {
    since: '9.9.0',
    up: async (db: Kysely<unknown>) => void (await sql`update triggers set scope_key = 'moved'`.execute(db)),
  };
  const contents = { place: target.place, rows: {} };
  const all = { ...order(place), now, file: place.file, place: target.place, replaces: contents };
  const known = { ...migrations, '002-second': second };
  await restoreInto(target.db, all, async () => {}, known);
  const rows = await target.db.selectFrom('triggers').select(['id', 'scope_key']).execute();
  expect(rows).toEqual([{ id: 't1', scope_key: 'moved' }]);
});

it('a backup never replaces a file, and a store in memory or none has no backup', async () => {
  const place = await openPlace('SQLite');
  await writeFile(place.file, 'mine');
  await place.open();
  await expect(backUpStore(place.url, place.file, parts(place))).rejects.toMatchObject({ code: 'USAGE' });
  expect(await readFile(place.file, 'utf8')).toBe('mine');
  const other = join(place.folder, 'b.backup');
  await expect(backUpStore('sqlite::memory:', other, parts(place))).rejects.toMatchObject({ code: 'USAGE' });
  await expect(backUpStore('sqlite:./none.db', other, parts(place))).rejects.toMatchObject({ code: 'STORE_INVALID' });
  await expect(readFile(other)).rejects.toMatchObject({ code: 'ENOENT' });
});
