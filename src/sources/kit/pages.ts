import type { SourceRecord } from '../../core/person/person.ts';
import { compileSourcePath, compileVisibility } from '../../core/person/source-path.ts';
import { normalText } from '../../core/person/text.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { BrokenRecord, ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { addDigest, type KeySet, openKeySet } from './key-set.ts';

/** The fields of one record, as the HR system shows them. */
export type Fields = Readonly<Record<string, unknown>>;

export interface TallyRules {
  /** Key of an employment within the source: a path, or a function where several fields form it. */
  readonly key: string | ((fields: Fields) => unknown);
  /** Fields that were requested by name. A field that no record has is reported and holds the run. */
  readonly expected?: readonly string[];
  /** True for a delta or a lookup, which may find no one. */
  readonly mayBeEmpty?: boolean;
  /** Most records of one read. Default: 5 million. */
  readonly maxRecords?: number;
}

/** More records than any company has employees. A longer list has no end. */
const defaultMaxRecords = 5_000_000;

/** Counts the records of a read and decides at its end whether the read is complete. Holds only a hash per person. */
export interface Tally {
  /** Counts a record; undefined: one that is no object. Throws SOURCE_UNAVAILABLE for more records than `maxRecords`. */
  add(fields: Fields | undefined): void;
  /** Adds a reason, without values, why the read is not complete. */
  doubt(reason: string): void;
  /** Adds a reason, without values, why absence proves nothing, although all people were read. */
  unsure(reason: string): void;
  readonly rows: number;
  /**
   * `evidence` is what ended the read. `total`, where the source reports an exact one, must match the people
   * received.
   */
  end(facts: { readonly evidence: string; readonly total?: number | undefined }): ReadEnd;
}

/** Compiles the key of a record as text; undefined where it has none. */
export function compileKeyOf({ key }: TallyRules): (fields: unknown) => string | undefined {
  const read = typeof key === 'string' ? compileSourcePath(key) : key;
  return (fields) => {
    const value = isRecord(fields) ? read(fields) : undefined;
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
}

export function openTally(rules: TallyRules): Tally {
  const { key, expected = [], mayBeEmpty = false, maxRecords = defaultMaxRecords } = rules;
  const keyOf = compileKeyOf(rules);
  const unseen = new Map(expected.map((path) => [path, compileVisibility(path)]));
  const seen = openKeySet();
  const doubts: string[] = [];
  const unsure: string[] = [];
  // The sum of the records' hashes does not depend on their order.
  const sum = new Uint32Array(8);
  let rows = 0;
  let doubles = 0;
  let keyless = 0;
  let formless = 0;

  return {
    add(fields) {
      rows += 1;
      if (rows > maxRecords) throw endless(maxRecords);
      if (fields === undefined) {
        formless += 1;
        return;
      }
      if (unseen.size > 0) for (const [path, isVisible] of unseen) if (isVisible(fields)) unseen.delete(path);
      addDigest(sum, JSON.stringify(fields));
      const value = keyOf(fields);
      if (value === undefined) keyless += 1;
      else if (!seen.add(value)) doubles += 1;
    },
    doubt(reason) {
      if (!doubts.includes(reason)) doubts.push(reason);
    },
    unsure(reason) {
      if (!unsure.includes(reason)) unsure.push(reason);
    },
    get rows() {
      return rows;
    },
    end({ evidence, total }) {
      const reasons = [...doubts];
      if (rows === 0 && !mayBeEmpty)
        reasons.push(
          'the source returned no records, which is treated as a fault: check the permissions of its account, and the filters',
        );
      if (doubles > 0) {
        const who = countOf(doubles, 'record was returned', 'records were returned');
        reasons.push(`${who} twice: people moved between pages, so another person may be missing`);
      }
      const unnamed = `${countOf(keyless, 'record has', 'records have')} no ${typeof key === 'string' ? key : 'key'}`;
      // Nothing would show a person who is missing. One of many that has none is trouble of that one.
      if (keyless > 0 && keyless === rows - formless) reasons.push(unnamed);
      if (rows > 0 && formless === rows) reasons.push(`each of its ${rows} records is not an object`);
      if (total !== undefined && total !== rows - doubles) {
        reasons.push(`the source reports a total of ${total}, but returned ${rows - doubles}`);
      }
      // A delta without records says nothing about fields.
      const more = rows === 0 || unseen.size === 0 ? {} : { notReturned: [...unseen.keys()] };
      if (reasons.length > 0) return { complete: false, rows, reasons, ...more };
      const stamp = Buffer.from(sum.buffer).toString('base64url');
      const told = keyless > 0 ? [...unsure, unnamed] : unsure;
      return {
        complete: true,
        rows,
        evidence,
        stamp,
        asOf: 'read',
        ...more,
        ...(told.length > 0 ? { doubts: told } : {}),
      };
    },
  };
}

function endless(maxRecords: number): RollcallError {
  const message =
    `the source has returned more than ${maxRecords} records and still more follow: its list does not end. Check the ` +
    'paging of the source, and its filters';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
}

/** Reads a count from an answer, a number or text. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/**
 * Returns the doubt about a count that is there and is no count, which may be the sign of an answer in trouble. A count
 * that is absent or null is none. `name`: where the answer has it.
 */
export function countDoubts(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null || countIn(value) !== undefined) return [];
  return [`${name} is not a whole number, so it does not show how many people there are`];
}

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

/**
 * Returns which records a point read requests, by a text field, ignoring white space and case. The engine checks
 * case. Undefined for the other reads, which request every record.
 */
export function acceptsOnly(request: ReadRequest): ((fields: Fields) => boolean) | undefined {
  if (request.kind !== 'point') return undefined;
  const read = compileSourcePath(request.field);
  const wanted = new Set(request.identifications.map(plain));
  return (fields) => wanted.has(plain(read(fields)));
}

function plain(value: unknown): string {
  return normalText(String(value ?? '')).toLowerCase();
}
