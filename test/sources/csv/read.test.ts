import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { Refusal } from '../../../src/core/run/refusal.ts';
import { csvEncodings } from '../../../src/sources/csv/config.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import { drawRuns } from '../../support/drawn.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Dropped {
  readonly folder: string;
  readonly path: string;
  open(config?: Record<string, unknown>): ReturnType<typeof openSource>;
}

async function drop(content: string | Buffer): Promise<Dropped> {
  const folder = await temporaryFolder();
  const path = join(folder, 'employees.csv');
  await writeFile(path, content);
  return {
    folder,
    path,
    open: (config = {}) => openSource({ kind: 'csv', path: 'employees.csv', ...config }, sourceBase(folder)),
  };
}

async function read(content: string | Buffer, config: Record<string, unknown> = {}, previousRows?: number) {
  const { open } = await drop(content);
  const io = sourceIo({ previous: previousRows === undefined ? undefined : { rows: previousRows } });
  const { pages, end } = await readWhole(open(config), { kind: 'full' }, io);
  return {
    end,
    records: pages.flatMap(({ records }) => records),
    broken: pages.flatMap(({ broken }) => broken),
    rows: pages.flatMap(({ records }) => records.map(({ fields }) => Object.values(fields))),
    reasons: end.complete ? [] : end.reasons,
  };
}

/** A cell whose text is not known. */
const unreadable = expect.any(Refusal);

const twoPeople = 'id,name\n1,Ana\n2,Luz\n';

describe('a CSV file', () => {
  it('is read as records that say their line', async () => {
    const { records, end } = await read(twoPeople);

    expect(records).toEqual([
      { at: 'line 2', fields: { id: '1', name: 'Ana' } },
      { at: 'line 3', fields: { id: '2', name: 'Luz' } },
    ]);
    expect(end).toEqual({
      complete: true,
      rows: 2,
      evidence: 'the file did not change, ends with a line end and has 2 rows',
      stamp: createHash('sha256').update(twoPeople).digest('hex'),
      asOf: expect.any(Number),
    });
  });

  it('keeps cells as they are: leading zeros, spaces, formulas, doubled quotes, line breaks', async () => {
    const { rows } = await read('id,name,note\n00123, Ana ,=1+1\n2,"say ""hi""","two\r\nlines, one cell"\n');

    expect(rows).toEqual([
      ['00123', ' Ana ', '=1+1'],
      ['2', 'say "hi"', 'two\r\nlines, one cell'],
    ]);
  });

  it('counts lines right across cells with line breaks, blank lines and mixed line ends', async () => {
    const { records } = await read('id,name\r\n1,"a\r\nb\nc"\r\n\r\n2,x\n3,"a\rb"\r4,y\n\n\n5,z\n');

    expect(records.map(({ at, fields }) => `${fields.id}: ${at}`)).toEqual([
      '1: line 2',
      '2: line 6',
      '3: line 7',
      '4: line 9',
      '5: line 12',
    ]);
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('may end its lines with %s', async (_, lineEnd) => {
    const { rows, end } = await read(twoPeople.replaceAll('\n', lineEnd));

    expect(rows).toEqual([
      ['1', 'Ana'],
      ['2', 'Luz'],
    ]);
    expect(end.complete).toBe(true);
  });

  it.each([
    ['comma', 'id,"last;first",mail', ','],
    ['semicolon', 'id;"last,first,middle";mail', ';'],
    ['tab', 'id\tlast, first\tmail', '\t'],
    ['bar', 'id|name|mail', '|'],
  ])('has its delimiter found in the header, outside quotes: %s', async (_, header, delimiter) => {
    const { rows } = await read(`${header}\n${['1', 'x', 'a@example.com'].join(delimiter)}\n`);

    expect(rows).toEqual([['1', 'x', 'a@example.com']]);
  });

  it('is refused with a configured delimiter that its header does not have', async () => {
    const words =
      /source\.delimiter is ";", which the header .* does not have\. "," separates it into 2 columns: remove/;
    await expect(read('id,name\n1,"Paz; Ana"\n', { delimiter: ';' })).rejects.toThrow(words);
  });

  it('takes the delimiter from the configuration before all else', async () => {
    const { rows } = await read('id:name,first\n1:Paz\n', { delimiter: ':' });

    expect(rows).toEqual([['1', 'Paz']]);
  });

  it.each(['\n', '\r\n'])('understands a first line sep=; ended by %j and counts it', async (lineEnd) => {
    const { records } = await read(['sep=;', 'id;name,first', '1;Ana', ''].join(lineEnd));

    expect(records).toEqual([{ at: 'line 3', fields: { id: '1', 'name,first': 'Ana' } }]);
  });

  it('leaves out blank rows, and rows of nothing but delimiters', async () => {
    const { rows, broken, end } = await read('id;name\n1;Ana\n;\n\n ; \n2;Luz\n;;;;\n');

    expect(rows).toHaveLength(2);
    expect(broken).toEqual([]);
    expect(end).toMatchObject({ complete: true, rows: 2 });
  });

  it('trims header names of spaces, NBSP and U+FEFF', async () => {
    const { open } = await drop('\uFEFF id ,\u00A0first\u00A0name\u00A0,"\uFEFFmail"\n1,Ana,a@example.com\n');

    expect(await open().fields(sourceIo())).toEqual(['id', 'first name', 'mail']);
  });

  it.each([
    ['bare', 'id,name,mail\n="00123","Paz, Ana",a@example.com\n="4",="O""x",\n'],
    ['in quotes', 'id,name,mail\n"=""00123""","Paz, Ana",a@example.com\n"=""4""","=""O""""x""",\n'],
  ])(
    'has cells that were written for a spreadsheet, %s: it reads the text in them and says how many',
    async (_, text) => {
      const { rows, end } = await read(text);

      expect(rows).toEqual([
        ['00123', 'Paz, Ana', 'a@example.com'],
        ['4', 'O"x', ''],
      ]);
      expect(end).toMatchObject({
        complete: true,
        notes: [expect.stringMatching(/^3 cells were written for a spread/)],
      });
    },
  );

  it('with such cells still loses nobody in silence to a quote that is not closed', async () => {
    const swallowed = await read('id,name\n="00123","Paz\n="4",Luz\n="5",Ana\n');
    const cut = await read('id,name\n="00123",Paz\n="4","Lu\n');

    expect(swallowed.rows).toEqual([
      ['00123', unreadable],
      ['4', 'Luz'],
      ['5', 'Ana'],
    ]);
    const notes = [expect.stringMatching(/^3 cells/), expect.stringMatching(/^1 cell has a quote/)];
    expect(swallowed.end).toMatchObject({ complete: true, notes });
    expect(cut.reasons).toEqual([expect.stringMatching(/^line 3: an opening quote is never closed/)]);
  });

  it('may have no quoting at all', async () => {
    const { rows } = await read('id,size\n1,5" pipe\n2,"x\n', { quote: 'none' });

    expect(rows).toEqual([
      ['1', '5" pipe'],
      ['2', '"x'],
    ]);
  });

  it('may quote with another character', async () => {
    const { rows } = await read("id,name\n1,'O''Neil, Ana'\n", { quote: "'" });

    expect(rows).toEqual([['1', "O'Neil, Ana"]]);
  });
});

describe('any table written as CSV', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\uFFFD')),
    fc.constantFrom('', '"', ',', '\n', '\r\n', 'a "b"', ' '),
  );
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 30 });

  it('comes back cell by cell, on the line where it was written', async () => {
    const { open, path } = await drop('');

    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '\t', '|'),
        fc.boolean(),
        async (cells, delimiter, isQuoted) => {
          const rows = cells.map((row, index) => [`id-${index}`, ...row]);
          const text = stringify([['id', 'a', 'b', 'c'], ...rows], {
            delimiter,
            quoted: isQuoted,
            record_delimiter: '\r\n',
            quoted_match: /[\r\n]/,
          });
          await writeFile(path, text);

          const { pages, end } = await readWhole(open());

          const records = pages.flatMap((page) => page.records);
          expect(records.map(({ fields }) => Object.values(fields))).toEqual(rows);
          expect(end).toMatchObject({ complete: true, rows: rows.length });
          const lines = text.split(/\r\n|\n|\r/);
          for (const { at, fields } of records) expect(lines[Number(at.slice(5)) - 1]).toContain(String(fields.id));
        },
      ),
      { numRuns: drawRuns(300) },
    );
  });
});

describe('two quotes that are not doubled', () => {
  it.each([
    ['around rows', '1,Ana,a\n2,"Luz,b\n3,Eva,c\n4,Pia",d\n5,Noe,e\n', 3, 5],
    ['around the end of one row and the beginning of the next', '1,Ana,"a\n2",Luz,b\n', 2, 3],
    ['at the outer ends of two rows', '"1,Ana,a\n2,Luz,b"\n', 2, 3],
    ['in the last cells of two rows', '1,Ana,"a\n2,Luz,b"\n', 2, 3],
    ['around rows with CR LF', '1,Ana,a\r\n2,"Luz,b\r\n3,Eva",c\r\n', 3, 4],
  ])('%s hide nobody: the read is incomplete, and names the lines', async (_, rows, first, last) => {
    const { records, broken, reasons } = await read(`id,name,mail\n${rows}`);

    expect(broken.map(({ at }) => at)).toEqual([`line ${first}`]);
    expect(reasons).toEqual([expect.stringMatching(new RegExp(`^line ${first}: a quoted cell runs to line ${last}`))]);
    expect(
      records.filter(({ fields }) => /[\r\n]/.test(Object.values(fields).join(''))),
      'none is written',
    ).toEqual([]);
    expect(reasons.join()).not.toMatch(/Luz|Ana/);
  });

  it('in the header refuse the file, although its first columns are right', async () => {
    const { open } = await drop('id,name,"note\n1,Ana,x\n2,Luz,y",mail\n3,Eva,z,c\n');

    await expect(open().fields(sourceIo())).rejects.toThrow(/column 3 runs over several lines/);
  });

  it('are told for the first five rows, and counted from there', async () => {
    const pair = (id: number) => `${id},"A,b\n${id + 1},C",d\n`;
    const { reasons } = await read(`id,name,mail\n${Array.from({ length: 9 }, (_, at) => pair(at * 2)).join('')}`);

    expect(reasons).toHaveLength(6);
    expect(reasons.at(-1)).toBe('4 more rows span several lines and may hide others');
  });

  it('never take somebody away from a read that is called complete, wherever they are', async () => {
    const { open, path } = await drop('');
    const ids = Array.from({ length: 8 }, (_, index) => `id-${index}`);
    const rows = ids.map((id) => `${id},Ana,ana@example.com,UY`);
    const text = `${rows.join('\n')}\n`;
    const place = fc.nat({ max: text.length - 1 });

    await fc.assert(
      fc.asyncProperty(place, place, fc.boolean(), async (one, other, isForSpreadsheets) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const quoted = `${text.slice(0, from)}"${text.slice(from, to)}"${text.slice(to)}`;
        await writeFile(path, `id,name,mail,country\n${isForSpreadsheets ? '="0",Eva,,\n' : ''}${quoted}`);

        const { pages, end } = await readWhole(open());

        const isNamed = ({ fields }: SourceRecord) => !(fields.id instanceof Refusal);
        const isWhole =
          end.complete && pages.every(({ broken, records }) => broken.length === 0 && records.every(isNamed));
        const read = pages.flatMap(({ records }) => records.map(({ fields }) => String(fields.id).replaceAll('"', '')));
        if (isWhole) expect(read).toEqual([...(isForSpreadsheets ? ['0'] : []), ...ids]);
      }),
      { numRuns: drawRuns(600) },
    );
  });
});

describe('blank rows', () => {
  it('of a whole sheet are left out, and more of them are no export', async () => {
    const sheet = await read(`id,name\n1,Ana\n${',\n'.repeat(1_048_574)}`);

    expect(sheet.rows).toEqual([['1', 'Ana']]);
    expect(sheet.end.complete).toBe(true);
    await expect(read(`id,name\n1,Ana\n${',\n'.repeat(1_200_000)}`)).rejects.toThrow(/more than 1100000 blank rows/);
  });

  it('without delimiters are left out too', async () => {
    await expect(read(`id,name\n1,Ana\n${'\n'.repeat(1_200_000)}`)).rejects.toThrow(/more than 1100000 blank rows/);
  });
});

describe('encodings', () => {
  const people = 'id,name\n1,Núñez €\n';

  it.each([
    ['UTF-8', Buffer.from(people), {}],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${people}`), {}],
    ['UTF-8 as configured, with a byte order mark', Buffer.from(`\uFEFF${people}`), { encoding: 'utf-8' }],
    ['UTF-16 LE with a byte order mark', Buffer.from(`\uFEFF${people}`, 'utf16le'), {}],
    ['UTF-16 BE with a byte order mark', Buffer.from(`\uFEFF${people}`, 'utf16le').swap16(), {}],
    ['UTF-16 LE as configured', Buffer.from(people, 'utf16le'), { encoding: 'utf-16le' }],
    [
      'Windows-1252 as configured',
      Buffer.from('id,name\n1,N\xfa\xf1ez \x80\n', 'latin1'),
      { encoding: 'windows-1252' },
    ],
  ])('%s is read', async (_, bytes, config) => {
    const { rows, end } = await read(bytes, config);

    expect(rows).toEqual([['1', 'Núñez €']]);
    expect(end.complete).toBe(true);
  });

  it.each([
    ['Spanish in a Windows encoding', 'windows-1252', '1,N\xfa\xf1ez\n2,Jos\xe9\n'],
    ['Polish in a Windows encoding', 'windows-1250', '1,\xa3ukasz\n2,Wi\x9cniewski\n3,Grze\x9c\n'],
    ['Russian in a Windows encoding', 'windows-1251', '1,\xc8\xe2\xe0\xed\n2,\xcf\xb8\xf2\xf0\n'],
    ['Japanese', 'shift_jis', '1,\x8e\x52\x93\x63\n2,\x8d\xb2\x93\xa1\n'],
  ])(
    'other than UTF-8 are refused unless configured, and the message names those that fit: %s',
    async (_, name, rows) => {
      const told = `is not utf-8: \\d+ bytes .*near byte \\d+\\. .*source\\.encoding\\. These fit: .*${name}`;
      await expect(read(Buffer.from(`id,name\n${rows}`, 'latin1'))).rejects.toMatchObject({
        code: 'SOURCE_UNAVAILABLE',
        message: expect.stringMatching(new RegExp(told)),
      });
    },
  );

  it.each(csvEncodings)('of the standard can be configured: %s', async (encoding) => {
    const text = Buffer.from('id,name\n1,Ana\n', encoding.startsWith('utf-16') ? 'utf16le' : 'utf8');
    const { rows } = await read(encoding === 'utf-16be' ? text.swap16() : text, { encoding });
    expect(rows).toEqual([['1', 'Ana']]);
  });

  it('go by any of their names, and a byte order mark decides before the setting', async () => {
    const polish = Buffer.from('id,name\n1,\xa3\xf3d\x9f\n', 'latin1');
    expect((await read(polish, { encoding: 'cp1250' })).rows).toEqual([['1', 'Łódź']]);
    expect((await read('\uFEFFid,name\n1,Łódź\n', { encoding: 'latin1' })).rows).toEqual([['1', 'Łódź']]);
  });

  it('with a few bytes of another one are read: the cells are unreadable, and it is told with the place', async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `${index},Núñez\n`).join('');
    const before = Buffer.from(`id,name\n${rows}`);
    const bytes = Buffer.concat([before, Buffer.from('x,\xff\n', 'latin1'), Buffer.from(rows)]);
    const { end, rows: cells } = await read(bytes);

    expect(cells.filter(([, name]) => name !== 'Núñez')).toEqual([['x', unreadable]]);
    const note = expect.stringMatching(/^1 byte is not valid utf-8, the first near byte \d+: the cells/);
    expect(end).toMatchObject({ complete: true, notes: [note] });
  });

  it('read characters that lie across the pieces in which the file is read', async () => {
    const names = Array.from({ length: 60_000 }, (_, index) => `${'€'.repeat(index % 5)}👩‍💻é`);
    const { rows, end } = await read(`id,name\n${names.map((name, index) => `${index},${name}\n`).join('')}`);

    expect(rows.map(([, name]) => name)).toEqual(names);
    expect(end.complete).toBe(true);
  });

  it.each([
    ['UTF-8', Buffer.from(`${twoPeople}3,é`).subarray(0, -1)],
    ['UTF-16, in the middle of a unit', Buffer.from(`\uFEFF${twoPeople}3,é`, 'utf16le').subarray(0, -1)],
    ['UTF-16, between two surrogates', Buffer.from(`\uFEFF${twoPeople}3,👩`, 'utf16le').subarray(0, -2)],
  ])('end incomplete when the file is cut inside a character: %s', async (_, bytes) => {
    const { end, reasons, broken } = await read(bytes);

    expect(end.complete).toBe(false);
    expect(reasons).toContain('the file ends inside a character: it is cut');
    expect(broken).toEqual([{ at: 'line 4', reason: 'the last row has no line end and may be cut' }]);
  });

  it.each([
    ['what PGP encrypted', Buffer.from('-----BEGIN PGP MESSAGE-----\n\nhQEMA\n'), /encrypted with PGP.*decrypt it/],
    ['a spreadsheet', Buffer.from('PK\x03\x04\x00\x00'), /spreadsheet or zip file/],
    ['UTF-16 without a mark', Buffer.from(people, 'utf16le'), /zero bytes.*utf-16le/],
  ])('refuse %s with what to do', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringMatching(message),
    });
  });
});

it('gives a small file as one page, with the row that its end completes', async () => {
  const { pages } = await readWhole((await drop(twoPeople)).open());
  expect(pages.map(({ records }) => records.length)).toEqual([2]);
});

describe('a header that cannot be trusted refuses the whole file before a row is given', () => {
  it.each([
    ['one column only', 'id\n', /one column only.*source\.(?:delimiter|skipLines)/],
    ['a quote within a name', 'id,ma"il\n', /a quote in the name of column 2/],
    ['an open quote', 'id,"mail\n', /an opening quote is never closed/],
  ])('%s', async (_, header, message) => {
    const { open } = await drop(`${header}1,a,b\n`);
    const refusal = { code: 'SOURCE_UNAVAILABLE', message: expect.stringMatching(message) };

    await expect(open().read({ kind: 'full' }, sourceIo()).next()).rejects.toMatchObject(refusal);
    await expect(open().fields(sourceIo())).rejects.toMatchObject(refusal);
  });

  it('a header longer than what is read at once', async () => {
    await expect(read(`id,${'x'.repeat(300_000)}\n1,2\n`)).rejects.toThrow(/cannot be read: it is longer than \d+ KB/);
  });
});

describe('rows that cannot be used', () => {
  it('of the wrong number of columns are broken where a delimiter may be lost or too many, and the read goes on', async () => {
    const { broken, rows, end } = await read(
      'id,first,last,job\n1,Ana,Paz,Clerk 1\n2,Luz Sosa,Clerk 2\n3,Eva,Rey, Jr,Clerk 3\n4,Pia,Sol, Jr,\n5,Noe,Gil,Clerk 5\n',
    );

    expect(broken).toEqual([
      { at: 'line 3', cells: ['2', 'Luz Sosa', 'Clerk 2'], reason: 'the row has 3 columns, the header has 4' },
      { at: 'line 4', reason: 'the row has 5 columns, the header has 4' },
      { at: 'line 5', reason: 'the row has 5 columns, the header has 4' },
    ]);
    expect(rows.map(([id]) => id)).toEqual(['1', '5']);
    expect(end).toMatchObject({ complete: true, rows: 5 });
  });

  it('because a row has no end end the read, incomplete, after the rows before it', async () => {
    const { broken, rows, end, reasons } = await read(`${twoPeople}3,"${'x'.repeat(1_200_000)}\n4,Pia\n`);

    expect(rows.map(([id]) => id)).toEqual(['1', '2']);
    expect(broken).toEqual([{ at: 'line 4', reason: expect.stringMatching(/longer than 1000000 characters/) }]);
    expect(end).toMatchObject({ complete: false, rows: 3 });
    expect(reasons).toEqual([expect.stringMatching(/^reading ended in line 4: /)]);
  });
});

describe('what nobody reads', () => {
  const head = 'id,name,status,note';

  it.each([
    ['a quote within a cell', '3,Eva,active,5" pipe', '1 cell has a quote that is not doubled'],
    ['quotes around a part of a cell', '3,Eva,active,called "Ev" by all', '1 cell has a quote'],
    ['text after a closing quote', '3,Eva,active,"Ev" by all', '1 cell has a quote'],
    ['quotes with a backslash', '3,Eva,active,"called \\"Ev\\" by all"', '1 cell has a quote'],
    ['a quote that opens nothing', '3,Eva,active,"', '1 cell has a quote'],
    ['blank cells behind the last column', '3,Eva,active,x,,', '1 row has blank cells after the last column'],
    ['a last cell that is not there', '3,Eva,active', '1 row has fewer cells than the header'],
    ['the header again', `3,Eva,active,\n${head}`, '1 row is a repeated header'],
    ['the header again, in other case', `3,Eva,active,\n${head.toUpperCase()}`, '1 row is a repeated header'],
    ['the header again, of a joined file', `3,Eva,active,\n\uFEFF${head}`, '1 row is a repeated header'],
  ])('costs nobody the read: %s', async (_, row, note) => {
    const { end, broken, records } = await read(`${head}\n1,Ana,active,"x, y"\n${row}\n2,Luz,terminated,"x, ""y"""\n`);

    expect(broken).toEqual([]);
    expect(records.map(({ fields }) => [fields.id, fields.name, fields.status])).toEqual([
      ['1', 'Ana', 'active'],
      ['3', 'Eva', 'active'],
      ['2', 'Luz', 'terminated'],
    ]);
    expect(end).toMatchObject({ complete: true, rows: 3, notes: [expect.stringContaining(note)] });
  });

  it('is a last cell that a spreadsheet leaves out in several rows, although no row above leaves it blank', async () => {
    const full = Array.from({ length: 15 }, (_, n) => `${n + 1},Ana,active,room ${n}`);
    const short = Array.from({ length: 5 }, (_, n) => `${n + 16},Luz,${n === 3 ? 'terminated' : 'active'}`);
    const { broken, records } = await read(`${[head, ...full, ...short].join('\n')}\n`);

    expect(broken).toEqual([]);
    expect(records.at(-2)?.fields).toEqual({ id: '19', name: 'Luz', status: 'terminated' });
  });

  it('cuts no file: a quote that is closed nowhere, if rows follow it', async () => {
    const { end, broken, rows } = await read(`${head}\n1,Ana,active,"Ann\n2,Luz,terminated,\n`);

    expect(broken).toEqual([{ at: 'line 2', reason: expect.stringMatching(/never closed/) }]);
    expect(rows).toEqual([['2', 'Luz', 'terminated', '']]);
    expect(end).toMatchObject({ complete: true, rows: 2 });
    expect((await read(`${head}\n1,Ana,active,\n2,Luz,terminated,"x\ny\n`)).reasons).toEqual([
      expect.stringMatching(/^line 3: an opening quote is never closed/),
    ]);
  });

  it.each([
    [
      'a nameless column',
      `${head},`,
      ['1,Ana,active,x,y', '2,Luz,terminated,x,'],
      /^1 column without a name is left out/,
    ],
    ['one that rows leave out', `${head},,`, ['1,Ana,active,x', '2,Luz,terminated,'], /^2 columns without a name/],
    [
      'two of one name',
      `${head},Other,other `,
      ['1,Ana,active,x,y,z', '2,Luz,terminated,,,'],
      /^columns 5, 6 left out/,
    ],
    [
      'two but for a NBSP',
      `${head},a\u00A0b,a b`,
      ['1,Ana,active,x,y,z', '2,Luz,terminated,,,'],
      /^columns 5, 6 left out/,
    ],
    ['one that would reach an object', `${head},__proto__`, ['1,Ana,active,x,y', '2,Luz,terminated,,'], /^column 5 /],
    [
      'one more delimiter per row',
      head,
      ['1,Ana,active,x,', '2,Luz,terminated,,', '3,Eva,active,,'],
      /^3 rows have blank/,
    ],
  ])('is left out of the records: %s', async (_, header, rows, note) => {
    const { end, records, broken } = await read(`${[header, ...rows].join('\n')}\n`);

    expect(broken).toEqual([]);
    expect(records.map(({ fields }) => Object.keys(fields))).toEqual(rows.map(() => ['id', 'name', 'status', 'note']));
    expect(end).toMatchObject({ complete: true, notes: [expect.stringMatching(note)] });
  });

  it('ends the file: the mark of DOS', async () => {
    const { end, rows } = await read(`${twoPeople}\x1a`);
    expect(rows).toHaveLength(2);
    expect(end).toMatchObject({ complete: true, rows: 2 });
    expect((await read(`${twoPeople}3,Eva\x1a`)).end.complete).toBe(false);
  });

  it('stands above the header: lines that a setting skips, and that the message finds', async () => {
    const people = 'id,name,mail\n1,Ana,a@example.com\n2,Luz,\n3,Eva,\n';
    const report = `Roster, all\nRun by hr.admin\n\n${people}`;
    const { records } = await read(report, { skipLines: 3 });

    expect(records[0]).toEqual({ at: 'line 5', fields: { id: '1', name: 'Ana', mail: 'a@example.com' } });
    await expect(read(report)).rejects.toThrow(/line 1 has 2 columns.* Line 4 looks .* set source.skipLines: 3/);
    await expect(read(`version:v1.0\n${people}`)).rejects.toThrow(/Line 2 looks like .* set source.skipLines: 1/);
    await expect(read('version:v1.0\n')).rejects.toThrow(/source.delimiter, or source.skipLines/);
  });
});

describe('quotes', () => {
  it.each([
    ['spaces around them', 'id,name\n1, "Paz, Ana" \n', {}, 'Paz, Ana'],
    [
      'a backslash before those inside',
      'id,name\n1,"\\"Ana\\", \\\\ by all"\n',
      { escape: 'backslash' },
      '"Ana", \\ by all',
    ],
    ['a backslash before a delimiter', 'id,name\n1,Paz\\, Ana\n', { escape: 'backslash' }, 'Paz, Ana'],
    ['the word of a database for no value', 'id,name\n1,\\N\n', { escape: 'backslash' }, '\\N'],
    ['a backslash that means itself', 'id,name\n1,"C:\\temp\\"\n', {}, 'C:\\temp\\'],
  ])('may have %s', async (_, text, config, name) => {
    const { rows, end } = await read(text, config);
    expect(rows).toEqual([['1', name]]);
    expect(end).not.toHaveProperty('notes');
  });
});

describe('complete: stable', () => {
  it.each([
    ['cut within a row', '3,E', 'the last row has no line end and may be cut'],
    ['cut within a short row', '3', 'the last row has no line end and may be cut'],
    ['whole but without line end', '3,Eva', 'the last row has no line end and may be cut'],
  ])('is not complete when the last row is %s', async (_, tail, reason) => {
    const { broken, rows, end, reasons } = await read(twoPeople + tail);

    expect(rows).toHaveLength(2);
    expect(broken).toEqual([{ at: 'line 4', reason }]);
    expect(end).toMatchObject({ complete: false, rows: 3 });
    expect(reasons.join()).toMatch(/no line end/);
  });

  it.each(['', 'id,name\n', 'id,name', 'id,name\n\n,\n , \n'])(
    'is not complete without employees: %j',
    async (content) => {
      const { end, reasons, rows } = await read(content);
      expect(rows).toEqual([]);
      expect(end.complete).toBe(false);
      expect(reasons.join()).toMatch(/no employees|no line end/);
    },
  );

  it.each([
    [9, 10, true],
    [8, 10, false],
    [90, 100, true],
    [89, 100, false],
    [100, 50, true],
  ])('with %i rows after %i is complete: %s', async (rows, before, expected) => {
    const content = `id,name\n${'1,Ana\n'.repeat(rows)}`;
    const { end, reasons } = await read(content, {}, before);

    expect(end.complete).toBe(expected);
    if (!expected) expect(reasons.join()).toMatch(`${rows} rows, less than 90 % of the ${before}`);
  });
});

describe('a file that moves while it is read is not complete', () => {
  const large = `id,name\n${'1,Ana\n'.repeat(60_000)}`;

  it.each([
    ['grows', (path: string) => appendFile(path, '2,Luz\n'), /still being written/],
    ['is written in place', (path: string) => utimes(path, 1, 1), /was written while it was read/],
    ['is cut', (path: string) => writeFile(path, 'id,name\n'), /still being written/],
    ['is taken away', (path: string) => rm(path), /was removed/],
    [
      'is replaced',
      async (path: string) => {
        await writeFile(`${path}.new`, large);
        await rename(`${path}.new`, path);
      },
      /replaced by another file/,
    ],
  ])('it %s', async (_, move, reason) => {
    const { open, path } = await drop(large);
    const reading = open().read({ kind: 'full' }, sourceIo());
    await reading.next();

    await move(path);

    let step = await reading.next();
    while (!step.done) step = await reading.next();
    expect(step.value.complete).toBe(false);
    expect(step.value).toHaveProperty('reasons', expect.arrayContaining([expect.stringMatching(reason)]));
  });
});

describe('a file of a pattern', () => {
  it.each([
    [
      'name',
      'e-2026-11-20.csv',
      /e-2026-11-19\.csv is older than the file of the last complete read, e-2026-11-20\.csv/,
    ],
    ['time', 'e-2026-11-20.csv', /e-2026-11-19\.csv is older than the file of the last complete read, a file that was/],
  ])('proves nothing when by %s it is older than the one that was read last', async (newest, name, reason) => {
    const { folder } = await drop('');
    const source = openSource({ kind: 'csv', path: 'e-*.csv', newest }, sourceBase(folder));
    await writeFile(join(folder, 'e-2026-11-19.csv'), twoPeople);
    await utimes(join(folder, 'e-2026-11-19.csv'), 1_000, 1_000);
    await writeFile(join(folder, name), twoPeople);
    const { end: first } = await readWhole(source);
    const previous = first.complete ? { rows: first.rows, stamp: first.stamp } : undefined;
    const again = await readWhole(source, { kind: 'full' }, sourceIo({ previous }));
    await rm(join(folder, name));

    const { end } = await readWhole(source, { kind: 'full' }, sourceIo({ previous }));

    expect(again.end).toEqual(first);
    expect(end).toMatchObject({ complete: false, rows: 2, reasons: [expect.stringMatching(reason)] });
  });

  it('is refused when two are equally new', async () => {
    const { folder } = await drop('');
    for (const name of ['a-1.csv', 'b-1.csv']) {
      await writeFile(join(folder, name), twoPeople);
      await utimes(join(folder, name), 1_000, 1_000);
    }

    const source = openSource({ kind: 'csv', path: '*-1.csv', newest: 'time' }, sourceBase(folder));

    await expect(readWhole(source)).rejects.toThrow(/two files match .* and neither is newer/);
  });
});

describe('a pipe, which has no end until its writer goes,', () => {
  it.each(['employees.csv', 'employees.csv.gz'])('named %s is refused at check and at read', async (path) => {
    const folder = await temporaryFolder();
    execFileSync('mkfifo', [join(folder, path)]);
    const source = openSource({ kind: 'csv', path }, sourceBase(folder));
    const refused = {
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('is not a file: a folder, pipe or device'),
    };

    await expect(source.fields(sourceIo())).rejects.toMatchObject(refused);
    await expect(readWhole(source)).rejects.toMatchObject(refused);
  });

  it('is no match of a pattern', async () => {
    const { folder } = await drop(twoPeople);
    execFileSync('mkfifo', [join(folder, 'employees-9.csv')]);
    await writeFile(join(folder, 'employees-1.csv'), 'id,name\n9,Eva\n');
    const source = openSource({ kind: 'csv', path: 'employees-*.csv' }, sourceBase(folder));

    expect((await readWhole(source)).end).toMatchObject({ complete: true, rows: 1 });
  });
});

describe('complete: marker', () => {
  const sha256 = createHash('sha256').update(twoPeople).digest('hex');

  async function readWithMarker(marker: string | undefined, ageMs = 0, content = twoPeople) {
    const { open, path } = await drop(content);
    await utimes(path, 1_000_000, 1_000_000);
    if (marker !== undefined) {
      await writeFile(`${path}.done`, marker);
      await utimes(`${path}.done`, 1_000_000 - ageMs / 1000, 1_000_000 - ageMs / 1000);
    }
    return (await readWhole(open({ complete: 'marker' }))).end;
  }

  it.each([
    ['that is empty', '', /^the marker .*employees\.csv\.done is there$/],
    ['with the row count', '2\n', /its row count agrees/],
    ['with a named row count', 'rows=2', /its row count agrees/],
    ['with JSON', JSON.stringify({ rows: 2, sha256 }), /its row count and its sha256 agrees/],
    ['by sha256sum', `${sha256}  employees.csv\n`, /its sha256 agrees/],
    ['with a byte order mark', '\uFEFF2\r\n', /its row count agrees/],
    ['of a word', 'OK\n', /is there$/],
    ['with a sentence', 'Export of employees.csv completed at 2026-11-21T04:05:06Z', /is there$/],
    ['by date', 'Sat Nov 21 04:05:06 UTC 2026\n', /is there$/],
    ['with a status', JSON.stringify({ status: 'done', file: 'employees.csv', count: '2' }), /its row count agrees/],
  ])('is complete with a marker %s', async (_, marker, evidence) => {
    expect(await readWithMarker(marker)).toMatchObject({ complete: true, evidence: expect.stringMatching(evidence) });
  });

  it.each([
    ['not a marker', undefined, 0, /is not there: the export has not finished/],
    ['a marker of a former export', '', 1000, /is older than the file/],
    ['another row count', '3', 0, /says 3 rows, the file has 2/],
    [
      'another sha256',
      sha256.replace(/^./, sha256.startsWith('0') ? '1' : '0'),
      0,
      /sha256 .* does not match the file/,
    ],
  ])('is not complete with %s', async (_, marker, ageMs, reason) => {
    expect(await readWithMarker(marker, ageMs)).toMatchObject({
      complete: false,
      reasons: [expect.stringMatching(reason)],
    });
  });

  it.each([
    ['-2', 'contains a number that is not a whole number of rows'],
    ['2.5', 'contains a number that is not a whole number of rows'],
    ['2e0', 'contains a number that is not a whole number of rows'],
    ['rows=two', 'names rows without a whole number'],
    ['{"rows":null}', 'names rows without a whole number'],
    ['rows=2.5', 'names rows without a whole number'],
    ['sha256: pending', 'names a sha256 without its 64 digits'],
    ['d41d8cd98f00b204e9800998ecf8427e  employees.csv', 'contains a checksum of 32 digits, which is not a sha256'],
    ['<html>login</html>', 'contains a web page or XML'],
    ['\u0000\u0001', 'contains binary data or text that is not UTF-8'],
    ['ERROR: disk full', 'contains text that Rollcall does not understand'],
    ['qwertz', 'contains text that Rollcall does not understand'],
    ['in progress', 'contains text that Rollcall does not understand'],
    ['not done', 'contains text that Rollcall does not understand'],
  ])('of nonsense proves nothing: %j', async (marker, what) => {
    const end = await readWithMarker(marker);

    expect(end).toMatchObject({
      complete: false,
      reasons: [
        expect.stringMatching(new RegExp(`^the marker .*employees.csv.done ${what}: leave it empty, or write`)),
      ],
    });
  });

  it('that is a pipe is refused without waiting for a writer', async () => {
    const { open, path } = await drop(twoPeople);
    execFileSync('mkfifo', [`${path}.done`]);

    const { end } = await readWhole(open({ complete: 'marker' }));

    expect(end).toMatchObject({
      reasons: [expect.stringMatching(/not a marker file: it is a folder, pipe or device/)],
    });
  });

  it('needs no line end at the end, but all columns', async () => {
    expect(await readWithMarker('', 0, 'id,name\n1,Ana\n2,Luz')).toMatchObject({ complete: true, rows: 2 });
    expect(await readWithMarker('', 0, 'id,name\n1,Ana\n2')).toMatchObject({ complete: false });
  });

  it('may name another marker file', async () => {
    const { open, folder } = await drop(twoPeople);
    await mkdir(join(folder, 'done'));
    await writeFile(join(folder, 'done', 'people.ok'), '2');

    const { end } = await readWhole(open({ complete: 'marker', marker: 'done/people.ok' }));

    expect(end).toMatchObject({ complete: true });
  });
});

describe('complete: trailer', () => {
  it.each([
    ['T', 'id;name\n1;Ana\n2;Luz\nT;2\n'],
    ['T', 'id;name;mail\n1;Ana;\n2;Luz;\nT;0002;\n'],
    ['T', 'id;name;mail\n1;Ana;\n2;Luz;\nT;2'],
    ['#rows=', 'id;name\n1;Ana\n2;Luz\n#rows=2\n'],
    ['EOF', 'id,name\n1,Ana\n2,Luz\n"EOF","2"\n\n'],
  ])('beginning with %s that agrees is complete: %j', async (trailer, content) => {
    const { end, rows, broken } = await read(content, { complete: 'trailer', trailer });

    expect(rows.map(([id]) => id)).toEqual(['1', '2']);
    expect(broken).toEqual([]);
    expect(end).toMatchObject({ complete: true, rows: 2, evidence: 'the trailer says 2 rows' });
  });

  it.each([
    ['says another count', 'id;name\n1;Ana\nT;2\n', /trailer in line 3 says 2 rows, the file has 1/],
    ['is missing', 'id;name\n1;Ana\n2;Luz\n', /the last record is not a trailer beginning with T/],
    ['has no count', 'id;name\n1;Ana\nT;\n', /not a trailer/],
    ['is not the last record', 'id;name;mail\n1;Ana;\nT;1\n2;Luz;\n', /not a trailer/],
  ])('that %s is not complete', async (_, content, reason) => {
    const { end, reasons } = await read(content, { complete: 'trailer' });

    expect(end.complete).toBe(false);
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  });
});

describe('a point read', () => {
  const request = { kind: 'point', field: 'id', identifications: ['2', 'Jose\u0301'] } as const;

  it('compares as identifications do: trimmed and NFC', async () => {
    const { open } = await drop('id,name\n1,Ana\n 2 ,Luz\nJosé,Pepe\n');

    const { pages, end } = await readWhole(open(), request);

    expect(pages.flatMap(({ records }) => records.map(({ at }) => at))).toEqual(['line 3', 'line 4']);
    expect(end).toMatchObject({ complete: true, rows: 2 });
  });

  it('is complete only if the file was', async () => {
    const { open } = await drop('id,name\n1,Ana\n2,Luz\n3,E');

    expect((await readWhole(open(), request)).end).toMatchObject({ complete: false });
  });

  it('by a column that is not there is refused', async () => {
    const { open } = await drop(twoPeople);

    await expect(readWhole(open(), { ...request, field: 'nr' })).rejects.toThrow(/no column "nr"/);
  });
});

describe('a file that cannot be read', () => {
  it('is told with its path and what to do', async () => {
    const { open, folder, path } = await drop(twoPeople);
    await rm(path);

    await expect(readWhole(open())).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      retry: 'backoff',
      message: expect.stringMatching(/employees\.csv \(ENOENT\): there is no such file/),
    });
    await expect(readWhole(openSource({ kind: 'csv', path: '.' }, sourceBase(folder)))).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
    });
  });

  it.skipIf(process.getuid?.() === 0)('is told to be without permission', async () => {
    const { open, path } = await drop(twoPeople);
    await chmod(path, 0);

    await expect(readWhole(open())).rejects.toThrow(/\(EACCES\): this process may not read it/);
  });
});

it('a delimiter may be said in words', async () => {
  expect((await read('id\tname\n1\tAna\n', { delimiter: 'tab' })).rows).toEqual([['1', 'Ana']]);
});
