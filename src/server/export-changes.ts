import { stringify } from 'csv-stringify/sync';
import type { PlannedChange } from '../ports/store.ts';
import { changeView } from '../views/changes.ts';

/** Yields one JSON object per line (application/x-ndjson). */
export async function* linesOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((change) => `${JSON.stringify(changeView(change))}\n`).join('');
}

/** Yields one JSON array. */
export async function* jsonOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  let lead = '[';
  for await (const page of pages) {
    for (const change of page) {
      yield `${lead}\n${JSON.stringify(changeView(change))}`;
      lead = ',';
    }
  }
  yield lead === '[' ? '[]\n' : '\n]\n';
}

const columns = [
  'identification',
  'kind',
  'state',
  'stateReason',
  'reason',
  'classes',
  'changed',
  'before',
  'after',
  'batch',
  'isApproved',
  'hash',
] as const;

/** Yields CSV (RFC 4180) with a header. An apostrophe protects cells that a spreadsheet would read as formulas. */
export async function* csvOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  yield stringify([columns], { record_delimiter: 'windows' });
  for await (const page of pages) {
    const rows = page.map((change) => {
      const view = changeView(change);
      return columns.map((name) => cellOf(view[name]));
    });
    yield stringify(rows, { record_delimiter: 'windows', escape_formulas: true });
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
