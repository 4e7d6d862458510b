import type { UserSortKey } from '../../platform/table/index.ts';
import type { Account } from './account.ts';

interface Reveal {
  readonly dueAt: number;
  readonly identification: string;
  readonly account: Account | undefined;
}

/** All users: the stored state for writes, and the visible state for reads (the same unless writes become visible late). */
export class UserDirectory {
  readonly #byIdentification = new Map<string, Account>();
  readonly #byId = new Map<number, Account>();
  readonly #removed = new Map<string, Account>();
  readonly #shown = new ShownUsers();
  readonly #lateMs: () => number;
  readonly blacklist = new Set<string>();
  #reveals: Reveal[] = [];
  #lastId = 1000;

  constructor(lateMs: () => number) {
    this.#lateMs = lateMs;
  }

  get all(): ReadonlyMap<string, Account> {
    return this.#byIdentification;
  }

  get(identification: string): Account | undefined {
    return this.#byIdentification.get(identification);
  }

  /** Returns a user as they are, or as they were when they were removed. */
  known(identification: string): Account | undefined {
    return this.#byIdentification.get(identification) ?? this.#removed.get(identification);
  }

  withId(id: number): Account | undefined {
    return this.#byId.get(id);
  }

  /** The user, other than `but`, who has this e-mail. */
  withEmail(email: string, but: Account | undefined): Account | undefined {
    const wanted = email.toLowerCase();
    for (const account of this.#byId.values()) {
      if (account.id !== but?.id && account.fields.email?.toLowerCase() === wanted) return account;
    }
    return undefined;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Replaces `before` by `after`. They are the same user, also with a new identification. */
  replace(before: Account | undefined, after: Account | undefined, at: number): void {
    if (before !== undefined) {
      this.#byIdentification.delete(before.identification);
      this.#byId.delete(before.id);
    }
    if (before !== undefined && after === undefined) {
      this.#removed.set(before.identification, { ...before, enabled: false });
    }
    if (after !== undefined) {
      this.#byIdentification.set(after.identification, after);
      this.#byId.set(after.id, after);
    }
    if (before !== undefined && before.identification !== after?.identification) {
      this.#show(before.identification, undefined, at);
    }
    if (after !== undefined) this.#show(after.identification, after, at);
  }

  read(identification: string, now: number): Account | undefined {
    this.#reveal(now);
    return this.#shown.get(identification);
  }

  find(query: UserQuery, now: number): readonly Account[] {
    this.#reveal(now);
    return this.#shown.find(query);
  }

  #show(identification: string, account: Account | undefined, at: number): void {
    const lateMs = this.#lateMs();
    if (lateMs === 0 && this.#reveals.length === 0) this.#shown.show(identification, account);
    else this.#reveals.push({ dueAt: at + lateMs, identification, account });
  }

  /** Reveals writes in order: a write never becomes visible before an earlier one. */
  #reveal(now: number): void {
    if (this.#reveals.length === 0) return;
    const waiting = this.#reveals.findIndex(({ dueAt }) => dueAt > now);
    const due = waiting === -1 ? this.#reveals : this.#reveals.slice(0, waiting);
    for (const { identification, account } of due) this.#shown.show(identification, account);
    this.#reveals = waiting === -1 ? [] : this.#reveals.slice(waiting);
  }
}

interface UserQuery {
  /** Empty: all users. */
  readonly searchString: string;
  readonly enabledOnly: boolean;
  readonly orderBy: UserSortKey;
  readonly direction: 'ASC' | 'DESC';
}

/** Number of cached query results, which serve the next pages of their listing. */
const keptAnswers = 8;

/** Users as reads and searches see them, with an index per sort key. */
class ShownUsers {
  readonly #byIdentification = new Map<string, Account>();
  readonly #texts = new SearchTexts();
  readonly #indexes: Readonly<Record<UserSortKey, SortedIndex<Account>>>;
  /** Results of the latest queries, until a write. Pages of one listing share them. */
  readonly #answers = new Map<string, readonly Account[]>();

  constructor() {
    const index = (keyOf: (account: Account) => string | number) =>
      new SortedIndex(keyOf, () => this.#byIdentification.values());
    this.#indexes = {
      id: index((account) => account.id),
      firstName: index((account) => (account.fields.firstName ?? '').toLowerCase()),
      lastname: index((account) => (account.fields.lastName ?? '').toLowerCase()),
      email: index((account) => (account.fields.email ?? '').toLowerCase()),
    };
  }

  get(identification: string): Account | undefined {
    return this.#byIdentification.get(identification);
  }

  /** Shows `after` under the identification; undefined removes it. */
  show(identification: string, after: Account | undefined): void {
    const before = this.#byIdentification.get(identification);
    if (after === undefined) this.#byIdentification.delete(identification);
    else this.#byIdentification.set(identification, after);
    this.#texts.replace(before, after);
    for (const index of Object.values(this.#indexes)) index.replace(before, after);
    this.#answers.clear();
  }

  /** Returns all matching users in order. The array is shared and must not be changed. */
  find(query: UserQuery): readonly Account[] {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const found = this.#ordered(query).filter(({ enabled }) => enabled || !query.enabledOnly);
    if (query.direction === 'DESC') found.reverse();
    if (this.#answers.size >= keptAnswers) this.#answers.clear();
    this.#answers.set(key, found);
    return found;
  }

  #ordered({ searchString, orderBy }: UserQuery): Account[] {
    const index = this.#indexes[orderBy];
    return searchString === '' ? index.items() : index.sort(this.#texts.find(searchString));
  }
}

interface Chunk {
  readonly members: Map<number, Account>;
  /** The joined texts of all members. Undefined after a change. */
  joined: string | undefined;
}

const chunkSize = 512;

/**
 * Finds users by a part of their name, identification or e-mail (contract, GET users: `searchString`). Users are kept in
 * chunks whose joined text is searched first: one pass over few long texts instead of one per user.
 */
class SearchTexts {
  readonly #chunks = new Map<number, Chunk>();

  replace(before: Account | undefined, after: Account | undefined): void {
    if (before !== undefined) this.#change(before.id, (members) => members.delete(before.id));
    if (after !== undefined) this.#change(after.id, (members) => members.set(after.id, after));
  }

  /** Returns all users whose text contains the needle, ignoring case and Unicode form. */
  find(searchString: string): Account[] {
    const needle = normalize(searchString);
    const found: Account[] = [];
    for (const chunk of this.#chunks.values()) {
      chunk.joined ??= [...chunk.members.values()].map(textOf).join('\0');
      if (!chunk.joined.includes(needle)) continue;
      for (const account of chunk.members.values()) if (textOf(account).includes(needle)) found.push(account);
    }
    return found;
  }

  #change(id: number, change: (members: Map<number, Account>) => void): void {
    const number = Math.floor(id / chunkSize);
    const chunk = this.#chunks.get(number) ?? { members: new Map(), joined: undefined };
    this.#chunks.set(number, chunk);
    change(chunk.members);
    chunk.joined = undefined;
  }
}

function textOf({ identification, fields }: Account): string {
  const { firstName = '', lastName = '', email = '' } = fields;
  return normalize(`${firstName} ${lastName}\n${identification}\n${email}`);
}

function normalize(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

interface Entry<T> {
  readonly key: string | number;
  readonly item: T;
}

/** With more changes than this between two reads, sorting again is cheaper than moving entries. */
const changesWorthResorting = 2000;

/**
 * Items in order of a key, then of id. The first read sorts them; later changes keep the order, so that a page read
 * never sorts.
 */
class SortedIndex<T extends { readonly id: number }> {
  readonly #keyOf: (item: T) => string | number;
  readonly #all: () => Iterable<T>;
  #entries: Entry<T>[] | undefined;
  #changes = 0;

  /** `all` returns every item whenever the index must be sorted again. */
  constructor(keyOf: (item: T) => string | number, all: () => Iterable<T>) {
    this.#keyOf = keyOf;
    this.#all = all;
  }

  /** Returns every item in order. The caller owns the array. */
  items(): T[] {
    this.#changes = 0;
    this.#entries ??= this.#entriesOf(this.#all());
    return this.#entries.map(({ item }) => item);
  }

  /** Sorts these items in the order of the index. */
  sort(items: readonly T[]): T[] {
    return this.#entriesOf(items).map(({ item }) => item);
  }

  replace(before: T | undefined, after: T | undefined): void {
    if (this.#entries === undefined) return;
    this.#changes += 1;
    if (this.#changes > changesWorthResorting) {
      this.#entries = undefined;
      return;
    }
    if (before !== undefined) {
      const entry = { key: this.#keyOf(before), item: before };
      this.#entries.splice(this.#find(this.#entries, entry), 1);
    }
    if (after !== undefined) {
      const entry = { key: this.#keyOf(after), item: after };
      this.#entries.splice(this.#find(this.#entries, entry), 0, entry);
    }
  }

  #entriesOf(items: Iterable<T>): Entry<T>[] {
    return [...items].map((item) => ({ key: this.#keyOf(item), item })).sort(compareEntries);
  }

  #find(entries: readonly Entry<T>[], wanted: Entry<T>): number {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries[middle];
      if (entry !== undefined && compareEntries(entry, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compareEntries<T extends { readonly id: number }>(a: Entry<T>, b: Entry<T>): number {
  if (a.key < b.key) return -1;
  if (a.key > b.key) return 1;
  return a.item.id - b.item.id;
}
