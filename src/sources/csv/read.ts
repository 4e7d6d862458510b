import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { acceptsOnly, inPortions } from '../kit/pages.ts';
import type { CsvConfig } from './config.ts';
import type { CsvFile } from './csv-file.ts';
import { listAt, readJsonFile } from './json-file.ts';
import { markerProblem } from './marker.ts';
import { fileNameOf, fileNamesIn, kindOfFile, newerBefore, stampOf } from './places/newest.ts';
import { type Layout, type OpenRows, openRows } from './rows/open-rows.ts';
import type { Trailer } from './rows/row-parser.ts';
import { createRowSorter } from './rows/row-sorter.ts';

/** Opens the file for one read. `header`: only its start is needed. `path`: another one of the pattern. Must be closed. */
export type OpenFile = (io: SourceIo, part: 'whole' | 'header', path?: string) => Promise<CsvFile>;

/** Records per page. */
const pageRecords = 1_000;

/** Reads the file once, from the first byte to the last, and closes it however the read ends. */
export async function* readCsv(
  config: CsvConfig,
  openFile: OpenFile,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  io.signal.throwIfAborted();
  return yield* readFile(config, await openFile(io, 'whole'), request, io);
}

/** Reads an open file, and closes it. */
export async function* readFile(
  config: CsvConfig,
  file: CsvFile,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  try {
    if (config.items !== undefined) return yield* readItems({ file, items: config.items }, config, request, io);
    const rows = await openRows(config, file);
    if (rows === undefined)
      return { complete: false, rows: 0, reasons: [`${file.name} is empty: it contains no employees`] };
    if (request.kind === 'point') checkColumn(request.field, rows.layout, file.name);
    return yield* readRows({ file, rows, config }, acceptsOnly(request), io);
  } finally {
    await file.close();
  }
}

/** Reads the column names and nothing else. Returns none when the file is empty. */
export async function readCsvHeader(config: CsvConfig, openFile: OpenFile, io: SourceIo): Promise<readonly string[]> {
  const file = await openFile(io, config.items === undefined ? 'header' : 'whole');
  try {
    if (config.items !== undefined) {
      const people = listAt(await readJsonFile(file), config.items, file.name);
      return [...new Set(people.filter(isRecord).flatMap(Object.keys))];
    }
    const rows = await openRows(config, file);
    return rows?.layout.columns.filter((name) => name !== undefined) ?? [];
  } finally {
    await file.close();
  }
}

async function* readItems(
  { file, items }: { readonly file: CsvFile; readonly items: string },
  config: CsvConfig,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const all = listAt(await readJsonFile(file), items, file.name);
  const accepts = acceptsOnly(request);
  let yielded = 0;
  for await (const page of inPortions([all], { io, at: (n) => `record ${n}`, accepts })) {
    yielded += sizeOf(page);
    yield page;
  }
  const facts = { rows: all.length, yielded, trailer: undefined, notes: otherNotes(file), doubts: [] };
  return judgeCompleteness(completenessRule(config, io), file, facts, io.previous?.stamp);
}

async function* readRows(
  { file, rows, config }: { readonly file: CsvFile; readonly rows: OpenRows; readonly config: CsvConfig },
  accepts: ReturnType<typeof acceptsOnly>,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const rule = completenessRule(config, io);
  const sorter = createRowSorter({
    layout: rows.layout,
    trailerPrefix: rule.kind === 'trailer' ? rule.prefix : undefined,
    skipFooter: config.skipFooter,
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
    notes: [...otherNotes(file), ...rows.notes(), ...sorter.notes],
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
function checkColumn(field: string, { columns }: Layout, path: string): void {
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

/** How the file proves that it is complete, with the required settings. */
type CompletenessRule =
  | { readonly kind: 'stable'; readonly previousRows: number | undefined }
  | { readonly kind: 'marker' }
  | { readonly kind: 'trailer'; readonly prefix: string };

/** A browser names a second download `employees (1).csv`, which is older by name than `employees.csv`. */
function otherNotes({ name, later, others = [] }: CsvFile): readonly string[] {
  const also =
    others.length === 0
      ? []
      : [
          `${name} is read, and ${others.slice(0, namedFiles).map(fileNameOf).join(', ')}${others.length > namedFiles ? ', …' : ''} of the same pattern ${others.length === 1 ? 'is' : 'are'} not, although the names differ in more than date and number. To read the newest of each kind together, set source.all: true; or make the pattern narrower`,
        ];
  if (later === undefined) return also;
  return [
    ...also,
    `${name} is the newest file by name, but ${later} was written after it and is not read. If the time counts, set source.newest: time`,
  ];
}

const namedFiles = 3;

/** Facts that a read to the end has shown. */
interface FileFacts {
  /** Data rows in the file, including broken ones, without header, blank rows and trailer. */
  readonly rows: number;
  /** Records that were returned: fewer in a point read. */
  readonly yielded: number;
  readonly trailer: Trailer | undefined;
  /** Findings for the operator that do not make the read incomplete. */
  readonly notes: readonly string[];
  /** Signs of a cut file or of hidden rows, found during the read. */
  readonly doubts: readonly string[];
}

/** A stable file may lose this share of the last complete read's rows before it counts as cut. */
export const stableShare = 0.9;

/** Decides whether the file was read completely. */
async function judgeCompleteness(
  rule: CompletenessRule,
  file: CsvFile,
  facts: FileFacts,
  previousStamp: string | undefined,
): Promise<ReadEnd> {
  const reasons = [...facts.doubts];
  if (facts.rows === 0) reasons.push('the file contains no employees');
  const proof = await proofOf(rule, file, facts);
  reasons.push(...proof.problems);
  const newer = file.rank && previousStamp && newerBefore(file.rank, previousStamp);
  if (newer)
    reasons.push(`${file.name} is older than the file of the last complete read, ${newer}: was that one removed?`);
  // Last, so that it also finds a change during the steps above.
  reasons.push(...(await file.movements()));
  const notes = facts.notes.length === 0 ? {} : { notes: facts.notes };
  const [before] = file.rank === undefined ? [] : fileNamesIn(previousStamp);
  const isOther = before !== undefined && kindOfFile(before) !== kindOfFile(file.name);
  const doubts = [
    ...(proof.shrunk === undefined ? [] : [`${proof.shrunk}. ${shrunkAdvice}`]),
    ...(isOther
      ? [`${file.name} is another kind of file than ${before} of the last complete read. ${kindAdvice}`]
      : []),
  ];
  if (reasons.length + doubts.length > 0) {
    const acceptable = reasons.length === 0 ? ({ isAcceptable: true } as const) : {};
    return { complete: false, rows: facts.yielded, reasons: [...reasons, ...doubts], ...acceptable, ...notes };
  }
  const stamp = stampOf(file.digest(), file.rank, file.name);
  const written = file.writtenAtNs === undefined ? {} : { asOf: Number(file.writtenAtNs / 1_000_000n) };
  return { complete: true, rows: facts.yielded, evidence: proof.evidence, stamp, ...written, ...notes };
}

interface Proof {
  readonly evidence: string;
  readonly problems: readonly string[];
  /** Why the file has lost too many rows: an operator may accept that. */
  readonly shrunk?: string;
}

async function proofOf(rule: CompletenessRule, file: CsvFile, facts: FileFacts): Promise<Proof> {
  switch (rule.kind) {
    case 'stable':
      return proveStable(rule.previousRows, facts);
    case 'marker':
      return proveByMarker(file, facts);
    case 'trailer':
      return proveByTrailer(rule.prefix, facts);
  }
}

/** Only a file without other doubts can be approved. */
const shrunkAdvice = 'If that is correct, approve the run, or use complete: marker or complete: trailer';
const kindAdvice = 'If that is correct, approve the run; to read one of each kind together, set source.all: true';

/** A last row without line end is among the doubts of the rows. */
function proveStable(previousRows: number | undefined, facts: FileFacts): Proof {
  const evidence = `the file did not change, ends with a line end and has ${countOf(facts.rows, 'row')}`;
  if (previousRows === undefined || facts.rows >= previousRows * stableShare) return { evidence, problems: [] };
  const shrunk = `the file has ${countOf(facts.rows, 'row')}, less than 90 % of the ${previousRows} of the last complete read`;
  return { evidence, problems: [], shrunk };
}

async function proveByMarker(file: CsvFile, facts: FileFacts): Promise<Proof> {
  const marker = await file.marker();
  if (typeof marker === 'string') return { evidence: '', problems: [marker] };
  const digests = [file.digest(), ...(file.packedDigest === undefined ? [] : [file.packedDigest])];
  const problem = markerProblem(marker, { rows: facts.rows, digests, writtenAtNs: file.writtenAtNs });
  const agreed = [marker.rows !== undefined && 'its row count', marker.sha256 !== undefined && 'its sha256'];
  const also = agreed.filter((text) => text !== false).join(' and ');
  return {
    evidence: `the marker ${marker.name} is there${also === '' ? '' : ` and ${also} agrees`}`,
    problems: problem === undefined ? [] : [problem],
  };
}

function proveByTrailer(prefix: string, { trailer, rows }: FileFacts): Proof {
  if (trailer === undefined) {
    return { evidence: '', problems: [`the last record is not a trailer beginning with ${prefix}: the file is cut`] };
  }
  const problem = `the trailer in line ${trailer.line} says ${countOf(trailer.rows, 'row')}, the file has ${rows}`;
  return {
    evidence: `the trailer says ${countOf(trailer.rows, 'row')}`,
    problems: trailer.rows === rows ? [] : [problem],
  };
}
