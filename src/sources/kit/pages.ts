import type { SourceRecord } from '../../core/person/person.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { BrokenRecord, ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { type KeySet, openKeySet } from './key-set.ts';
import { acceptsOnly } from './kind.ts';
import type { Fields } from './tally.ts';
import { openTally, type Tally, type TallyRules } from './tally.ts';

/** One page of the HR system, and where the next one is. */
export interface Page<P> {
  /** What the list has. One that is no object is a broken record, and stops no other. */
  readonly people: readonly unknown[];
  /** Exact number of people, where the source reports it. If it changes between pages, the read is incomplete. */
  readonly total?: number | undefined;
  /** Reasons that make the whole read incomplete, without values. */
  readonly doubts?: readonly string[] | undefined;
  /** Reasons for which no person counts as missing, although all people were read. */
  readonly unsure?: readonly string[];
  readonly next: NextPage<P>;
}

export type NextPage<P> =
  /** The source reports that this was the last page. `why` is the evidence: `no next cursor`. */
  | { readonly kind: 'end'; readonly why: string }
  /** `id` identifies the place. A cursor or address that occurs twice is a loop. */
  | { readonly kind: 'more'; readonly place: P; readonly id: string }
  /** The page looks like the last one (short or empty). One more page is requested and must be empty. */
  | { readonly kind: 'perhaps-end'; readonly place: P; readonly id: string };

export interface PagedRead<P> extends TallyRules {
  readonly first: P;
  /** Reads one page. `number` starts at 1. */
  page(place: P, number: number): Promise<Page<P>>;
  /** Builds a record of what a page has. Absent: it is the record. */
  readonly shape?: ((found: Fields) => Fields) | undefined;
  /** For a point read: whether a record is one of the requested people. Others are counted but not returned. */
  readonly accepts?: ((fields: Fields) => boolean) | undefined;
}

/** Consecutive empty pages accepted while the source reports more. A source that always does so never ends. */
const maxEmptyPages = 100;

/** Records per portion, whatever the page size of the HR system. */
const recordsAtOnce = 500;

/**
 * Reads page after page and judges the whole. Loops, repeated pages, repeated people and totals that do not match
 * make the read incomplete; every record is still returned. Holds one page in memory.
 */
export async function* readPages<P>(read: PagedRead<P>, io: SourceIo): AsyncGenerator<SourcePage, ReadEnd> {
  const tally = openTally(read);
  const places = openKeySet();
  const firsts = openKeySet();
  let place = read.first;
  let lastTotal: number | undefined;
  let emptyPages = 0;
  for (let number = 1; ; number++) {
    io.signal.throwIfAborted();
    const { people, total = lastTotal, doubts = [], unsure = [], next } = await read.page(place, number);
    if (lastTotal !== undefined && total !== lastTotal) {
      tally.doubt('the total changed between two pages, so a person may be missing');
    }
    lastTotal = total;
    for (const doubt of doubts) tally.doubt(doubt);
    for (const reason of unsure) tally.unsure(reason);
    const doubt = circleDoubt(people, firsts, number);
    if (doubt !== undefined) {
      tally.doubt(doubt);
      return tally.end({ evidence: '' });
    }
    const { shape, accepts } = read;
    yield* inPortions([people], { tally, io, shape, accepts, at: (n) => `page ${number} item ${n}` });
    if (next.kind === 'end')
      return tally.end({ evidence: `${next.why}, after ${countOf(tally.rows, 'person', 'people')}`, total });
    if (people.length === 0 && next.kind === 'perhaps-end') {
      return tally.end({ evidence: `an empty page after ${countOf(tally.rows, 'person', 'people')}`, total });
    }
    emptyPages = people.length === 0 ? emptyPages + 1 : 0;
    // Lookups, and reads of changes, of several lists: one after the other may have no one.
    if (emptyPages > 0 && total === undefined && read.mayBeEmpty !== true)
      tally.doubt('a page was empty, although the answer says that more people follow');
    if (emptyPages >= maxEmptyPages) {
      tally.doubt(`${emptyPages} empty pages in a row reported that more people follow`);
      return tally.end({ evidence: '' });
    }
    if (!places.add(next.id)) {
      tally.doubt(`page ${number} leads back to a page that was already read`);
      return tally.end({ evidence: '' });
    }
    place = next.place;
  }
}

/** Returns the rules of a read. Only a full read must find people, and show each of `fields` for one of them. */
export function rulesOf(
  request: ReadRequest,
  key: TallyRules['key'],
  fields: readonly string[],
): TallyRules & Pick<PagedRead<unknown>, 'accepts'> {
  const isFull = request.kind === 'full';
  return { key, expected: isFull ? fields : [], mayBeEmpty: !isFull, accepts: acceptsOnly(request) };
}

/** How found people become records. */
export interface RecordMaking extends Pick<PagedRead<unknown>, 'accepts' | 'shape'> {
  /** Absent: the caller knows how many there are. */
  readonly tally?: Tally;
  readonly io: SourceIo;
  /** Names the place of the n-th person, from 1: `row 12`. */
  readonly at: (n: number) => string;
}

/** Returns people in bounded portions, each with its place. */
export async function* inPortions(
  chunks: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
  { tally, io, at, shape, accepts }: RecordMaking,
): AsyncGenerator<SourcePage, void> {
  let records: SourceRecord[] = [];
  let broken: BrokenRecord[] = [];
  let n = 0;
  for await (const chunk of chunks) {
    for (const found of chunk) {
      n += 1;
      const fields = !isRecord(found) || shape === undefined ? found : shape(found);
      tally?.add(isRecord(fields) ? fields : undefined);
      if (!isRecord(fields)) broken.push({ at: at(n), reason: 'it is no object' });
      else if (accepts === undefined || accepts(fields)) records.push({ at: at(n), fields });
      if (records.length + broken.length < recordsAtOnce) continue;
      yield { records, broken };
      io.signal.throwIfAborted();
      records = [];
      broken = [];
    }
  }
  if (records.length + broken.length > 0) yield { records, broken };
  io.signal.throwIfAborted();
}

/** Detects a page that starts with the same person as an earlier one, because the server ignores the cursor. */
function circleDoubt(people: readonly unknown[], firsts: KeySet, number: number): string | undefined {
  const first = people.find(isRecord);
  if (first === undefined) return undefined;
  return firsts.add(JSON.stringify(first)) ? undefined : `page ${number} repeats a page that was already read`;
}
