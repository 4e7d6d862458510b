import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceBase } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import { drawRuns } from '../../support/drawn.ts';
import { bytesOpenIn, filesOpenIn } from '../../support/sockets-to.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const people = 'id,name\n1,Ana\n2,Luz\n';

async function drop(name: string, content: Buffer) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, name), content);
  return {
    folder,
    open: (config: Readonly<Record<string, unknown>> = {}, more: Partial<SourceBase> = {}) =>
      openSource({ kind: 'csv', path: name, ...config }, sourceBase(folder, more)),
  };
}

/** A zip archive (APPNOTE.TXT 4.3) of these files; `damage` changes the checksum that it promises. */
function zip(files: Readonly<Record<string, string>>, damage = 0): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE((crc32(text) ^ damage) >>> 0, 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(Buffer.byteLength(text), 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, where, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, list, Buffer.from('PK\x05\x06'), end]);
}

describe('a packed CSV file', () => {
  it.each([
    ['gzip by its name', 'a.csv.gz', gzipSync(people), {}],
    ['gzip by configuration', 'a.dat', gzipSync(people), { compression: 'gzip' }],
    ['gzip in two members', 'a.csv.gz', Buffer.concat([gzipSync('id,name\n1,A'), gzipSync('na\n2,Luz\n')]), {}],
    [
      'gzip in two members with a header each',
      'a.csv.gz',
      Buffer.concat([gzipSync('id,name\n1,Ana\n'), gzipSync('id,name\n2,Luz\n')]),
      {},
    ],
    ['gzip with padding', 'a.csv.gz', Buffer.concat([gzipSync(people), Buffer.alloc(600)]), {}],
    ['called .gz, but unpacked on its way', 'a.csv.gz', Buffer.from(people), {}],
    ['zip', 'a.zip', zip({ 'a.csv': people }), {}],
    ['zip of macOS', 'a.zip', zip({ 'x/': '', 'x/a.csv': people, '__MACOSX/x/._a.csv': 'x' }), {}],
  ])('is read: %s', async (_, name, content, config) => {
    const { open, folder } = await drop(name, content);

    const { pages, end } = await readWhole(open(config));

    expect(pages.flatMap(({ records }) => records.map(({ fields }) => fields.name))).toEqual(['Ana', 'Luz']);
    expect(end).toMatchObject({ complete: true, rows: 2 });
    expect(await open(config).fields(sourceIo())).toEqual(['id', 'name']);
    expect(filesOpenIn(folder)).toBe(0);
  });

  it.each([
    ['a.csv.gz', gzipSync(people, { level: 0 })],
    ['a.zip', zip({ 'a.csv': people })],
  ])('is copied to the disk so that nothing of it can be read there: %s', async (name, content) => {
    const { open } = await drop(name, content);
    const scratchFolder = await temporaryFolder();
    const read = open({}, { scratchFolder }).read({ kind: 'full' }, sourceIo());

    const page = await read.next();

    const onDisk = bytesOpenIn(scratchFolder);
    expect(page.done).toBe(false);
    expect(onDisk.length).toBe(content.length);
    expect(onDisk.indexOf(content.subarray(0, 16))).toBe(-1);
    expect(onDisk.includes('Luz')).toBe(false);
    await read.return(undefined as never);
    expect(filesOpenIn(scratchFolder)).toBe(0);
  });

  const packed = gzipSync(people);
  it.each([
    ['a wrong checksum', 'a.csv.gz', flip(packed, -6), /damaged or incomplete gzip data/],
    ['a wrong length', 'a.csv.gz', flip(packed, -1), /damaged or incomplete gzip data/],
    ['a cut', 'a.csv.gz', packed.subarray(0, -5), /damaged or incomplete gzip data/],
    ['something after its end', 'a.csv.gz', Buffer.concat([packed, Buffer.from('more')]), /incomplete gzip data/],
    ['a wrong checksum', 'a.zip', zip({ 'a.csv': people }, 1), /incomplete zip data \(its checksum is wrong\)/],
    ['a cut', 'a.zip', zip({ 'a.csv': people }).subarray(0, -30), /damaged or incomplete zip data/],
    [
      'something after its end',
      'a.zip',
      Buffer.concat([zip({ 'a.csv': people }), Buffer.from('more')]),
      /incomplete zip/,
    ],
    ['two files', 'a.zip', zip({ 'a.csv': people, 'b.csv': people }), /a\.zip holds 2 files/],
    ['no file', 'a.zip', zip({}), /a\.zip holds 0 files/],
  ])('is refused with %s: %s', async (_, name, content, message) => {
    const { open, folder } = await drop(name, content);

    const refused = readWhole(open());

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await expect(refused).rejects.toThrow(message);
    expect(filesOpenIn(folder)).toBe(0);
  });

  it('is never read as another file when any byte of it is cut off or changed', async () => {
    const content = gzipSync(Array.from({ length: 40 }, (_, id) => `${id},name-${id}\n`).join(''));
    const { open, folder } = await drop('a.csv.gz', content);
    const read = async () =>
      readWhole(open()).then(
        ({ pages, end }) => (end.complete ? JSON.stringify(pages) : 'distrusted'),
        () => 'refused',
      );
    const whole = await read();

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: content.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, bits, isCut) => {
          const damaged = isCut ? content.subarray(0, at) : flip(content, at, bits);
          await writeFile(join(folder, 'a.csv.gz'), damaged);
          expect([whole, 'refused', 'distrusted']).toContain(await read());
        },
      ),
      { numRuns: drawRuns(150) },
    );
  });

  it('is called by the setting that helps when its name does not tell', async () => {
    const gzip = await drop('a.csv', gzipSync(people));
    const archive = await drop('a.csv', zip({ 'a.csv': people }));

    await expect(readWhole(gzip.open())).rejects.toThrow(/gzip data, not CSV: set source\.compression: gzip/);
    await expect(readWhole(archive.open())).rejects.toThrow(/spreadsheet or zip file.*source\.compression: zip/);
  });

  it('keeps one stamp however it is packed, and agrees with a marker about either', async () => {
    const { folder, open } = await drop('a.csv.gz', gzipSync(people, { level: 1 }));
    const first = await readWhole(open());
    await writeFile(join(folder, 'a.csv.gz'), gzipSync(people, { level: 9 }));
    const second = await readWhole(open());

    expect(second.end).toEqual({ ...first.end, asOf: expect.any(Number) });
    if (first.end.complete) await writeFile(join(folder, 'a.csv.gz.done'), `sha256: ${first.end.stamp}\n`);
    expect((await readWhole(open({ complete: 'marker' }))).end).toMatchObject({ complete: true });
  });
});

describe('one of many files of this machine', () => {
  it.each([
    ['name', 'e-2026-11-10.csv'],
    ['time', 'e-2026-11-9.csv'],
  ])('is the newest by %s', async (newest, expected) => {
    const { folder } = await drop('e-2026-11-10.csv', Buffer.from(people.replace('Ana', 'e-2026-11-10.csv')));
    await utimes(join(folder, 'e-2026-11-10.csv'), 1_700_000_000, 1_700_000_000);
    await writeFile(join(folder, 'e-2026-11-9.csv'), people.replace('Ana', 'e-2026-11-9.csv'));
    await writeFile(join(folder, 'f-2027.csv'), people);
    await writeFile(join(folder, 'e-2026-11-10.csv.done'), '');

    const { pages } = await readWhole(openSource({ kind: 'csv', path: 'e-*.csv', newest }, sourceBase(folder)));

    expect(pages[0]?.records[0]?.fields.name).toBe(expected);
  });
});

function flip(bytes: Buffer, at: number, bits = 0xff): Buffer {
  const damaged = Buffer.from(bytes);
  const index = at < 0 ? bytes.length + at : at;
  damaged[index] = (damaged[index] ?? 0) ^ bits;
  return damaged;
}
