import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Difference, hrColumns, hrRows } from './people.ts';

/** Writes the CSV file of synthetic people. */
export function writeHrFile(path: string, people: number, difference: Difference): Promise<void> {
  function* lines(): Generator<string, void> {
    yield `${hrColumns.join(',')}\n`;
    for (const row of hrRows(people, difference)) yield `${row.map(cell).join(',')}\n`;
  }
  return pipeline(Readable.from(joined(lines())), createWriteStream(path));
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A thousand lines at a time: a stream's passage costs more than a line. */
function* joined(lines: Iterable<string>): Generator<string, void> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 1 << 18) continue;
    yield text;
    text = '';
  }
  yield text;
}
