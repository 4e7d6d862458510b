import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRowParser } from '../../../src/sources/csv/rows/row-parser.ts';

it.each([
  ['blank lines', '\n'],
  ['blank lines of an old Mac', '\r'],
  ['lines of one letter', 'a\n'],
])('a chunk of %s leaves other work of the process its turns', async (_, line) => {
  const parser = createRowParser({ delimiter: ',', quote: '"', hasBackslashes: false, firstLine: 1 });
  let turns = 0;
  let isParsed = false;
  const parsing = parser.push(line.repeat(30_000)).finally(() => {
    isParsed = true;
  });
  while (!isParsed) {
    await nextTurn();
    turns += 1;
  }
  const [first, rest] = [await parsing, await parser.end()];

  expect(turns).toBeGreaterThanOrEqual(14);
  expect(first.failure).toBeUndefined();
  const rows = [...first.rows, ...rest.rows];
  expect(rows.length).toBeGreaterThanOrEqual(29_999);
  expect(rows.slice(0, 30_000).map((row) => row.line)).toEqual(rows.slice(0, 30_000).map((_row, at) => at + 1));
});
