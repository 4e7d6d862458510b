import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople, readWhole, sourceIo } from '../../contracts/source.ts';
import { freePort } from '../../support/services/programs.ts';
import { startMariaDb, startPostgres } from '../../support/services.ts';
import { sourceBase } from '../../support/source-base.ts';
import { openTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const postgres = await startPostgres();
const mariaDb = await startMariaDb();

interface World {
  readonly url: string;
  run(statement: string): Promise<unknown>;
}

const onPostgres = async (): Promise<World> => {
  const url = (await postgres?.newDatabase()) ?? '';
  return { url, run: async (statement) => postgres?.query(url, statement) };
};
const onMariaDb = async (): Promise<World> => {
  const url = (await mariaDb?.newDatabase()) ?? '';
  return { url, run: async (statement) => mariaDb?.query(url, statement) };
};
const onSqlite = async (): Promise<World> => {
  const path = join(await temporaryFolder(), 'hr.db');
  return {
    url: `sqlite:${path}`,
    run: async (statement) => {
      const database = new Sqlite(path);
      database.pragma('journal_mode = wal');
      database.exec(statement);
      database.close();
    },
  };
};

const worlds = [
  { name: 'SQLite', open: onSqlite, isThere: true },
  { name: 'PostgreSQL', open: onPostgres, isThere: postgres !== undefined },
  { name: 'MariaDB', open: onMariaDb, isThere: mariaDb !== undefined },
];

function source(url: string, query: string, more: Readonly<Record<string, unknown>> = {}) {
  // The clock of these tests runs fast.
  const config = { kind: 'sql', url, query, key: 'id', statementTimeout: '24h', ...more };
  return openSource(config, sourceBase('/'));
}

async function everybody(url: string, query: string, more: Readonly<Record<string, unknown>> = {}) {
  return readPeople(source(url, query, more));
}

const failure = (url: string, query: string, more: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
  everybody(url, query, more).catch((error: unknown) => error);

describe.each(worlds)('a query on $name', ({ open, isThere }) => {
  const test = it.skipIf(!isThere);

  test('sees one moment, whoever comes, goes or changes while it is read', async () => {
    const { url, run } = await open();
    await run('create table people (id integer primary key, name varchar(20))');
    await run(`insert into people values ${Array.from({ length: 50 }, (_, i) => `(${i}, 'Ana')`).join(', ')}`);
    const read = source(url, 'select * from people', { fetchRows: 10 }).read({ kind: 'full' }, sourceIo());
    const names: unknown[] = [];
    const first = await read.next();
    await run("update people set name = 'Luz'");
    await run('delete from people where id > 20');
    await run("insert into people values (900, 'Eva')");

    for (let step = first; ; step = await read.next()) {
      if (step.done) {
        expect(step.value).toMatchObject({ complete: true, rows: 50 });
        break;
      }
      names.push(...step.value.records.map(({ fields }) => fields.name));
    }
    expect(names).toEqual(Array(50).fill('Ana'));
  });

  test('is not trusted when a key is null or twice, and gives the rows', async () => {
    const { url, run } = await open();
    await run('create table people (id varchar(9), name varchar(20))');
    await run("insert into people values ('A1', 'Ana'), ('a1', 'Luz'), (null, 'Eva'), ('B', 'Bo'), ('B', 'Bo')");

    const { people, end } = await everybody(url, 'select * from people');

    expect(people).toHaveLength(5);
    expect(end).toEqual({
      complete: false,
      rows: 5,
      reasons: [
        '1 row has no id',
        '1 row has a id that another row has too: make the query return one row for each employee',
      ],
    });
  });

  test('finds named people whatever their case, and takes no identification for SQL', async () => {
    const { url, run } = await open();
    await run('create table people (id varchar(40), name varchar(20))');
    await run(`insert into people values ('Zoé', 'a'), ('ZOÉ', 'b'), ('zoe', 'c'), ('O''Neil', 'd'), (' E1 ', 'e')`);
    const asked = {
      kind: 'point',
      field: 'id',
      identifications: ['Zoé', "o'neil", 'E1', "') or ('1' = '1", "\\') or 1 = 1 -- ", ''],
    } as const;

    const { pages, end } = await readWhole(source(url, 'select * from people', {}), asked);

    const found = pages.flatMap(({ records }) => records.map(({ fields }) => fields.name));
    expect(found).toEqual(expect.arrayContaining(['a', 'd', 'e']));
    expect(found).not.toContain('c');
    expect(end).toMatchObject({ complete: true });
  });

  test('is refused with columns that have one name, and without the key', async () => {
    const { url, run } = await open();
    await run('create table people (id integer, name varchar(20))');

    const twice = await failure(url, 'select id, name as x, name as X from people');
    expect(twice).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    const keyless = await failure(url, 'select name from people');
    expect(keyless).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    expect(String(keyless)).toContain('it returns no column id (names are case-sensitive)');
    expect(await source(url, 'select id, name from people').fields(sourceIo())).toEqual(['id', 'name']);
  });

  test('that cannot be run says so, and is not tried again', async () => {
    const { url, run } = await open();
    await run('create table people (id integer)');

    for (const query of ['select * from nobody', 'select id, salary from people', 'select id frm people x y']) {
      const error = await failure(url, query);
      expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
      expect(String(error)).toContain('Correct source.query');
    }
  });

  test('is read from a file, with common table expressions and a comment at its end', async () => {
    const { url, run } = await open();
    await run('create table people (id integer)');
    await run('insert into people values (7)');
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'hr.sql'),
      '\uFEFFwith p as (select id from people)\nselect id from p; -- all of them',
    );
    const config = { kind: 'sql', url, queryFile: 'hr.sql', key: 'id', statementTimeout: '24h' };

    const { pages } = await readWhole(openSource(config, sourceBase(folder)));

    expect(pages.flatMap(({ records }) => records)).toEqual([{ at: 'row 1 by id', fields: { id: '7' } }]);
  });
});

describe('values come as they are written', () => {
  it.skipIf(postgres === undefined)('by PostgreSQL', async () => {
    const { url } = await onPostgres();
    const query = `select 9007199254740993::bigint as id, 12.50::numeric as pay, 7 as level, 1.5::float8 as share,
      true as here, 'ab'::char(5) as code, date '2024-02-29' as hired, timestamp '2024-02-29 23:30' as seen,
      timestamptz '2024-02-29 23:30-03' as at, date '9999-12-31' as never, date 'infinity' as ever, null as nothing,
      '' as blank, '{"a":{"b":9007199254740993}}'::jsonb as doc, '\\x0aff'::bytea as bin, array['x','y'] as tags`;

    expect((await everybody(url, query)).people).toEqual([
      {
        ...{ id: '9007199254740993', pay: '12.50', level: 7, share: 1.5, here: true, code: 'ab', hired: '2024-02-29' },
        ...{ seen: '2024-02-29 23:30:00', at: '2024-03-01 02:30:00+00', never: null, ever: null, nothing: null },
        ...{ blank: '', doc: { a: { b: '9007199254740993' } }, bin: '0aff', tags: '{x,y}' },
      },
    ]);
  });

  it.skipIf(mariaDb === undefined)('by MariaDB', async () => {
    const { url, run } = await onMariaDb();
    await run(`create table people (id bigint unsigned, pay decimal(9, 2), level int, share double, here bit(1), code char(5),
      hired date, seen datetime, zero date, never date, nothing int, blank text, doc json, bin binary(2), name varchar(20))`);
    await run(
      "set statement sql_mode = '' for insert into people values (18446744073709551615, 12.5, 7, 1.5, 1, 'ab', '2024-02-29', '2024-02-29 23:30', '0000-00-00', '9999-12-31', null, '', '{\"a\":1}', x'0aff', 'Chloé')",
    );

    const [person] = (await everybody(url, 'select * from people')).people;
    expect(person).toMatchObject({
      ...{
        id: '18446744073709551615',
        pay: '12.50',
        level: 7,
        share: 1.5,
        here: true,
        code: 'ab',
        hired: '2024-02-29',
      },
      ...{
        seen: '2024-02-29 23:30:00',
        zero: null,
        never: null,
        nothing: null,
        blank: '',
        bin: '0aff',
        name: 'Chloé',
        doc: { a: 1 },
      },
    });
  });

  it('by SQLite', async () => {
    const { url, run } = await onSqlite();
    await run(
      'create table people (id integer, big integer, share real, hired date, never date, note, bin blob, name text)',
    );
    await run(
      "insert into people values (7, 9007199254740993, 1.5, '2024-02-29', '4712-12-31', null, x'0aff', 'Chloé')",
    );

    expect((await everybody(url, 'select * from people')).people).toEqual([
      {
        id: '7',
        big: '9007199254740993',
        share: 1.5,
        hired: '2024-02-29',
        never: null,
        note: null,
        bin: '0aff',
        name: 'Chloé',
      },
    ]);
  });
});

describe.skipIf(postgres === undefined)('PostgreSQL', () => {
  it('refuses a query that would write, and a second statement that the query hides', async () => {
    const { url, run } = await onPostgres();
    await run('create table people (id integer)');
    await run("create function hire() returns integer language sql as 'insert into people values (1) returning id'");

    const writing = await failure(url, 'select hire() as id');
    expect(writing).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      retry: 'never',
      message: expect.stringContaining('25006'),
    });
    expect(await run('select * from people')).toEqual([]);
  });

  it('tells no value of a row that a cast stumbles over', async () => {
    const { url } = await onPostgres();
    const error = await failure(url, "select ('geheim' || n)::integer as id from generate_series(1, 3) n");
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain('geheim');
  });

  it('gives up a statement that takes too long, and one that nobody waits for', async () => {
    const { url } = await onPostgres();
    const slow = 'select 1 as id from pg_sleep(20)';
    expect(String(await failure(url, slow, { statementTimeout: '1s' }))).toContain('raise source.statementTimeout');

    const abort = new AbortController();
    const reading = readWhole(source(url, slow), { kind: 'full' }, sourceIo({ signal: abort.signal }));
    setTimeout(() => abort.abort(new Error('cancelled')), 100);
    await expect(reading).rejects.toThrow('cancelled');
  });

  it.skipIf(postgres?.certificate === undefined)('proves who it is, where the url asks for it', async () => {
    const { url } = await onPostgres();
    const secure = (host: string, more: string): string =>
      `${url.replace('127.0.0.1', host)}?sslmode=verify-full${more}`;
    const query = 'select 1 as id, (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as safe';
    const ca = `&sslrootcert=${encodeURIComponent(postgres?.certificate ?? '')}`;

    expect((await everybody(secure('localhost', ca), query)).people).toEqual([{ id: '1', safe: true }]);
    for (const wrong of [secure('localhost', ''), secure('127.0.0.1', ca)]) {
      const error = await failure(wrong, query);
      expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
      expect(String(error)).toContain('could not prove its identity');
      expect(String(error)).toContain('sslrootcert');
    }
  });
});

it('a PostgreSQL server without TLS hears nothing but the question for it', async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      heard.push(bytes);
      socket.write('N');
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const error = await failure(`postgres://hr:geheim@localhost:${port}/hr?sslmode=verify-full`, 'select 1 as id');

  expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
  expect(String(error)).toContain('offers no TLS');
  expect(String(error)).toContain('?sslmode=disable');
  // SSLRequest (PostgreSQL, 55.7): eight bytes, no name and no password.
  expect(Buffer.concat(heard)).toHaveLength(8);
});

describe.each(worlds.slice(1))('a server ($name)', ({ open, isThere }) => {
  const test = it.skipIf(!isThere);

  test('that breaks off in the middle, or is away, is read anew later', async () => {
    const { url, run } = await open();
    await run('create table people (id integer, note varchar(200))');
    await run(
      `insert into people values ${Array.from({ length: 900 }, (_, i) => `(${i}, '${'x'.repeat(180)}')`).join(', ')}`,
    );
    const place = new URL(url);
    const door = await openTcpProxy(Number(place.port), (_, bytes) => (bytes < 90_000 ? 'pass' : 'cut'));

    for (const port of [door.port, await freePort()]) {
      place.port = String(port);
      const error = await failure(place.href, 'select * from people', { fetchRows: 100 });
      expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
      expect(String(error)).not.toContain(decodeURIComponent(place.password));
    }
  });

  test('behind something that never hangs up is left all the same', async () => {
    const { url } = await open();
    const place = new URL(url);
    const target = Number(place.port);
    const sockets: Socket[] = [];
    const proxy = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect(target, '127.0.0.1');
      sockets.push(near, far);
      near.on('error', () => {}).pipe(far.on('error', () => {}));
      far.pipe(near, { end: false });
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    place.port = String((proxy.address() as AddressInfo).port);

    const { end } = await readWhole(source(place.href, 'select 1 as id'));

    expect(end).toMatchObject({ complete: true, rows: 1 });
  });

  test('that cannot prove who it is, or offers no TLS, hears nothing more where TLS is asked for', async () => {
    const { url } = await open();

    const error = await failure(`${url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`, 'select 1 as id');

    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    expect(String(error)).toMatch(/(?:offers no TLS|could not prove its identity).*nothing was sent/);
    expect(String(error)).toMatch(/sslmode=(?:disable|require)/);
  });

  test('with another password or database says so, and is not tried again', async () => {
    const { url } = await open();
    const [password, database] = [new URL(url), new URL(url)];
    password.password = 'geheim';
    database.pathname = '/nowhere';

    for (const [{ href }, code] of [
      [password, 'SOURCE_REFUSED'],
      [database, 'SOURCE_UNAVAILABLE'],
    ] as const) {
      const error = await failure(href, 'select 1 as id');
      expect(error).toMatchObject({ code, retry: 'never' });
      expect(String(error)).not.toContain('geheim');
    }
  });
});

describe('an SQLite file', () => {
  it('that is not there is tried again; one that is none, or is damaged, is told', async () => {
    const folder = await temporaryFolder();
    expect(await failure(`sqlite:${folder}/hr.db`, 'select 1 as id')).toMatchObject({ retry: 'backoff' });
    await writeFile(join(folder, 'hr.csv'), 'id,name\n'.repeat(500));
    expect(await failure(`sqlite:${folder}/hr.csv`, 'select * from t')).toMatchObject({ retry: 'never' });
  });

  it('leaves the event loop free while it computes, and is given up after its time', async () => {
    const { url, run } = await onSqlite();
    await run('create table people (id integer)');
    const endless = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 8000000) select max(i) as id from n`;
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    // Five minutes of this clock are a third of a second.
    const error = await failure(url, endless, { statementTimeout: '5m' });
    clearInterval(timer);

    expect(String(error)).toContain('did not finish in time');
    expect(ticks).toBeGreaterThan(5);
  });
});

it('a pipe as queryFile is refused without waiting for its writer', async () => {
  const folder = await temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'hr.sql')]);
  const source = openSource({ kind: 'sql', url: 'sqlite:hr.db', queryFile: 'hr.sql', key: 'id' }, sourceBase(folder));

  await expect(source.fields(sourceIo())).rejects.toMatchObject({
    code: 'SOURCE_UNAVAILABLE',
    message: expect.stringContaining('is not a file: a folder, pipe or device cannot be read. Set source.queryFile'),
  });
});
