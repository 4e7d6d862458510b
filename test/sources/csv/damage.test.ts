import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../../src/core/run/refusal.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole } from '../../contracts/source.ts';
import { drawRuns } from '../../support/drawn.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const header = ['id', 'first', 'last', 'email', 'job', 'status', 'left', 'note'];
const first = ['Ana', 'Luz', 'Eva María', 'Pía', 'Noé', 'Sol'];
const last = ['Paz', 'Ríos Sosa', 'Gil', "O'Neil", 'Díaz'];
const notes = ['', '', '', 'part time', '"moved, see ""HR"""', 'x'];

/** 24 people as an HR system exports them. Each sixth has left. */
const people = Array.from({ length: 24 }, (_, n) => {
  const status = n % 6 === 5 ? 'terminated' : 'active';
  const left = status === 'active' ? '' : `2026-0${(n % 9) + 1}-1${n % 10}`;
  const of = (list: readonly string[]): string => list[n % list.length] ?? '';
  return [
    `E${101 + n}`,
    of(first),
    of(last),
    `p${n}@corp.test`,
    of(['Clerk', 'Ops Lead', 'Driver 2']),
    status,
    left,
    of(notes),
  ];
});

/** What happens to one line. `at` is a place in it, `column` one of its cells. */
type Damage = (cells: readonly string[], delimiter: string, at: number) => string;

const damages: Readonly<Record<string, Damage>> = {
  'a quote anywhere': (cells, delimiter, at) => inserted(cells.join(delimiter), '"', at),
  'a delimiter anywhere': (cells, delimiter, at) => inserted(cells.join(delimiter), delimiter, at),
  'a delimiter lost': (cells, delimiter, at) => {
    const column = 1 + (at % (cells.length - 1));
    return [...cells.slice(0, column - 1), `${cells[column - 1]}${cells[column]}`, ...cells.slice(column + 1)].join(
      delimiter,
    );
  },
  'blank cells at the end': (cells, delimiter, at) => cells.join(delimiter) + delimiter.repeat(1 + (at % 3)),
  'blank last cells not there': (cells, delimiter) =>
    cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1).join(delimiter),
  'a line end anywhere': (cells, delimiter, at) => inserted(cells.join(delimiter), '\n', at),
  'a byte of another encoding anywhere': (cells, delimiter, at) => inserted(cells.join(delimiter), '\u0001', at),
  'the header again': (cells, delimiter) => `${header.join(delimiter)}\n${cells.join(delimiter)}`,
  'the row twice without its end': (cells, delimiter, at) =>
    `${cells.join(delimiter).slice(0, at)}\n${cells.join(delimiter)}`,
};

function inserted(text: string, what: string, at: number): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + what + text.slice(place);
}

it.each(Object.entries(damages))('%s makes nobody another person, and loses nobody in silence', async (_, damage) => {
  const folder = await temporaryFolder();
  const source = openSource({ kind: 'csv', path: 'people.csv' }, sourceBase(folder));
  const row = fc.nat({ max: people.length - 1 });
  await fc.assert(
    fc.asyncProperty(
      row,
      fc.nat({ max: 200 }),
      fc.constantFrom(',', ';', '\t', '|'),
      async (damaged, at, delimiter) => {
        const lines = people.map((cells, n) => (n === damaged ? damage(cells, delimiter, at) : cells.join(delimiter)));
        const text = Buffer.from(`${[header.join(delimiter), ...lines].join('\n')}\n`);
        await writeFile(join(folder, 'people.csv'), Buffer.from(text.map((byte) => (byte === 1 ? 0xff : byte))));

        const { pages, end } = await readWhole(source);

        const records = pages.flatMap((page) => page.records.map(({ fields }) => fields));
        const broken = pages.flatMap((page) => page.broken);
        const read = new Map(records.map((fields) => [String(fields.id), fields]));
        for (const cells of people) {
          const fields = read.get(cells[0] ?? '');
          if (fields === undefined) continue;
          const others = header.filter((name, n) => !isKept(fields[name], cells[n] ?? ''));
          expect(others.length, `cells of ${cells[0]} that are others`).toBeLessThanOrEqual(1);
          for (const name of ['status', 'left'])
            if (others.includes(name)) expect(fields[name]).not.toMatch(/^(?:active|terminated|\d{4}-\d\d-\d\d)$/);
        }
        const strange = records.filter(({ id }) => !(id instanceof Refusal) && !people.some(([known]) => known === id));
        const isWhole = end.complete && broken.length === 0 && records.every(({ id }) => !(id instanceof Refusal));
        if (isWhole && strange.length === 0) expect(read.size).toBe(people.length);
        for (const fields of strange) expect(String(fields.id).length, 'a damaged key').toBeLessThanOrEqual(5);
      },
    ),
    { numRuns: drawRuns(150) },
  );
});

/** Whether a cell is as it was, or is known to be unreadable, or is not there. */
function isKept(cell: unknown, written: string): boolean {
  const plain = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
  return cell === undefined || cell instanceof Refusal || cell === plain;
}
