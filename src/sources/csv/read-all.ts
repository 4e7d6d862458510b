import { createHash } from 'node:crypto';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { countOf } from '../../core/run/formats.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import type { CsvConfig } from './config.ts';
import { fileNameOf, fileNamesIn, kindOfFile, stampOfAll } from './places/newest.ts';
import { type OpenFile, readFile, stableShare } from './read.ts';

/**
 * Reads the newest file of each kind of a pattern, one after the other, as one list. It is complete if every file is,
 * and no kind of the last complete read is absent.
 */
export async function* readAllKinds(
  config: CsvConfig,
  openFile: OpenFile,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const first = await openFile(io, 'whole');
  const names: string[] = [];
  const ends: ReadEnd[] = [];
  for (const path of [undefined, ...(first.others ?? [])]) {
    const file = path === undefined ? first : await openFile(io, 'whole', path);
    const name = fileNameOf(file.name);
    names.push(name);
    const pages = readFile(config, { ...file, later: undefined, others: [] }, request, { ...io, previous: undefined });
    let next = await pages.next();
    for (; next.done !== true; next = await pages.next()) yield inFile(name, next.value);
    ends.push(next.value);
  }
  return joinedEnd(ends, names, io.previous);
}

/** Names the file in each place, because every file has a line 2. */
function inFile(name: string, { records, broken }: SourcePage): SourcePage {
  const placed = <One extends { readonly at: string }>(one: One): One => ({ ...one, at: `${name} ${one.at}` });
  return { records: records.map(placed), broken: broken.map(placed) };
}

function joinedEnd(ends: readonly ReadEnd[], names: readonly string[], previous: SourceIo['previous']): ReadEnd {
  const rows = ends.reduce((sum, end) => sum + end.rows, 0);
  const of = (index: number, texts: readonly string[]): readonly string[] =>
    texts.map((text) => `${names[index]}: ${text}`);
  const notes = ends.flatMap((end, index) => of(index, end.notes ?? []));
  const reasons = ends.flatMap((end, index) => (end.complete ? [] : of(index, end.reasons)));
  const kinds = names.map(kindOfFile);
  const absent = fileNamesIn(previous?.stamp).filter((name) => !kinds.includes(kindOfFile(name)));
  const doubts = absent.map((name) => `no file matches ${name}, which the last complete read had`);
  if (previous !== undefined && rows < previous.rows * stableShare) {
    doubts.push(
      `the files have ${countOf(rows, 'row')}, less than 90 % of the ${previous.rows} of the last complete read`,
    );
  }
  if (reasons.length > 0) return { complete: false, rows, reasons: [...reasons, ...doubts], notes };
  if (doubts.length > 0) return { complete: false, rows, reasons: doubts, isAcceptable: true, notes };
  const complete = ends.flatMap((end) => (end.complete ? [end] : []));
  const hash = createHash('sha256');
  for (const { stamp } of complete) hash.update(stamp);
  const written = complete.flatMap(({ asOf }) => (typeof asOf === 'number' ? [asOf] : []));
  const asOf = written.length === complete.length ? { asOf: Math.min(...written) } : {};
  const evidence = complete.flatMap((end, index) => of(index, [end.evidence])).join('; ');
  return { complete: true, rows, evidence, stamp: stampOfAll(hash.digest('hex'), names), ...asOf, notes };
}
