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

/** Users as reads and searches see them. */
class ShownUsers {
  readonly #byIdentification = new Map<string, Account>();
  readonly #texts = new SearchTexts();
  /** Results of the latest queries, until a write. Pages of one listing share them, so that no page sorts again. */
  readonly #answers = new Map<string, readonly Account[]>();

  get(identification: string): Account | undefined {
    return this.#byIdentification.get(identification);
  }

  /** Shows `after` under the identification; undefined removes it. */
  show(identification: string, after: Account | undefined): void {
    const before = this.#byIdentification.get(identification);
    if (after === undefined) this.#byIdentification.delete(identification);
    else this.#byIdentification.set(identification, after);
    this.#texts.replace(before, after);
    this.#answers.clear();
  }

  /** Returns all matching users in order. The array is shared and must not be changed. */
  find(query: UserQuery): readonly Account[] {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const { searchString, enabledOnly, orderBy, direction } = query;
    const all = searchString === '' ? this.#byIdentification.values() : this.#texts.find(searchString);
    const found = sortedBy(
      orderBy,
      [...all].filter(({ enabled }) => enabled || !enabledOnly),
    );
    if (direction === 'DESC') found.reverse();
    if (this.#answers.size >= keptAnswers) this.#answers.clear();
    this.#answers.set(key, found);
    return found;
  }
}

const sortFields = { firstName: 'firstName', lastname: 'lastName', email: 'email' } as const;

/** Sorts users by a key, then by id. */
function sortedBy(orderBy: UserSortKey, users: readonly Account[]): Account[] {
  if (orderBy === 'id') return users.toSorted((a, b) => a.id - b.id);
  const entries = users.map((user) => ({ key: (user.fields[sortFields[orderBy]] ?? '').toLowerCase(), user }));
  entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.user.id - b.user.id));
  return entries.map(({ user }) => user);
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
