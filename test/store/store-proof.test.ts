import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { backUpStore, restoreStore } from '../../src/store/backup/index.ts';
import { openStore } from '../../src/store/index.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { sampleTokens } from '../contracts/store-samples.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();
const kinds = postgres === undefined ? (['SQLite'] as const) : (['SQLite', 'PostgreSQL'] as const);
const older = 'it is an older copy';
const second = sampleTokens({ generation: 2 });

async function open(url: string, folder: string): Promise<Store> {
  const store = await openStore(url, { folder });
  onTestFinished(() => store.close());
  return store;
}

describe.each(kinds)('a process on %s', (kind) => {
  let folder = '';
  let url = '';

  async function openNew(): Promise<Store> {
    folder = await temporaryFolder();
    url = kind === 'SQLite' ? 'sqlite:./store.db' : ((await postgres?.newStore()) ?? '');
    return open(url, folder);
  }

  /** As a restore does that is none of ours: `pg_restore`, or `.restore` of sqlite3. */
  async function putBack(generation: number | undefined): Promise<void> {
    const { db } = await openDatabase(url, { folder });
    await (generation === undefined
      ? db.deleteFrom('tokens').execute()
      : db.updateTable('tokens').set({ generation }).execute());
    await db.destroy();
  }

  it('refuses a store whose newest token pair is older than one that it has seen, and so does every later process', async () => {
    const store = await openNew();
    await store.tokens.replace(undefined, sampleTokens());
    const lease = await store.leases.take('run:r1', 'me', 60_000, 1);
    await store.tokens.replace(sampleTokens(), second);
    expect(await store.fault(1)).toBeUndefined();
    await putBack(1);
    await expect(store.tokens.get('acme')).rejects.toMatchObject({ code: 'STORE_INVALID', retry: 'backoff' });
    const refused = /older copy: it has token pair 1 of acme, and pair 2 was seen.*admin restore FILE --replace/;
    await expect(store.leases.take('token:acme', 'me', 1000, 2)).rejects.toThrow(refused);
    await expect(store.leases.renew(lease ?? expect.unreachable(), 1000, 2)).rejects.toThrow(refused);
    expect(await store.fault(2)).toBe(older);
    // It has seen nothing, and finds what the first one found.
    const restarted = await open(url, folder);
    expect(await restarted.fault(3)).toBe(older);
    await expect(restarted.leases.take('run:r2', 'me', 1000, 3)).rejects.toThrow(refused);
  });

  it('refuses a store that lacks a pair, and goes on when it is there again', async () => {
    const store = await openNew();
    await store.tokens.replace(undefined, second);
    await putBack(undefined);
    expect(await store.fault(1)).toBe(older);
    // A sync that is renamed takes its pair along, so another process may be right.
    expect(await (await open(url, folder)).fault(1)).toBeUndefined();
    await (await open(url, folder)).tokens.replace(undefined, second);
    expect(await store.fault(2)).toBeUndefined();
  });

  it('refuses a store that was restored meanwhile, whose pairs wait for a confirmation', async () => {
    const store = await openNew();
    const seen = await store.tokens.replace(undefined, second);
    expect(seen).toBe(true);
    expect(await store.fault(1)).toBeUndefined();
    await putBack(1);
    expect(await store.fault(2)).toBe(older);
    const parts = { folder, version: '1.2.3', now: () => Date.now() };
    const file = `${folder}/${kind}.backup`;
    await backUpStore(url, file, parts);
    await restoreStore(url, file, { ...parts, id: 'audit_1', by: 'ana', syncs: [], seeds: new Map() });
    expect(await store.fault(3)).toBe('it is not the store that this process opened');
    await expect(store.leases.take('run:r1', 'me', 1000, 3)).rejects.toThrow(/was restored.*restart this process/);
    const restarted = await open(url, folder);
    expect(await restarted.fault(4)).toBeUndefined();
    expect(await restarted.tokens.get('acme')).toMatchObject({ generation: 1, restored: {} });
  });
});

describe.skipIf(postgres === undefined)('a failover of PostgreSQL', () => {
  it('to an older copy stops runs and tokens, until the newest copy is back', async () => {
    if (postgres === undefined) return;
    const [url, copy, beside] = [await postgres.newStore(), await postgres.newStore(), await postgres.newDatabase()];
    const [name, copied] = [url, copy].map((one) => new URL(one).pathname.slice(1));
    const rename = (from: string, to: string) => postgres.query(beside, `alter database ${from} rename to ${to}`);
    /** The address leads to the other database, and every connection ends. */
    const failOver = async (away: string, back: string): Promise<void> => {
      await postgres.query(
        beside,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname in ('${name}', '${copied}')`,
      );
      await rename(`${name}`, away);
      await rename(back, `${name}`);
    };
    const store = await open(url, '.');
    await store.tokens.replace(undefined, sampleTokens());
    const other = await openStore(copy, { folder: '.' });
    await other.tokens.replace(undefined, sampleTokens());
    await other.close();
    await store.tokens.replace(sampleTokens(), second);
    expect(await store.fault(1)).toBeUndefined();
    await failOver(`${name}_newest`, `${copied}`);
    await expect.poll(() => store.fault(2)).toBe(older);
    await expect(store.tokens.get('acme')).rejects.toThrow(/older copy/);
    await failOver(`${copied}`, `${name}_newest`);
    await expect.poll(() => store.fault(3)).toBeUndefined();
    expect(await store.tokens.get('acme')).toMatchObject({ generation: 2 });
  });
});
