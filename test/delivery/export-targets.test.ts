import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExportColumn, ExportFile } from '../../src/core/run/exports.ts';
import { openFileTarget } from '../../src/delivery/exports/file-target.ts';
import { openPostgresTarget } from '../../src/delivery/exports/postgres-target.ts';
import { parseDatabaseUrl } from '../../src/drivers/sql/database-url.ts';
import { neverAborted } from '../platform/test-client.ts';
import { FastClock } from '../support/fast-clock.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { watchSync } from './watch-sync.ts';

const postgres = await startPostgres();
const columns: readonly ExportColumn[] = [
  { name: 'id', type: 'id' },
  { name: 'text', type: 'text' },
  { name: 'is_new', type: 'flag' },
  { name: 'answers', type: 'json' },
];
const rows = [
  { id: '1', text: '=HYPERLINK("x")', is_new: true, answers: { score: 3 } },
  { id: '2', text: null, is_new: false, answers: null },
];
const csv = 'id,text,is_new,answers\r\n1,"\'=HYPERLINK(""x"")",true,"{""score"":3}"\r\n2,,false,\r\n';
const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const now = Date.UTC(2026, 10, 21, 12);
const name = 'a.b-20261121T120000000Z.csv';

async function openFiles(kind: 'csv' | 'jsonl' = 'csv', inFolder = 'exports') {
  const root = await temporaryFolder();
  const folder = join(root, inFolder);
  const target = openFileTarget({ name: 'a.b', kind, folder, columns, clock: new FastClock(now, 0) });
  const append = async (file?: ExportFile) => {
    const after = await target.append(rows, file, neverAborted);
    if (after === undefined) throw new Error('a file target has a file in progress');
    return after;
  };
  return { root, folder, target, append, begin: (file?: ExportFile) => target.begin(file, neverAborted) };
}

describe('an export into files', () => {
  it.each([
    ['csv', csv, csv.slice(csv.indexOf('\n') + 1)],
    ['jsonl', lines, lines],
  ] as const)('has a part as %s until it is finished, and each step is on the disk', async (kind, first, second) => {
    const { folder, target, append, begin } = await openFiles(kind);
    const path = join(folder, name.replace('csv', kind));
    let syncs = 0;
    await watchSync(() => {
      syncs += 1;
    });
    expect(await begin()).toBeUndefined();
    const file = await append();
    expect(file).toEqual({ path, bytes: first.length });
    expect(syncs, 'the file, and its new name').toBe(2);
    expect(await append(await begin(file))).toEqual({ path, bytes: first.length + second.length });
    expect(syncs, 'the file').toBe(3);
    expect(await readFile(`${path}.part`, 'utf8')).toBe(first + second);
    await target.finish(file);
    await target.finish(file);
    await target.close();
    expect(await readdir(folder)).toEqual([name.replace('csv', kind)]);
    expect(await readFile(path, 'utf8')).toBe(first + second);
  });

  it('begins a file in place of its own parts that the store does not know, and replaces no finished file', async () => {
    const { folder, append } = await openFiles();
    await mkdir(folder);
    const others = ['a.b-new-20261121T120000000Z.csv.part', 'axb-20261121T120000000Z.csv.part', name];
    for (const one of [...others, 'a.b-20261121T110000000Z.csv.part']) await writeFile(join(folder, one), '');
    const next = join(folder, 'a.b-20261121T120000001Z.csv');
    expect(await append()).toMatchObject({ path: next });
    expect(await readdir(folder)).toEqual([...others, `${next.slice(folder.length + 1)}.part`].toSorted());
  });

  it('cuts off what the store does not know, and finishes what it knows as complete', async () => {
    const { folder, append, begin } = await openFiles();
    const file = await append();
    appendFileSync(`${file.path}.part`, '3,half a r');
    expect(await begin(file)).toEqual(file);
    expect(await readFile(`${file.path}.part`, 'utf8')).toBe(csv);
    expect(await begin({ ...file, isComplete: true })).toBeUndefined();
    expect(await readdir(folder)).toEqual([name]);
    await rm(file.path);
    expect(await begin({ ...file, isComplete: true }), 'it was taken away').toBeUndefined();
  });

  it.each([
    [`has 3 bytes, and ${csv.length} were written`, (part: string) => writeFile(part, '1,2')],
    ['is gone', (part: string) => rm(part)],
  ])('says that its part %s, so items are missing', async (what, spoil) => {
    const { append, begin } = await openFiles();
    const file = await append();
    await spoil(`${file.path}.part`);
    const message = `the unfinished file ${file.path}.part ${what}, so items are missing. To write them again: rollcall exports run NAME --from DAY`;
    await expect(begin(file)).rejects.toMatchObject({ code: 'EXPORT_TARGET', message });
  });

  it('does not count rows when another program writes into its part, before or meanwhile', async () => {
    const { append, begin } = await openFiles();
    const file = await append();
    const other = () => appendFileSync(`${file.path}.part`, 'x');
    const changed = { code: 'EXPORT_TARGET', retry: 'backoff', message: expect.stringContaining('by another program') };
    other();
    await expect(append(file)).rejects.toMatchObject(changed);
    await begin(file);
    await watchSync(other);
    await expect(append(file)).rejects.toMatchObject(changed);
  });

  it.each([
    ['file/exports', 'ENOTDIR', 'a part of the path is a file: set to.path to a folder'],
    ['x'.repeat(300), 'ENAMETOOLONG', 'check the folder and its disk'],
  ])('says why a folder cannot be written: %.9s', async (inFolder, code, advice) => {
    const { root, folder, target, append, begin } = await openFiles('csv', inFolder);
    await writeFile(join(root, 'file'), '');
    const file = { path: join(folder, name), bytes: 1 };
    const error = { code: 'EXPORT_TARGET', message: `${folder} cannot be written (${code}): ${advice}` };
    for (const work of [() => append(), () => begin(file), () => target.finish(file)]) {
      await expect(work()).rejects.toMatchObject(error);
    }
  });

  it('passes on an error that is not of the disk', async () => {
    const { target } = await openFiles();
    await expect(target.append([{ answers: 1n }], undefined, neverAborted)).rejects.toThrow(TypeError);
  });
});

function openTable(url: string) {
  const place = parseDatabaseUrl(url);
  if ('problem' in place || place.dialect !== 'postgres') throw new Error(`${url} is not of PostgreSQL`);
  const own = { table: 'made.items', columns, key: ['id'], folder: '/', urlKey: 'exports.a.to.url' };
  return { place, target: openPostgresTarget({ place, ...own }) };
}

/** A server that refuses each login with the SQLSTATE. Returns its url. */
async function startRefusing(state: string): Promise<string> {
  const fields = Buffer.from(`SFATAL\0C${state}\0Mno\0\0`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(fields.length + 4);
  const server = createServer((socket) =>
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), size, fields]))),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/hr?sslmode=disable`;
}

describe('an export into a table', () => {
  it.each([
    ['28P01', 'never', 'refuses the login, or does not exist: check user, password and database in exports.a.to.url'],
    ['42501', 'never', 'forbids to write table made.items: grant select and insert on it, or create on its schema'],
    ['42703', 'never', 'has a table made.items with other columns: name another table, or add the missing columns'],
    ['53100', 'backoff', 'has a full disk: free some room. Nothing is lost'],
    ['57P03', 'backoff', 'cannot be used: check that it runs and can be reached from here'],
  ] as const)('says what to do about %s', async (state, retry, what) => {
    const { place, target } = openTable(await startRefusing(state));
    const message = `the database ${place.name} ${what} (${state})`;
    await expect(target.begin(undefined, neverAborted)).rejects.toMatchObject({
      ...{ code: 'EXPORT_TARGET', retry, message },
    });
    await target.close();
  });

  it.each(['of ana', 'ANA of', 'of ANA'])('shows no code that may be data: %s', async (state) => {
    const { target } = openTable(await startRefusing(state));
    await expect(target.begin(undefined, neverAborted)).rejects.toThrow(/ \(no answer\)$/);
  });

  it('finishes a file from the time when it wrote files, and passes on its trouble', async () => {
    const { folder, append } = await openFiles();
    const file = await append();
    const { target } = openTable(await startRefusing('28P01'));
    await expect(target.begin(file, neverAborted)).rejects.toThrow(/refuses the login/);
    expect(await readdir(folder)).toEqual([name]);
    await expect(target.begin({ path: join(file.path, name), bytes: 1 }, neverAborted)).rejects.toThrow(/ENOTDIR/);
  });

  it.skipIf(postgres === undefined)('writes each key once, into a table that it need not create', async () => {
    const url = (await postgres?.newDatabase()) ?? '';
    const ask = async (statement: string) => (await postgres?.query(url, statement)) ?? [];
    await ask('create schema made');
    const pass = async (place: string) => {
      const { target } = openTable(place);
      expect(await target.begin(undefined, neverAborted)).toBeUndefined();
      expect(await target.append(rows, undefined, neverAborted)).toBeUndefined();
      await target.close();
    };
    await pass(url);
    const role = `rollcall_${randomUUID().replaceAll('-', '')}`;
    await ask(`create role ${role} login password 'p'; grant usage on schema made to ${role}`);
    await ask(`grant select, insert on made.items to ${role}`);
    const granted = new URL(url);
    granted.username = role;
    granted.password = 'p';
    await pass(granted.href);
    expect(await ask('select *, pg_typeof(id)::text as type from made.items order by id')).toEqual(
      rows.map((row) => ({ ...row, type: 'bigint' })),
    );
    expect(await ask(`select usename from pg_stat_activity where application_name = 'rollcall'`)).toEqual([]);
    await ask(`drop owned by ${role}; drop role ${role}`);
  });
});
