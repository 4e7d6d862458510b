import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { acceptsOnly } from '../kit/pages.ts';
import { type CompletenessRule, judgeCompleteness } from './completeness.ts';
import type { CsvFile } from './csv-file.ts';
import { type OpenRows, openRows } from './rows/open-rows.ts';
import { createRowSorter } from './rows/row-sorter.ts';
import type { CsvConfig } from './schema.ts';

/** Opens the file for one read. `header`: only its start is needed. Must be closed. */
export type OpenFile = (io: SourceIo, part: 'whole' | 'header') => Promise<CsvFile>;

/** Records per page. */
const pageRecords = 1_000;

/** Reads the file once, from the first byte to the last, and closes it however the read ends. */
export async function* readCsv(
  config: CsvConfig,
  openFile: OpenFile,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  if (request.kind === 'delta') {
    throw new RollcallError('a CSV file is always read completely: it has no delta', { code: 'USAGE' });
  }
  io.signal.throwIfAborted();
  const file = await openFile(io, 'whole');
  try {
    const rows = await openRows(config, file);
    if (rows === undefined)
      return { complete: false, rows: 0, reasons: [`${file.name} is empty: it holds no employees`] };
    try {
      if (request.kind === 'point') checkColumn(request.field, rows.columns, file.name);
      return yield* readRows({ file, rows }, completenessRule(config, io), acceptsOnly(request), io);
    } finally {
      rows.close();
    }
  } finally {
    await file.close();
  }
}

/** Reads the column names and nothing else. Returns none when the file is empty. */
export async function readCsvHeader(config: CsvConfig, openFile: OpenFile, io: SourceIo): Promise<readonly string[]> {
  const file = await openFile(io, 'header');
  try {
    const rows = await openRows(config, file);
    rows?.close();
    return rows?.columns ?? [];
  } finally {
    await file.close();
  }
}

async function* readRows(
  { file, rows }: { readonly file: CsvFile; readonly rows: OpenRows },
  rule: CompletenessRule,
  accepts: ReturnType<typeof acceptsOnly>,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const sorter = createRowSorter({
    columns: rows.columns,
    delimiter: rows.delimiter,
    trailerPrefix: rule.kind === 'trailer' ? rule.prefix : undefined,
    mustEndLine: rule.kind === 'stable',
    accepts,
  });
  let yielded = 0;
  // One page waits for the last row, which the sorter keeps: a small file is one page.
  let waiting: SourcePage | undefined;
  for await (const parsed of rows.parsed()) {
    for (let start = 0; start < parsed.rows.length; start += pageRecords) {
      io.signal.throwIfAborted();
      const page = sorter.take(parsed.rows.slice(start, start + pageRecords));
      if (sizeOf(page) === 0) continue;
      yielded += sizeOf(page);
      if (waiting !== undefined) yield waiting;
      waiting = page;
    }
    io.signal.throwIfAborted();
    if (parsed.failure !== undefined) {
      // The row before the failure is complete, because it ended with a line end.
      const last = sorter.finish({ hasLineEnd: true });
      const { line, reason } = parsed.failure;
      yielded += sizeOf(last) + 1;
      yield joined(waiting, { records: last.records, broken: [...last.broken, { at: `line ${line}`, reason }] });
      const reasons = [...sorter.doubts, `reading ended in line ${line}: ${reason}`];
      return { complete: false, rows: yielded, reasons };
    }
  }
  const isCutInCharacter = rows.isCutInCharacter();
  const page = sorter.finish({ hasLineEnd: rows.hasLineEnd() && !isCutInCharacter });
  yielded += sizeOf(page);
  const last = joined(waiting, page);
  if (sizeOf(last) > 0) yield last;
  io.signal.throwIfAborted();
  const facts = {
    rows: sorter.rows,
    yielded,
    trailer: sorter.trailer,
    notes: sorter.notes,
    doubts: [...sorter.doubts, ...(isCutInCharacter ? ['the file ends inside a character: it is cut'] : [])],
  };
  return judgeCompleteness(rule, file, facts, io.previous?.stamp);
}

function completenessRule(config: CsvConfig, io: SourceIo): CompletenessRule {
  switch (config.complete) {
    case 'stable':
      return { kind: 'stable', previousRows: io.previous?.rows };
    case 'marker':
      return { kind: 'marker' };
    case 'trailer':
      return { kind: 'trailer', prefix: config.trailer ?? 'T' };
  }
}

/** A point read also reads the whole file and keeps the requested people. */
function checkColumn(field: string, columns: readonly string[], path: string): void {
  if (columns.includes(field)) return;
  const message = `${path} has no column ${JSON.stringify(field)}, which is required to look people up`;
  throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

function joined(page: SourcePage | undefined, end: SourcePage): SourcePage {
  if (page === undefined) return end;
  return { records: [...page.records, ...end.records], broken: [...page.broken, ...end.broken] };
}

function sizeOf(page: SourcePage): number {
  return page.records.length + page.broken.length;
}
