import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { approve, dayMs, endRun, hourMs, nameOf, openRun, reject, sampleHold } from '../contracts/store-samples.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();

interface Place {
  readonly url: string;
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

async function sqlitePlace(): Promise<Place> {
  const path = join(await temporaryFolder(), 'store.db');
  const query = async (sql: string) => {
    const raw = new Sqlite(path);
    try {
      const statement = raw.prepare(sql);
      if (statement.reader) return statement.all() as Record<string, unknown>[];
      statement.run();
      return [];
    } finally {
      raw.close();
    }
  };
  return { url: `sqlite:${path}`, query };
}

async function postgresPlace(): Promise<Place> {
  const url = (await postgres?.newDatabase()) ?? '';
  return { url, query: async (sql) => (await postgres?.query(url, sql)) ?? [] };
}

/** Hashes as changes have them, in an order of their own. */
const hashesUpTo = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => createHash('sha256').update(`${i}`).digest('hex'));

const count = 5001;
const hashes = hashesUpTo(count);
const sorted = hashes.toSorted();

const stored = (store: Store, id: string) => Array.fromAsync(store.holds.hashes(id));

describe.each(postgres === undefined ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))('on %s', (kind) => {
  const open = async () => {
    const place = await (kind === 'sqlite' ? sqlitePlace() : postgresPlace());
    return { store: await openStore(place.url, { folder: '.' }), ...place };
  };

  it('a large hold is stored and read in pages, and is the same hold in any order', async () => {
    const { store, query } = await open();
    const first = await openRun(store, { id: 'run_1' });
    await store.holds.renew(first, [sampleHold(first, 'hold_1', hashes)], now);
    const pages = await stored(store, 'hold_1');
    expect(pages.map(({ length }) => length)).toEqual([2000, 2000, 1001]);
    expect(pages.flat()).toEqual(sorted);
    expect(await store.holds.ofRun('run_1')).toMatchObject([{ id: 'hold_1', size: count }]);
    const longest = await query('select max(length(hashes)) as length from holds');
    expect(Number(longest[0]?.length)).toBeLessThan(200_000);
    await endRun(store, first);
    const second = await openRun(store, { id: 'run_2' });
    await store.holds.renew(second, [sampleHold(second, 'hold_2', hashes.toReversed())], now + hourMs);
    expect(await store.holds.ofRun('run_2')).toMatchObject([{ id: 'hold_1', size: count }]);
    await store.close();
  });

  it('counts of overlapping large holds name each waiting change once', async () => {
    const { store } = await open();
    const owned = await openRun(store, { id: 'run_1' });
    const creates = { ...sampleHold(owned, 'hold_1', hashes), class: 'creates' } as const;
    const updates = { ...sampleHold(owned, 'hold_2', hashes.slice(0, 3000)), class: 'updates' } as const;
    const emails = { ...sampleHold(owned, 'hold_3', hashes.slice(2000, 2010)), class: 'emailChanges' } as const;
    await store.holds.renew(owned, [creates, updates, emails], now);
    const counts = async () => {
      const { changes, byClass } = await store.holds.open('people', now);
      return { changes, byClass };
    };
    expect(await counts()).toEqual({
      changes: count,
      byClass: { creates: count, updates: 3000, emailChanges: 10 },
    });
    await approve(store, hashes.slice(0, 2005).map(nameOf));
    expect(await counts()).toEqual({
      changes: count - 2005,
      byClass: { creates: count - 2005, updates: 995, emailChanges: 5 },
    });
    await store.close();
  });

  it('a large hold ends when the last of its changes is decided, and leaves no page when it is deleted', async () => {
    const { store, query } = await open();
    const owned = await openRun(store, { id: 'run_1' });
    await store.holds.renew(owned, [sampleHold(owned, 'hold_1', hashes)], now);
    await approve(store, sorted.slice(0, -1).map(nameOf));
    expect(await store.holds.ofRun('run_1')).toMatchObject([{ state: 'open' }]);
    await reject(store, sorted.slice(-1).map(nameOf));
    expect(await store.holds.ofRun('run_1')).toMatchObject([{ state: 'decided' }]);
    await endRun(store, owned);
    await store.runs.prune(now + 400 * dayMs, 0);
    expect(await query('select count(*) as count from holds')).toMatchObject([{ count: expect.toSatisfy(isZero) }]);
    expect(await query('select count(*) as count from hold_pages')).toMatchObject([
      { count: expect.toSatisfy(isZero) },
    ]);
    await store.close();
  });

  it('a hold that has all its hashes in one row is read, counted, renewed and closed like any other', async () => {
    const { store, query } = await open();
    const first = await openRun(store, { id: 'run_1' });
    await store.holds.renew(first, [sampleHold(first, 'hold_1', hashes)], now);
    await query('delete from hold_pages');
    await query(`update holds set size = null, hashes = '${JSON.stringify(sorted)}'`);
    expect(await stored(store, 'hold_1')).toEqual([sorted]);
    expect(await store.holds.ofRun('run_1')).toMatchObject([{ size: count }]);
    expect(await store.holds.open('people', now)).toMatchObject({ changes: count });
    await endRun(store, first);
    const second = await openRun(store, { id: 'run_2' });
    await store.holds.renew(second, [sampleHold(second, 'hold_2', hashes)], now + hourMs);
    expect(await store.holds.ofRun('run_2')).toMatchObject([{ id: 'hold_1', size: count, state: 'open' }]);
    await approve(store, hashes.map(nameOf));
    expect(await store.holds.ofRun('run_2')).toMatchObject([{ id: 'hold_1', state: 'approved' }]);
    await store.close();
  });
});

function isZero(value: unknown): boolean {
  return Number(value) === 0;
}
