import { TextHash } from '../../core/person/text.ts';
import type { User } from '../../core/person/user.ts';
import type { OpenSpool, Spool } from '../../ports/spool.ts';
import { HashIndex } from '../read/hash-index.ts';

/** Number of users that are kept in memory. Further ones go to a scratch file. */
const keptInMemory = 2000;

/**
 * Keeps the wanted users of a directory scan. Memory depends on the number of wanted identifications, not on the
 * records. Close it after use.
 */
export class FoundUsers {
  /** Number of users that are kept. */
  size = 0;
  readonly #openSpool: OpenSpool;
  readonly #slots = new HashIndex();
  readonly #hash = new TextHash();
  #wanted = 0;
  /** By slot: the place of the first user, plus one. 0: no user was seen. */
  #first = new Float64Array(1024);
  /** By slot: the places of further users with the same identification, or with the same hash. */
  readonly #others = new Map<number, number[]>();
  readonly #near: User[] = [];
  #far: Spool | undefined;

  constructor(openSpool: OpenSpool) {
    this.#openSpool = openSpool;
  }

  want(identification: string): void {
    const { hi, lo } = this.#hash.of(identification);
    if (this.#slots.get(hi, lo) !== -1) return;
    if (this.#wanted === this.#first.length) {
      const longer = new Float64Array(this.#first.length * 2);
      longer.set(this.#first);
      this.#first = longer;
    }
    this.#slots.add(hi, lo, this.#wanted);
    this.#wanted += 1;
  }

  /** Keeps the user if its identification is wanted. */
  see(user: User): void {
    const slot = this.#slotOf(user.identification);
    if (slot === -1) return;
    const place = this.#keep(user) + 1;
    this.size += 1;
    if (this.#first[slot] === 0) this.#first[slot] = place;
    else this.#others.set(slot, [...(this.#others.get(slot) ?? []), place]);
  }

  /** Returns the users with this identification, in order of the scan. */
  claimants(identification: string): User[] {
    const slot = this.#slotOf(identification);
    const first = slot === -1 ? 0 : (this.#first[slot] ?? 0);
    if (first === 0) return [];
    const users = [first, ...(this.#others.get(slot) ?? [])].map((place) => this.#read(place - 1));
    return users.filter((user) => user.identification === identification);
  }

  close(): void {
    this.#far?.close();
  }

  #slotOf(identification: string): number {
    const { hi, lo } = this.#hash.of(identification);
    return this.#slots.get(hi, lo);
  }

  #keep(user: User): number {
    if (this.#near.length < keptInMemory) return this.#near.push(user) - 1;
    this.#far ??= this.#openSpool();
    return keptInMemory + this.#far.append(JSON.stringify(user));
  }

  #read(place: number): User {
    const near = this.#near[place];
    if (near !== undefined) return near;
    return JSON.parse(this.#far?.read(place - keptInMemory) ?? '') as User;
  }
}
