import type { Mapped, SourceRecord } from '../../core/person/person.ts';
import { foldText } from '../../core/person/text.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { BrokenRecord } from '../../ports/source.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PeopleIndex } from './people-index.ts';

/** A row that may be a total, until all people are known. */
interface Candidate {
  readonly at: string;
  readonly cells: readonly string[];
  /** Takes the row as one of a person. */
  readonly take: () => void;
}

/** An export has few totals. Rows beyond that are damaged ones. */
const mostTotals = 200;
const mostOtherCells = 2;
const namedPlaces = 3;
const pagesAtOnce = 50;

/** `Total`, `Grand total:`, `Anzahl 30`, `30 rows`: words, and perhaps a number beside them. */
const label = /^(?:\d+ )?\p{L}[\p{L}\p{M} .()/-]{2,}(?:[ :=#]+[\d.,]+)?:?$/u;

/**
 * Finds the rows that are a total and no person: the identification is blank or a label, at most two other cells are
 * filled, and no cell is an identification, an e-mail or a full name of a person of this or the last accepted read.
 */
export function openTotalRows(sync: string, index: PeopleIndex, find: (finding: Finding) => void) {
  const candidates: Candidate[] = [];
  const keepCells = (at: string, [first = '', ...others]: readonly string[], take: () => void): boolean => {
    const isTotal = others.length <= mostOtherCells && (first === '' || label.test(first));
    if (!isTotal || candidates.length === mostTotals) return false;
    candidates.push({ at, cells: first === '' ? others : [first, ...others], take });
    return true;
  };
  return {
    /** Keeps a record that may be a total. Returns whether it did; `take` is called later where it is none. */
    keep({ at, fields }: SourceRecord, mapped: Mapped, take: () => void): boolean {
      const isUsable = mapped.kind === 'person' && mapped.standing !== 'unknown' && mapped.refusesCreate === undefined;
      if (isUsable || (mapped.kind === 'unreadable' && mapped.reason !== 'is blank')) return false;
      const cells = Object.values(fields).flatMap((value) => cellOf(value) ?? []);
      if (mapped.kind === 'unreadable') return keepCells(at, ['', ...cells], take);
      return keepCells(at, [mapped.identification, ...cells.filter((cell) => cell !== mapped.identification)], take);
    },
    /** The same for a row without the columns of the header. */
    keepBroken: ({ at, cells = [] }: BrokenRecord, take: () => void): boolean =>
      cells.length > 0 && keepCells(at, cells, take),
    /** Takes the rows that are no totals, and tells how many are. */
    async settle({ store }: Pick<EngineIo, 'store'>): Promise<void> {
      if (candidates.length === 0) return;
      const texts = [...new Set(candidates.flatMap(({ cells }) => cells))];
      const roster = await store.rosters.open(sync);
      const listed = (await roster?.people(texts)) ?? new Map();
      const isKnown = (cell: string): boolean => cell.includes('@') || index.find(cell).slot !== -1 || listed.has(cell);
      const named = await namesAmong(new Set(candidates.flatMap(namesOf)), sync, index, store);
      const totals: Candidate[] = [];
      for (const candidate of candidates) {
        if (candidate.cells.some(isKnown) || namesOf(candidate).some((name) => named.has(name))) candidate.take();
        else totals.push(candidate);
      }
      if (totals.length === 0) return;
      const places = totals.slice(0, namedPlaces).map(({ at }) => at);
      const where = `${places.join(', ')}${totals.length > places.length ? ', …' : ''}`;
      const message = `${countOf(totals.length, 'row is a total', 'rows are totals')} and no person (${where})`;
      find({ code: 'source-note', message });
    },
  };
}

function cellOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
  return text === '' ? undefined : text;
}

/** The names that the cells may be, alone or side by side. */
function namesOf({ cells }: Candidate): readonly string[] {
  const words = cells.filter((cell) => /\p{L}/u.test(cell));
  const pairs = words.flatMap((one) => words.map((other) => (one === other ? one : `${one} ${other}`)));
  return pairs.flatMap((name) => [foldText(name), foldText(name.split(',').toReversed().join(' ').trim())]);
}

/** Returns which of the names people of this and the last accepted read have. */
async function namesAmong(
  names: ReadonlySet<string>,
  sync: string,
  index: PeopleIndex,
  store: EngineIo['store'],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const see = (name: string): void => void (names.has(name) && found.add(name));
  if (names.size === 0) return found;
  for (let slot = 0; slot < index.size; slot += 1) {
    const person = index.person(slot);
    if (person.kind !== 'person') continue;
    const { firstName = '', lastName = '' } = person.fields;
    see(foldText(`${firstName} ${lastName}`));
    see(foldText(`${lastName} ${firstName}`));
  }
  const header = (await store.directories.list()).find((one) => one.sync === sync);
  for (const pages of chunk(
    Array.from({ length: header?.pages ?? 0 }, (_, page) => page),
    pagesAtOnce,
  )) {
    for (const { rows } of await store.directories.read(sync, pages)) for (const { name } of rows) see(foldText(name));
  }
  return found;
}
