import type { SourceRecord } from '../core/person.ts';
import type { ReadEnd } from '../core/snapshot.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../ports/source.ts';
import { type KeySet, openKeySet } from './key-set.ts';
import { openTally, type Tally, type TallyRules } from './tally.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One page as the HR system gave it, and what comes after it. */
export interface Page<P> {
  readonly people: readonly Fields[];
  /** How many people there are, where the source says so and means it. Pages that differ in it make the read incomplete. */
  readonly total?: number | undefined;
  /** What makes the whole read incomplete, in words and without values. */
  readonly doubts?: readonly string[] | undefined;
  readonly next: NextPage<P>;
}

export type NextPage<P> =
  /** The source itself says that this was the last page: `why` is the evidence, `no next cursor`. */
  | { readonly kind: 'end'; readonly why: string }
  /** `id` tells places apart: a cursor or address that comes twice is a circle. */
  | { readonly kind: 'more'; readonly place: P; readonly id: string }
  /** It looks like the last page (short, or empty): one more is asked for, which must be empty. */
  | { readonly kind: 'perhaps-end'; readonly place: P; readonly id: string };

export interface PagedRead<P> extends TallyRules {
  readonly first: P;
  /** Reads one page. `number` begins with 1. */
  page(place: P, number: number): Promise<Page<P>>;
  /** A point read: which of the people are meant. Those that are not are counted, and not given. */
  readonly accepts?: ((fields: Fields) => boolean) | undefined;
}

/** Empty pages in a row that a source may give while it says that more follow; one that always does has no end. */
const maxEmptyPages = 100;

/** Records given at a time, whatever the page size of the HR system. */
export const recordsAtOnce = 500;

/**
 * Reads page after page and judges the whole: circles, repeated pages, people who came twice, totals that do not fit make
 * the read incomplete, with all that came still given. Holds one page in memory.
 */
export async function* readPages<P>(read: PagedRead<P>, io: SourceIo): AsyncGenerator<SourcePage, ReadEnd> {
  const tally = openTally(read);
  const places = openKeySet();
  const firsts = openKeySet();
  let place = read.first;
  let isProbe = false;
  let lastTotal: number | undefined;
  let emptyPages = 0;
  for (let number = 1; ; number++) {
    io.signal.throwIfAborted();
    const { people, total = lastTotal, doubts = [], next } = await read.page(place, number);
    if (lastTotal !== undefined && total !== lastTotal) {
      tally.doubt('the total changed between two pages: people came or went, so somebody may have slipped through');
    }
    lastTotal = total;
    for (const doubt of doubts) tally.doubt(doubt);
    const doubt = circleDoubt(people, firsts, number);
    if (doubt !== undefined) {
      tally.doubt(doubt);
      return tally.end({ evidence: '' });
    }
    yield* given(people, number, tally, read, io);
    if (next.kind === 'end') return tally.end({ evidence: `${next.why}, after ${tally.rows} people`, total });
    if (people.length === 0 && (isProbe || next.kind === 'perhaps-end')) {
      return tally.end({ evidence: `an empty page after ${tally.rows} people`, total });
    }
    emptyPages = people.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages >= maxEmptyPages) {
      tally.doubt(`${emptyPages} empty pages in a row each said that more people follow`);
      return tally.end({ evidence: '' });
    }
    if (!places.add(next.id)) {
      tally.doubt(`page ${number} leads back to a page that was read before`);
      return tally.end({ evidence: '' });
    }
    isProbe = next.kind === 'perhaps-end';
    place = next.place;
  }
}

/** Gives people in bounded portions, each with its place. For reads that are not paged, too. */
export async function* given(
  people: readonly Fields[],
  page: number,
  tally: Tally,
  { accepts }: Pick<PagedRead<unknown>, 'accepts'>,
  io: SourceIo,
): AsyncGenerator<SourcePage, void> {
  let records: SourceRecord[] = [];
  for (const [index, fields] of people.entries()) {
    tally.add(fields);
    if (accepts !== undefined && !accepts(fields)) continue;
    records.push({ at: `page ${page} item ${index + 1}`, fields });
    if (records.length < recordsAtOnce) continue;
    yield { records, broken: [] };
    io.signal.throwIfAborted();
    records = [];
  }
  if (records.length > 0) yield { records, broken: [] };
}

/** The same for one answer that holds everybody, whose people come as its bytes do. `word` places them: `row 12`. */
export async function* givenAsTheyCome(
  chunks: AsyncIterable<readonly Fields[]>,
  word: string,
  tally: Tally,
  { accepts, shape }: Pick<PagedRead<unknown>, 'accepts'> & { readonly shape: (found: Fields) => Fields },
  io: SourceIo,
): AsyncGenerator<SourcePage, void> {
  let records: SourceRecord[] = [];
  for await (const chunk of chunks) {
    for (const found of chunk) {
      const fields = shape(found);
      tally.add(fields);
      if (accepts === undefined || accepts(fields)) records.push({ at: `${word} ${tally.rows}`, fields });
      if (records.length < recordsAtOnce) continue;
      yield { records, broken: [] };
      io.signal.throwIfAborted();
      records = [];
    }
  }
  if (records.length > 0) yield { records, broken: [] };
  io.signal.throwIfAborted();
}

/** A page that begins with the same person as an earlier one: the server ignores where it should go on. */
function circleDoubt(people: readonly Fields[], firsts: KeySet, number: number): string | undefined {
  const first = people[0];
  if (first === undefined) return undefined;
  return firsts.add(JSON.stringify(first)) ? undefined : `page ${number} is a page that was read before`;
}

/** Which people a point read means: their field, as text, white space and case aside (the engine judges case). */
export function acceptsOnly(
  request: Exclude<ReadRequest, { kind: 'delta' }>,
  read: (fields: Fields) => unknown,
): ((fields: Fields) => boolean) | undefined {
  if (request.kind === 'full') return undefined;
  const wanted = new Set(request.identifications.map(plain));
  return (fields) => wanted.has(plain(read(fields)));
}

function plain(value: unknown): string {
  return String(value ?? '')
    .normalize('NFC')
    .trim()
    .toLowerCase();
}
