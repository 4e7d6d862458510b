import { lookAlikeKey } from '../person/identification.ts';
import { TextHash } from '../person/text.ts';

/**
 * The roster of a sync holds what its last accepted complete full read showed about each person, as hashes. Point
 * reads, deltas and other syncs of the connection use it to find who claims an e-mail and who is listed. Entries are
 * stored in pages by the high bits of their key, so that a lookup loads one small page.
 */

/** The standing of a person in that read. `other`: hired for later, refused, or without a usable status. */
export type RosterStanding = 'active' | 'leaver' | 'out-of-scope' | 'other';

export interface RosterHeader {
  readonly sync: string;
  readonly run: string;
  /** The start of the read (epoch ms). */
  readonly at: number;
  /** Fingerprint of the sync's settings at that time, because another mapping gives other people. */
  readonly fingerprint: string;
  /** Added to every hash, so that rosters of two stores cannot be compared. */
  readonly salt: string;
  readonly rows: number;
  /** Number of pages per part, a power of two. */
  readonly pages: Readonly<Record<RosterPart, number>>;
}

export type RosterPart = 'people' | 'emails';

export interface RosterPage {
  readonly part: RosterPart;
  readonly page: number;
  readonly data: Int32Array<ArrayBuffer>;
}

/** One person of a roster. `key` identifies the person in `claims`. */
export interface RosterEntry {
  readonly standing: RosterStanding;
  /** The last day of work that the read showed, if any. */
  readonly leaves?: string;
  /** False: the roster has the identification in other case, or one that looks like it. */
  readonly isExact: boolean;
  /** The person may work here, and the sync could not decide about them: in that read, or in the one before. */
  readonly undecided?: Undecided;
}

export interface Undecided {
  readonly now: boolean;
  readonly before: boolean;
}

export interface Roster extends RosterHeader {
  /**
   * Returns the entries of these people and of their look-alikes, by identification as given. An identification that no
   * record had is absent. A person who looks like plain text without being it has two entries.
   */
  people(identifications: readonly string[]): Promise<ReadonlyMap<string, readonly RosterEntry[]>>;
  /** Returns the keys (`keyOf`) of the active people in scope with these e-mails, by e-mail as given. */
  claims(emails: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  keyOf(identification: string): string;
  /** Yields the entries of all people, or of these and of whom has the same key, as the numbers that are stored. */
  entries(of: 'all' | readonly string[]): AsyncGenerator<Int32Array, void>;
}

const standings: readonly RosterStanding[] = ['active', 'leaver', 'out-of-scope', 'other'];
/** Numbers per entry, 32 bits each: key (high, low), then exact hash and standing, or the claimant's key. */
export const rosterWidth = 4;
const entriesPerPage = 2048;

/** What an entry holds besides the identification and the standing. */
interface RosterFacts {
  /** See `leaveDayOf`. */
  readonly leaveDay?: number;
  readonly undecided?: Undecided;
  /** See `accountMark`. */
  readonly enabledAccount?: number;
}

/**
 * Two bits of standing, 20 bits of the last day of work, a bit each for who is undecided and who was, then a byte of the
 * account that was seen enabled.
 */
export function standingCode(
  standing: RosterStanding,
  { leaveDay = 0, undecided, enabledAccount = 0 }: RosterFacts = {},
): number {
  const bits = (undecided?.now === true ? undecidedBit : 0) | (undecided?.before === true ? undecidedBit << 1 : 0);
  return standings.indexOf(standing) | (leaveDay << 2) | bits | (enabledAccount << 24);
}

/** Returns the byte of the account that was seen enabled, and whether the sync could not decide about the person. */
export function recalledFrom(code: number): { readonly enabledAccount: number; readonly isUndecided: boolean } {
  return { enabledAccount: code >>> 24, isUndecided: (code & undecidedBit) !== 0 };
}

/** Returns a byte of the account's id, from its hash: 1 to 255. A re-created account mostly has another one. */
export function accountMark(hashed: number): number {
  return 1 + ((hashed >>> 0) % 255);
}

/** What a full read said of a person, for questions about the past. `absent`: no record named the person. */
export type PastStanding = RosterStanding | 'undecided' | 'absent';

/** Returns it from the number that `standingCode` made; undefined: the roster has no such entry. */
export function pastStanding(code: number | undefined): PastStanding {
  if (code === undefined) return 'absent';
  return (code & undecidedBit) !== 0 ? 'undecided' : (standings[code & 3] ?? 'other');
}

/** A day of the year 4770: no employee leaves later. */
const maxLeaveDay = 2 ** 20 - 1;
const undecidedBit = 1 << 22;
const pagesAtOnce = 64;

const dayMs = 86_400_000;
const firstDay = Date.UTC(1900, 0, 1) / dayMs;

/** Returns the number of a plain date: days since 1899-12-31; 0 for none. */
export function leaveDayOf(leaves: string | undefined): number {
  return leaves === undefined ? 0 : Math.min(Date.parse(leaves) / dayMs - firstDay + 1, maxLeaveDay);
}

/** Returns the hash function of a roster with this salt: identifications and e-mails compare without case. */
export function saltedHash(salt: string): TextHash {
  return new TextHash(salt);
}

/** Collects entries of one part, four numbers each, without an object for any of them. */
export class RosterEntries {
  #numbers: Int32Array<ArrayBuffer>;
  #length = 0;

  /** @param expected number of entries; more are possible */
  constructor(expected: number) {
    this.#numbers = new Int32Array(Math.max(1, expected) * rosterWidth);
  }

  /** Adds one entry: its key (high, low), then exact hash and standing, or the claimant's key. */
  add(hi: number, lo: number, third: number, fourth: number): void {
    const at = this.#length;
    if (at === this.#numbers.length) {
      this.#numbers = new Int32Array(this.#numbers.buffer.transfer(at * 2 * this.#numbers.BYTES_PER_ELEMENT));
    }
    const numbers = this.#numbers;
    numbers[at] = hi;
    numbers[at + 1] = lo;
    numbers[at + 2] = third;
    numbers[at + 3] = fourth;
    this.#length = at + rosterWidth;
  }

  /** Returns the numbers of all entries, in order of adding. */
  all(): Int32Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length);
  }
}

/** Sorts entries (four numbers each) into pages by the high bits of their keys. */
export function packRoster(part: RosterPart, entries: Int32Array<ArrayBuffer>): RosterPage[] {
  return intoPages(entries, entriesPerPage).map((data, page) => ({ part, page, data }));
}

/** Sorts entries into about as many pages as `perPage` asks for. Their number is a power of two. */
export function intoPages(entries: Int32Array<ArrayBuffer>, perPage: number): Int32Array<ArrayBuffer>[] {
  const count = entries.length / rosterWidth;
  const pages = 2 ** Math.max(0, Math.ceil(Math.log2(count / perPage)));
  const pageOfKey = pager(pages);
  const sizes = new Int32Array(pages);
  for (let from = 0; from < entries.length; from += rosterWidth) {
    const page = pageOfKey(entries[from] as number);
    sizes[page] = (sizes[page] as number) + 1;
  }
  const starts = new Int32Array(pages);
  for (let page = 1; page < pages; page += 1) {
    starts[page] = (starts[page - 1] as number) + (sizes[page - 1] as number) * rosterWidth;
  }
  // Each number is copied alone: a subarray for each entry takes three times as long.
  const sorted = new Int32Array(entries.length);
  const next = starts.slice();
  for (let from = 0; from < entries.length; from += rosterWidth) {
    const page = pageOfKey(entries[from] as number);
    const to = next[page] as number;
    next[page] = to + rosterWidth;
    for (let i = 0; i < rosterWidth; i += 1) sorted[to + i] = entries[from + i] as number;
  }
  return Array.from(starts, (start, page) => {
    return sorted.subarray(start, start + (sizes[page] as number) * rosterWidth);
  });
}

/** Returns the function that finds the page of a key's high half. */
export function pager(pages: number): (hi: number) => number {
  const shift = 32 - Math.log2(pages);
  return pages === 1 ? () => 0 : (hi) => hi >>> shift;
}

function undecidedOf(code: number): Pick<RosterEntry, 'undecided'> {
  const [now, before] = [(code & undecidedBit) !== 0, (code & (undecidedBit << 1)) !== 0];
  return now || before ? { undecided: { now, before } } : {};
}

function leaveDateOf(day: number): Pick<RosterEntry, 'leaves'> {
  return day === 0 ? {} : { leaves: new Date((day - 1 + firstDay) * dayMs).toISOString().slice(0, 10) };
}

/** Opens a roster over its stored pages. `load` returns the pages with these numbers, in any order. */
export function openRoster(
  header: RosterHeader,
  load: (part: RosterPart, pages: readonly number[]) => Promise<readonly RosterPage[]>,
): Roster {
  const hash = saltedHash(header.salt);
  /** Finds for each text the entries with its key. */
  const find = async (part: RosterPart, texts: readonly string[]): Promise<Map<string, Int32Array[]>> => {
    const total = header.pages[part];
    const pageOfKey = pager(total);
    const wanted = texts.map((text) => {
      const { hi, lo } = hash.of(text.toLowerCase());
      return { text, hi, lo, page: pageOfKey(hi) };
    });
    const loaded = await load(part, [...new Set(wanted.map(({ page }) => page))]);
    const byPage = new Map(loaded.map(({ page, data }) => [page, data]));
    const found = new Map<string, Int32Array[]>();
    for (const { text, hi, lo, page } of wanted) {
      const data = byPage.get(page) ?? new Int32Array();
      for (let at = 0; at < data.length; at += rosterWidth) {
        if (data[at] !== hi || data[at + 1] !== lo) continue;
        found.set(text, [...(found.get(text) ?? []), data.subarray(at, at + rosterWidth)]);
      }
    }
    return found;
  };
  const keyOf = (identification: string): string => {
    const { hi, lo } = hash.of(identification.toLowerCase());
    return `${hi} ${lo}`;
  };
  return {
    ...header,
    keyOf,
    async *entries(of) {
      if (of !== 'all') {
        for (const entries of (await find('people', of)).values()) yield* entries;
        return;
      }
      for (let from = 0; from < header.pages.people; from += pagesAtOnce) {
        const length = Math.min(pagesAtOnce, header.pages.people - from);
        for (const { data } of await load(
          'people',
          Array.from({ length }, (_, i) => from + i),
        ))
          yield data;
      }
    },
    async people(identifications) {
      const found = await find('people', identifications);
      const alike = identifications.filter((name) => lookAlikeKey(name) !== name.toLowerCase());
      const byKey = alike.length === 0 ? found : await find('people', alike.map(lookAlikeKey));
      for (const name of alike) {
        const entries = [...(found.get(name) ?? []), ...(byKey.get(lookAlikeKey(name)) ?? [])];
        if (entries.length > 0) found.set(name, entries);
      }
      const toEntry = (name: string, entry: Int32Array): RosterEntry => ({
        standing: standings[(entry[3] as number) & 3] ?? 'other',
        isExact: entry[2] === hash.of(name).hi,
        ...leaveDateOf(((entry[3] as number) >>> 2) & maxLeaveDay),
        ...undecidedOf(entry[3] as number),
      });
      return new Map([...found].map(([name, entries]) => [name, entries.map((entry) => toEntry(name, entry))]));
    },
    async claims(emails) {
      const found = await find('emails', emails);
      return new Map([...found].map(([email, entries]) => [email, entries.map((entry) => `${entry[2]} ${entry[3]}`)]));
    },
  };
}
