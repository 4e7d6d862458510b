import { type FieldName, type FieldValues, fieldTraits, type User } from '../../core/person/fields.ts';
import { lookAlikeKey } from '../../core/person/identification.ts';
import type { EarlierPerson, Person, RejectedPerson } from '../../core/person/person.ts';
import { TextHash } from '../../core/person/text.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import {
  accountMark,
  leaveDayOf,
  RosterEntries,
  type RosterPart,
  type RosterStanding,
  recalledFrom,
  rosterWidth,
  standingCode,
} from '../../core/plan/roster.ts';
import { given } from '../../core/run/given.ts';
import type { MappingSettings, WriteRule } from '../../core/run/settings.ts';
import type { Spool } from '../../ports/runtime.ts';
import { HashIndex, lengthened, powerAbove } from './hash-index.ts';
import { mark } from './marks.ts';
import { type Absent, createPersonText } from './person-text.ts';

/** What a directory shows of a person besides the fields. */
const shownMarks = mark.active | mark.leaver | mark.outOfScope | mark.seen | mark.enabled | mark.stranger;

/** Where a field's bit lies in `#given`. */
interface Place {
  readonly name: FieldName;
  readonly isReadable: boolean;
  readonly write: WriteRule | undefined;
  readonly word: number;
  readonly bit: number;
}

/** People of the source who get no change and are not blocked: with an account, outside the scope, or without one. */
export type QuietCounts = Record<'unchanged' | 'outOfScope' | 'noAccount', number>;

export const noQuiet: Readonly<QuietCounts> = { unchanged: 0, outOfScope: 0, noAccount: 0 };

/** Counts a person of the source who gets no change. The platform was read before. */
export function countQuiet(counts: QuietCounts, index: PeopleIndex, slot: number): void {
  if (index.has(slot, mark.outOfScope)) counts.outOfScope += 1;
  else if (index.has(slot, mark.seen)) counts.unchanged += 1;
  else counts.noAccount += 1;
}

/** Whether the value on the platform, or in the ledger, is compared with the wanted one, whatever it is. */
function isCompared({ write }: Place): boolean {
  return write === undefined || write === 'keepLocalEdits';
}

/** Whether the ledger stores the field. */
function isTracked({ isReadable, write }: Place): boolean {
  return !isReadable || write === 'keepLocalEdits';
}

/**
 * All people that source or ledger name, one slot each, found by identification (without case, and by look-alikes:
 * people who differ only by that share a slot and are a conflict). A slot holds hashes and a place in the spool, never
 * a record.
 */
export class PeopleIndex {
  readonly #byIdentification = new HashIndex();
  /** Slots by the key of what they look like, where that is not their lower case. Made for the first of them. */
  #byLook: HashIndex | undefined;
  readonly #byEmail = new HashIndex();
  readonly #hash: TextHash;
  /** E-mails that a second person claims: key (high, low) and slot, three numbers each. */
  readonly #sharedEmails: number[] = [];
  readonly #hiddenHash: TextHash;
  readonly #otherHash: TextHash;
  readonly #spool: Spool;
  readonly #text = createPersonText();
  readonly #readable: readonly Place[];
  /** Those of which the person tells how the platform shows them. */
  readonly #shown: ReadonlyMap<FieldName, Place>;
  /** What the ledger is to have as wanted. */
  readonly #known: readonly Place[];
  /** Fields that are written only where there is no value. */
  readonly #ifEmpty: readonly Place[];
  readonly #all: readonly Place[];
  /** Which mapped fields each person gives, a bit a field, 32 fields an array. */
  readonly #given: Int32Array<ArrayBuffer>[];
  #marks = new Uint32Array(1024);
  #exact = new Int32Array(1024);
  #readableHi = new Int32Array(1024);
  #readableLo = new Int32Array(1024);
  #hiddenHi = new Int32Array(1024);
  #hiddenLo = new Int32Array(1024);
  /** Hashes of the fields about which no comparison of hashes can decide. */
  #otherHi: Int32Array<ArrayBuffer>;
  #account = new Int32Array(1024);
  /** See `accountMark`: of the account that this or an earlier accepted read saw enabled; 0 for none. */
  #enabled = new Uint8Array(1024);
  #leaves = new Int32Array(1024);
  #place = new Float64Array(1024);
  #size = 0;

  /** `fields`: every field that the mapping names. `salt`: the roster's, whose hashes these become. */
  constructor(spool: Spool, fields: readonly FieldName[], salt = '', rules: MappingSettings['fields'] = {}) {
    this.#spool = spool;
    this.#hash = new TextHash(salt);
    this.#hiddenHash = new TextHash(salt);
    this.#otherHash = new TextHash(salt);
    const places = fields.map((name, i) => {
      const { isReadable } = fieldTraits(name);
      return { name, isReadable, write: rules[name]?.write, word: i >> 5, bit: 1 << (i & 31) };
    });
    this.#all = places;
    this.#readable = places.filter((place) => place.isReadable && isCompared(place));
    this.#shown = new Map(this.#readable.filter(({ name }) => name !== 'email').map((place) => [place.name, place]));
    this.#known = places.filter((place) => isTracked(place) && isCompared(place));
    this.#ifEmpty = places.filter(({ write }) => write === 'ifEmpty');
    this.#otherHi = new Int32Array(places.every(isCompared) ? 0 : 1024);
    this.#given = Array.from({ length: Math.ceil(fields.length / 32) }, () => new Int32Array(1024));
  }

  get size(): number {
    return this.#size;
  }

  has(slot: number, bits: number): boolean {
    return ((this.#marks[slot] as number) & bits) === bits;
  }

  hasAny(slot: number, bits: number): boolean {
    return ((this.#marks[slot] as number) & bits) !== 0;
  }

  set(slot: number, bits: number): void {
    this.#marks[slot] = (this.#marks[slot] as number) | bits;
  }

  clear(slot: number, bits: number): void {
    this.#marks[slot] = (this.#marks[slot] as number) & ~bits;
  }

  /** The slot of an identification, or -1. `isExact` is false when they differ by case or are look-alikes. */
  find(identification: string): { slot: number; isExact: boolean } {
    const lower = identification.toLowerCase();
    const { hi, lo } = this.#hash.of(lower);
    const slot = this.#byIdentification.get(hi, lo);
    if (slot === -1) return { slot: this.#findLookAlike(identification, lower), isExact: false };
    return { slot, isExact: this.#exact[slot] === this.#hash.of(identification).hi };
  }

  #findLookAlike(identification: string, lower: string): number {
    const key = lookAlikeKey(identification);
    if (key === lower && this.#byLook === undefined) return -1;
    const { hi, lo } = this.#hash.of(key);
    const slot = key === lower ? -1 : this.#byIdentification.get(hi, lo);
    return slot === -1 && this.#byLook !== undefined ? this.#byLook.get(hi, lo) : slot;
  }

  /** Whether a slot has this key of a roster with the same salt. */
  hasKey(key: string): boolean {
    const [hi = 0, lo = 0] = key.split(' ').map(Number);
    return this.#byIdentification.get(hi, lo) !== -1;
  }

  /** Adds an identification that `find` did not find. */
  add(identification: string): number {
    const lower = identification.toLowerCase();
    const { hi, lo } = this.#hash.of(lower);
    if (this.#size === this.#marks.length) this.#grow();
    const slot = this.#size;
    this.#size += 1;
    this.#byIdentification.add(hi, lo, slot);
    const key = lookAlikeKey(identification);
    if (key !== lower) {
      const look = this.#hash.of(key);
      this.#byLook ??= new HashIndex();
      this.#byLook.add(look.hi, look.lo, slot);
    }
    this.#exact[slot] = this.#hash.of(identification).hi;
    return slot;
  }

  /** Stores what the source says of the slot's person. Replaces what an earlier record said. */
  fill(slot: number, person: Person | RejectedPerson): void {
    this.#place[slot] = this.#spool.append(this.#text.write(person));
    for (const given of this.#given) given[slot] = 0;
    this.#leaves[slot] = person.kind === 'person' ? leaveDayOf(person.leaves) : 0;
    if (person.kind !== 'person') return;
    const readable = this.#hash.begin();
    const hidden = this.#hiddenHash.begin();
    const other = this.#otherHi.length === 0 ? undefined : this.#otherHash.begin();
    for (const place of this.#all) {
      const { name, isReadable, word, bit } = place;
      const value = person.fields[name];
      if (value === undefined) continue;
      const given = this.#given[word] as Int32Array;
      given[slot] = (given[slot] as number) | bit;
      const text = name === 'email' ? value.toLowerCase() : value;
      if (!isCompared(place)) other?.add(text);
      else {
        if (isReadable) readable.add(text);
        if (isTracked(place)) hidden.add(text);
      }
    }
    if (other !== undefined) this.#otherHi[slot] = other.end().hi;
    readable.end();
    this.#readableHi[slot] = readable.hi;
    this.#readableLo[slot] = readable.lo;
    hidden.end();
    this.#hiddenHi[slot] = hidden.hi;
    this.#hiddenLo[slot] = hidden.lo;
  }

  /** Counts the people whom a record of the source and an account of the platform name. The platform was read before. */
  countMatched(): number {
    const both = mark.inSource | mark.seen;
    let count = 0;
    for (let slot = 0; slot < this.#size; slot += 1) if (((this.#marks[slot] as number) & both) === both) count += 1;
    return count;
  }

  /** Keeps the name of a slot that no record of the source fills. */
  name(slot: number, identification: string, earlier?: EarlierPerson): void {
    this.#place[slot] = this.#spool.append(this.#text.write({ kind: 'absent', identification, ...given({ earlier }) }));
  }

  /** The people of whom only their last day of work shows that they left. */
  leaversByDate(): readonly Person[] {
    return Array.from({ length: this.#size }, (_, slot) => slot).flatMap((slot) => {
      const person = this.#leaves[slot] !== 0 && this.has(slot, mark.leaver) ? this.person(slot) : undefined;
      return person?.kind === 'person' && person.leavesByDate === true ? [person] : [];
    });
  }

  /** Returns the people who left, and those whose last day of work is one of these. */
  leaving(from: string, to: string): readonly number[] {
    const [first, last] = [leaveDayOf(from), leaveDayOf(to)];
    const slots: number[] = [];
    for (let slot = 0; slot < this.#size; slot += 1) {
      const day = this.#leaves[slot] as number;
      if (this.has(slot, mark.leaver) || (day >= first && day <= last)) slots.push(slot);
    }
    return slots;
  }

  /** What was kept of a slot's person, fetched from the spool. */
  person(slot: number): Person | RejectedPerson | Absent {
    const place = this.#place[slot] as number;
    return this.#text.read(this.#spool.read(place));
  }

  /** The slot that wants this e-mail, or -1. E-mails compare without case. */
  findEmail(email: string): number {
    const { hi, lo } = this.#hash.of(email.toLowerCase());
    return this.#byEmail.get(hi, lo);
  }

  addEmail(email: string, slot: number): void {
    const { hi, lo } = this.#hash.of(email.toLowerCase());
    if (this.#byEmail.get(hi, lo) === -1) this.#byEmail.add(hi, lo, slot);
    else this.#sharedEmails.push(hi, lo, slot);
  }

  /** Removes the e-mail of a slot whose record no longer counts. */
  dropEmail(slot: number): void {
    this.#byEmail.drop(slot);
  }

  /**
   * Returns who claims an e-mail that an earlier person claims too, in order of the records. `emailOf`
   * returns the e-mail that a slot's person claims after all records were read.
   */
  settleSharedEmails(
    emailOf: (slot: number) => string | undefined,
  ): readonly { readonly slot: number; readonly holder: number }[] {
    const all = this.#sharedEmails.splice(0);
    const shared: { slot: number; holder: number }[] = [];
    const done = new Set<number>();
    for (let i = 0; i < all.length; i += 3) {
      const [hi, lo, slot] = [all[i] as number, all[i + 1] as number, all[i + 2] as number];
      const email = emailOf(slot);
      const key = email === undefined ? undefined : this.#hash.of(email.toLowerCase());
      // The record that claimed it may have been replaced by another one of the person.
      if (key?.hi !== hi || key.lo !== lo || done.has(slot)) continue;
      done.add(slot);
      const holder = this.#byEmail.get(hi, lo);
      if (holder === slot) continue;
      if (holder === -1) this.#byEmail.add(hi, lo, slot);
      else {
        this.#sharedEmails.push(hi, lo, slot);
        shared.push({ slot, holder });
      }
    }
    return shared;
  }

  /**
   * Returns the entries of one part of the roster (see `core/roster.ts`): every person of the source, or who claims
   * which e-mail. One part at a time, because a million people take 16 MB and 35 ms of CPU time for each.
   */
  rosterEntries(part: RosterPart): Int32Array<ArrayBuffer> {
    const entries = new RosterEntries(this.#size);
    if (part === 'people') this.#addPeople(entries);
    else this.#addEmails(entries);
    return entries.all();
  }

  /**
   * Returns four numbers for every person of the source: the key (high, low), a hash of what the source says and
   * whether the platform shows the user, and the slot.
   */
  directoryEntries(): Int32Array<ArrayBuffer> {
    const entries = new RosterEntries(this.#size);
    for (let slot = 0; slot < this.#size; slot += 1) {
      if (!this.has(slot, mark.inSource)) continue;
      const { hi, lo } = this.#byIdentification.keyOf(slot);
      const fields =
        Math.imul(this.#readableHi[slot] as number, 31) ^
        (this.#readableLo[slot] as number) ^
        (this.#otherHi[slot] ?? 0);
      const state = (this.#marks[slot] as number) & shownMarks;
      entries.add(hi, lo, Math.imul(fields ^ (this.#exact[slot] as number), 31) ^ state, slot);
    }
    return entries.all();
  }

  #addPeople(entries: RosterEntries): void {
    for (let slot = 0; slot < this.#size; slot += 1) {
      if (!this.has(slot, mark.inSource)) continue;
      const { hi, lo } = this.#byIdentification.keyOf(slot);
      const exact = this.#exact[slot] as number;
      const code = standingCode(this.#standing(slot), {
        leaveDay: this.#leaves[slot] as number,
        undecided: { now: this.#isUndecided(slot), before: this.has(slot, mark.wasUndecided) },
        enabledAccount: this.has(slot, mark.seen) ? (this.#enabled[slot] as number) : 0,
      });
      entries.add(hi, lo, exact, code);
      const look = this.#byLook?.keyOf(slot);
      if (look !== undefined && (look.hi !== 0 || look.lo !== 0)) entries.add(look.hi, look.lo, exact, code);
    }
  }

  #addEmails(entries: RosterEntries): void {
    for (let slot = 0; slot < this.#size; slot += 1) {
      if (!this.has(slot, mark.inSource)) continue;
      const email = this.#byEmail.keyOf(slot);
      if (email.hi === 0 && email.lo === 0) continue;
      const { hi, lo } = this.#byIdentification.keyOf(slot);
      entries.add(email.hi, email.lo, hi, lo);
    }
    for (let i = 0; i < this.#sharedEmails.length; i += 3) {
      const { hi, lo } = this.#byIdentification.keyOf(this.#sharedEmails[i + 2] as number);
      entries.add(this.#sharedEmails[i] as number, this.#sharedEmails[i + 1] as number, hi, lo);
    }
  }

  #standing(slot: number): RosterStanding {
    if (!this.hasAny(slot, mark.active | mark.leaver)) return 'other';
    // Another record of the person may be in scope, so no sync may take the user over for this one.
    if (this.has(slot, mark.outOfScope)) return this.has(slot, mark.conflict) ? 'other' : 'out-of-scope';
    return this.has(slot, mark.leaver) ? 'leaver' : 'active';
  }

  /** Whether the person may work here, and a conflict or the record itself leaves nothing to decide. */
  #isUndecided(slot: number): boolean {
    if (this.has(slot, mark.conflict))
      return this.hasAny(slot, mark.tied | mark.unsure) || !this.has(slot, mark.leaver);
    if (this.hasAny(slot, mark.active | mark.leaver | mark.outOfScope)) return false;
    const person = this.person(slot);
    return person.kind === 'rejected' || (person.kind === 'person' && person.standing === 'unknown');
  }

  /** Whether the platform shows every readable field as the slot's person wants it. As `isSameValue` compares. */
  isShownAsWanted(slot: number, user: User): boolean {
    if (this.#ifEmpty.some((place) => place.isReadable && this.#isLacking(slot, place, user.fields))) return false;
    const { hi, lo } = this.#hashValues(this.#readable, slot, user.fields);
    return this.#readableHi[slot] === hi && this.#readableLo[slot] === lo;
  }

  /** Returns what a user who shows all as wanted has besides. The platform compares e-mails without case. */
  besideWanted(slot: number, { fields }: User): FieldValues {
    const others: Partial<Record<FieldName, string>> = {};
    for (const name of Object.keys(fields) as FieldName[]) {
      const place = this.#shown.get(name);
      if (place === undefined || !this.#isGiven(slot, place.word, place.bit)) others[name] = fields[name] as string;
    }
    return others;
  }

  /** Returns the fields that a user shows as this person wants them, but for those that `besideWanted` returned. */
  shownOf(wanted: FieldValues): FieldValues {
    const shown: Partial<Record<FieldName, string>> = {};
    for (const name of this.#shown.keys()) {
      const value = wanted[name];
      if (value !== undefined && value !== '') shown[name] = value;
    }
    return shown;
  }

  /** Whether the ledger believes every field that it stores to be as the slot's person wants it. */
  isWrittenAsWanted(slot: number, entry: LedgerEntry): boolean {
    if (this.#ifEmpty.some((place) => !place.isReadable && this.#isLacking(slot, place, entry.hidden))) return false;
    for (const { name, word, bit } of this.#known) {
      if (this.#isGiven(slot, word, bit) && entry.hidden[name] === undefined) return false;
    }
    const { hi, lo } = this.#hashValues(this.#known, slot, entry.hidden);
    return this.#hiddenHi[slot] === hi && this.#hiddenLo[slot] === lo;
  }

  /** Marks a slot whose entry in the ledger is plain, and keeps a hash of the account's id. */
  setPlain(slot: number, accountId: string): void {
    this.set(slot, mark.plain);
    this.#account[slot] = this.#hash.of(accountId).hi;
  }

  /** Whether the ledger's entry is plain, and about this account. */
  isPlain(slot: number, accountId: string): boolean {
    return this.has(slot, mark.plain) && this.#account[slot] === this.#hash.of(accountId).hi;
  }

  /**
   * Recalls from a roster's entries, four numbers each, which accounts an earlier read saw enabled, and about whom it
   * could not decide.
   */
  recall(entries: Int32Array): void {
    for (let at = 0; at < entries.length; at += rosterWidth) {
      const slot = this.#byIdentification.get(entries[at] as number, entries[at + 1] as number);
      if (slot === -1) continue;
      const { enabledAccount, isUndecided } = recalledFrom(entries[at + 3] as number);
      if (this.#exact[slot] === entries[at + 2]) this.#enabled[slot] = enabledAccount;
      if (isUndecided) this.set(slot, mark.wasUndecided);
    }
  }

  seeEnabled(slot: number, accountId: string): void {
    this.set(slot, mark.enabled);
    this.#enabled[slot] = accountMark(this.#hash.of(accountId).hi);
  }

  /** Whether this or an earlier accepted read saw the account enabled. */
  wasEnabled(slot: number, accountId: string): boolean {
    return this.#enabled[slot] === accountMark(this.#hash.of(accountId).hi);
  }

  #isLacking(slot: number, { name, word, bit }: Place, values: FieldValues): boolean {
    return this.#isGiven(slot, word, bit) && (values[name] ?? '') === '';
  }

  #isGiven(slot: number, word: number, bit: number): boolean {
    return (((this.#given[word] as Int32Array)[slot] as number) & bit) !== 0;
  }

  /** Hashes the values of those places that the slot's person gives. */
  #hashValues(places: readonly Place[], slot: number, values: FieldValues): { hi: number; lo: number } {
    const hash = this.#hash.begin();
    for (const { name, word, bit } of places) {
      if (!this.#isGiven(slot, word, bit)) continue;
      const value = values[name] ?? '';
      hash.add(name === 'email' ? value.toLowerCase() : value);
    }
    return hash.end();
  }

  #grow(): void {
    const size = powerAbove(this.#size);
    // As in `lengthened`, for the arrays of other numbers.
    this.#marks = new Uint32Array(this.#marks.buffer.transfer(size * this.#marks.BYTES_PER_ELEMENT));
    this.#enabled = new Uint8Array(this.#enabled.buffer.transfer(size));
    this.#place = new Float64Array(this.#place.buffer.transfer(size * this.#place.BYTES_PER_ELEMENT));
    this.#exact = lengthened(this.#exact, size);
    this.#readableHi = lengthened(this.#readableHi, size);
    this.#readableLo = lengthened(this.#readableLo, size);
    this.#hiddenHi = lengthened(this.#hiddenHi, size);
    this.#hiddenLo = lengthened(this.#hiddenLo, size);
    if (this.#otherHi.length > 0) this.#otherHi = lengthened(this.#otherHi, size);
    this.#account = lengthened(this.#account, size);
    this.#leaves = lengthened(this.#leaves, size);
    this.#given.forEach((given, word) => {
      this.#given[word] = lengthened(given, size);
    });
  }
}
