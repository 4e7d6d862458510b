import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { openPostgres } from '../../src/store/db/postgres.ts';
import { openStore } from '../../src/store/index.ts';
import { openRun, sampleEntry } from '../contracts/store-samples.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres('own');
const own = postgres?.own;

async function newUrl(change: (url: URL) => void = () => {}): Promise<string> {
  if (postgres === undefined) throw new Error('skipped without a server');
  const url = new URL(await postgres.newDatabase());
  change(url);
  return url.href;
}

async function open(url: string): Promise<Store> {
  const store = await openStore(url, { folder: '.' });
  onTestFinished(() => store.close());
  return store;
}

/** A connection beside the store's. */
async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** To be asked outside a transaction: within one, the answer stays the same. */
const waiters = "from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

async function failureOf(work: Promise<unknown>): Promise<Error & { code?: string; retry?: unknown }> {
  return work.then(
    () => {
      throw new Error('it went well');
    },
    (error: Error) => error,
  );
}

describe.skipIf(own === undefined)('opening a PostgreSQL store', () => {
  const { port = 0, password = '', certificate } = own ?? {};

  it.each<[string, Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port' | 'search'>>, string, string]>([
    ['a wrong password', { password: 'not%20it' }, 'never', '28P01'],
    ['an unknown user', { username: 'nobody' }, 'never', '28P01'],
    ['an unknown database', { pathname: '/nowhere' }, 'never', '3D000'],
    ['a port where nobody listens', { port: '1' }, 'backoff', 'ECONNREFUSED'],
    ['a server that proves itself by nobody we know', { search: '?sslmode=verify-full' }, 'backoff', 'certificate'],
  ])('with %s says what to do, and nothing of the password', async (_, change, retry, word) => {
    const url = await newUrl((made) => Object.assign(made, change));
    const error = await failureOf(openStore(url, { folder: '.' }));
    expect(error).toMatchObject({ code: 'STORE_INVALID', retry, message: expect.stringContaining(word) });
    expect(error.message).toContain('postgres://127.0.0.1:');
    for (const secret of [password, encodeURIComponent(password), 'not it', 'not%20it']) {
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
    }
  });

  it('over a network asks for TLS unless the url says otherwise, and names both settings when there is none', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write('N')));
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    onTestFinished(() => void server.close());
    const { port: plain } = server.address() as AddressInfo;
    const error = await failureOf(openStore(`postgres://rollcall:secret@0.0.0.0:${plain}/people`, { folder: '.' }));
    expect(error).toMatchObject({ code: 'STORE_INVALID', message: expect.stringContaining('offers no TLS') });
    expect(error.message).toMatch(/sslmode=verify-full.*\?sslmode=disable to the url under "store"/);
  });

  it('takes as much proof of the server as sslmode asks for', async () => {
    if (certificate === undefined) return;
    const encrypted = async (host: string, query: string): Promise<unknown> => {
      const url = await newUrl((made) => {
        made.hostname = host;
        made.search = query;
      });
      const { db } = await openPostgres(url, '.');
      const { rows } = await sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(
        db,
      );
      await db.destroy();
      return rows[0]?.ssl;
    };
    const proof = `sslrootcert=${encodeURIComponent(certificate)}`;
    expect(await encrypted('127.0.0.1', '')).toBe(false);
    expect(await encrypted('127.0.0.1', '?sslmode=require')).toBe(true);
    expect(await encrypted('127.0.0.1', `?sslmode=verify-ca&${proof}`)).toBe(true);
    expect(await encrypted('localhost', `?sslmode=verify-full&${proof}`)).toBe(true);
    for (const [host, query] of [
      ['127.0.0.1', `?sslmode=verify-full&${proof}`],
      ['127.0.0.1', '?sslmode=verify-ca'],
      ['localhost', '?sslmode=verify-full'],
    ] as const) {
      await expect(encrypted(host, query)).rejects.toMatchObject({ code: 'STORE_INVALID' });
    }
  });

  it('refuses a database of something else, and one that cannot hold every name', async () => {
    const other = await newUrl();
    await postgres?.query(other, 'create table invoices (id text)');
    await expect(openStore(other, { folder: '.' })).rejects.toMatchObject({
      code: 'STORE_INVALID',
      message: expect.stringContaining('invoices'),
    });
    await postgres?.query(
      other,
      "create database narrow encoding 'SQL_ASCII' template template0 locale 'C' locale_provider libc",
    );
    const narrow = other.replace(/[^/]*$/, 'narrow');
    await expect(openStore(narrow, { folder: '.' })).rejects.toMatchObject({
      message: expect.stringContaining('SQL_ASCII'),
    });
  });

  it('minds neither views nor tables of other schemas', async () => {
    const url = await newUrl();
    await postgres?.query(url, 'create schema other; create table other.invoices (id text); create view v as select 1');
    expect(await (await open(url)).triggers.waiting()).toEqual([]);
  });

  it('says so when the user may make no tables', async () => {
    const url = await newUrl((made) => {
      made.username = 'guest';
      made.password = 'guest';
    });
    const admin = new URL(url);
    admin.username = own?.user ?? '';
    admin.password = encodeURIComponent(password);
    await postgres?.query(admin.href, "create user guest password 'guest'; revoke create on schema public from public");
    await expect(openStore(url, { folder: '.' })).rejects.toMatchObject({
      code: 'STORE_INVALID',
      retry: 'never',
      message: expect.stringContaining('grant'),
    });
  });

  it('makes commits durable where the database is set to be careless', async () => {
    const url = await newUrl();
    await postgres?.query(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
    const { db } = await openPostgres(url, '.');
    expect((await sql`show synchronous_commit`.execute(db)).rows).toEqual([{ synchronous_commit: 'on' }]);
    await db.destroy();
    expect(port).toBeGreaterThan(0);
  });
});

describe.skipIf(postgres === undefined)('an error of PostgreSQL', () => {
  it.each([
    ['23505', 'CONFLICT', 'never', false],
    ['22021', 'STORE_INVALID', 'never', false],
    ['42P01', 'STORE_INVALID', 'never', true],
    ['25006', 'STORE_INVALID', 'backoff', true],
    ['53100', 'STORE_INVALID', 'backoff', true],
    ['53300', 'STORE_INVALID', 'backoff', true],
    ['55P03', 'STORE_INVALID', 'backoff', true],
    ['57014', 'STORE_INVALID', 'backoff', true],
    ['57P01', 'STORE_INVALID', 'backoff', true],
    ['58030', 'STORE_INVALID', 'backoff', true],
    ['40001', 'STORE_INVALID', 'backoff', false],
    ['P0001', 'STORE_INVALID', 'never', false],
  ])('%s becomes %s with retry %s, and holds no value of a row', async (state, code, retry, isTold) => {
    const { db } = await openPostgres(await newUrl(), '.');
    onTestFinished(() => db.destroy());
    const raise = sql.raw(
      `do $$ begin raise exception 'said' using errcode = '${state}', detail = 'Key (ana@example.com)', hint = 'ana@'; end $$`,
    );
    const error = await failureOf(raise.execute(db));
    expect(error).toMatchObject({ code, retry, cause: expect.any(Error) });
    expect(error.message).toContain(state);
    expect(error.message.includes('said')).toBe(isTold);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('ana@');
  });
});

describe.skipIf(postgres === undefined)('transactions that stand in the way of each other', () => {
  it('are tried again, whole, until both are done', async () => {
    const { db } = await openPostgres(await newUrl(), '.');
    onTestFinished(() => db.destroy());
    await sql`create table rows (id int primary key, count int)`.execute(db);
    await sql`insert into rows values (1, 0), (2, 0)`.execute(db);
    let calls = 0;
    let meet: () => void = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const cross = (first: number, second: number) =>
      inTransaction(db, async (transaction) => {
        calls++;
        await sql`update rows set count = count + 1 where id = ${first}`.execute(transaction);
        if (calls === 2) meet();
        await met;
        await sql`update rows set count = count + 1 where id = ${second}`.execute(transaction);
      });
    await Promise.all([cross(1, 2), cross(2, 1)]);
    // Who is tried again may meet the other one once more.
    expect(calls).toBeGreaterThan(2);
    expect((await sql`select count from rows`.execute(db)).rows).toEqual([{ count: 2 }, { count: 2 }]);
  });

  it.each(['40001', '40P01'])('are given up after five %s in a row, with nothing written', async (state) => {
    const { db } = await openPostgres(await newUrl(), '.');
    onTestFinished(() => db.destroy());
    await sql`create table rows (id int)`.execute(db);
    let calls = 0;
    const work = inTransaction(db, async (transaction) => {
      calls++;
      await sql`insert into rows values (1)`.execute(transaction);
      await sql.raw(`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`).execute(transaction);
    });
    await expect(work).rejects.toMatchObject({ code: 'STORE_INVALID', retry: 'backoff' });
    expect(calls).toBe(5);
    expect((await sql`select * from rows`.execute(db)).rows).toEqual([]);
  });
});

describe.skipIf(own === undefined)('a PostgreSQL store whose server goes away', () => {
  it('fails with a word to try later, and goes on with the same pool once the server is back', async () => {
    const store = await open(await newUrl());
    const owned = await openRun(store, { id: 'run_1' });
    for (const how of ['fast', 'crash'] as const) {
      await own?.stop(how);
      for (const call of [() => store.triggers.waiting(), () => store.ledger.put(owned, [sampleEntry('ana')])]) {
        await expect(call()).rejects.toMatchObject({ code: 'STORE_INVALID', retry: 'backoff' });
      }
      await own?.start();
      await store.ledger.put(owned, [sampleEntry(`after ${how}`)]);
    }
    expect((await store.ledger.getMany('acme', ['ana', 'after fast', 'after crash'])).size).toBe(2);
  });

  it('begins a transaction on another connection when the one at hand turns out to be dead', async () => {
    const url = await newUrl();
    const store = await open(url);
    const owned = await openRun(store, { id: 'run_1' });
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await postgres?.query(url, others);
    await store.ledger.put(owned, [sampleEntry('ana')]);
    expect(await store.ledger.get('acme', 'ana')).toEqual(sampleEntry('ana'));
  });

  it('keeps nothing of a transaction whose connection is cut, and leaves no row locked', async () => {
    const url = await newUrl();
    const store = await open(url);
    const owned = await openRun(store, { id: 'run_1' });
    const beside = await connect(url);
    await beside.query('begin');
    await beside.query(
      "insert into ledger (connection, identification, owner, leaders_wait, unverified) values ('acme', 'zoe', 'x', 0, 0)",
    );
    const entries = ['ana', 'zoe'].map((name) => sampleEntry(name));
    const writing = failureOf(store.ledger.put(owned, entries));
    const watcher = await connect(url);
    while ((await watcher.query(`select 1 ${waiters}`)).rows.length === 0);
    await watcher.query(`select pg_terminate_backend(pid) ${waiters}`);
    expect(await writing).toMatchObject({ code: 'STORE_INVALID', retry: 'backoff' });
    await beside.query('rollback');
    expect((await store.ledger.getMany('acme', ['ana', 'zoe'])).size).toBe(0);
    await store.ledger.put(owned, entries);
    expect((await store.ledger.getMany('acme', ['ana', 'zoe'])).size).toBe(2);
  });

  it('lets nobody take a run over while its owner is in the middle of a write', async () => {
    const url = await newUrl();
    const store = await open(url);
    const owned = await openRun(store, { id: 'run_1' });
    const beside = await connect(url);
    await beside.query('begin');
    await beside.query(
      "insert into ledger (connection, identification, owner, leaders_wait, unverified) values ('acme', 'zoe', 'x', 0, 0)",
    );
    const writing = store.ledger.put(owned, [sampleEntry('zoe')]);
    const watcher = await connect(url);
    const waiting = async (): Promise<number> => (await watcher.query(`select 1 ${waiters}`)).rows.length;
    while ((await waiting()) < 1);
    let isTaken = false;
    const taking = store.leases
      .take(owned.lease.name, 'thief', 1_000, Number.MAX_SAFE_INTEGER - 1_000)
      .then(async (lease) => {
        isTaken = true;
        const { rowCount } = await watcher.query("select 1 from ledger where identification = 'zoe'");
        return { fence: lease?.fence, rowCount };
      });
    while ((await waiting()) < 2 && !isTaken);
    await beside.query('rollback');
    await writing;
    // Whose answer is heard first is the network's affair; what was written was there when the lease was given.
    expect(await taking).toEqual({ fence: 2, rowCount: 1 });
    await expect(store.ledger.put(owned, [sampleEntry('zoe')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('does not write to a standby, and follows when it is promoted', async () => {
    const url = await newUrl();
    const store = await open(url);
    const owned = await openRun(store, { id: 'run_1' });
    await own?.stop('fast');
    await own?.start('standby');
    await expect(store.ledger.put(owned, [sampleEntry('ana')])).rejects.toMatchObject({
      code: 'STORE_INVALID',
      retry: 'backoff',
      message: expect.stringContaining('standby'),
    });
    await postgres?.query(url, 'select pg_promote()');
    await store.ledger.put(owned, [sampleEntry('ana')]);
    expect(await store.ledger.get('acme', 'ana')).toEqual(sampleEntry('ana'));
  });
});
