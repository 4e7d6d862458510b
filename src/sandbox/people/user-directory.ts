import type { Account } from './account.ts';
import { ShownUsers, type UserQuery } from './shown-users.ts';

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
