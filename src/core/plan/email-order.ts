import type { FieldName, User } from '../person/fields.ts';
import { beforeOf, type ChangeDraft } from './change.ts';
import { diffFields, withKnown } from './diff.ts';
import type { LedgerEntry } from './ledger.ts';

/**
 * The order of changes that pass e-mails on. A claimant is a person who is to get the e-mail that the holder's account
 * has. People are numbers: each claimant has one holder, and each holder one claimant, so links form chains and cycles.
 */
export interface EmailQuestion {
  /** Claimant to holder. */
  readonly links: ReadonlyMap<number, number>;
  /** Whether the person's own change takes the account to another e-mail. */
  moves(person: number): boolean;
  /** The longest chain that one plan sends; the rest waits for later plans. */
  readonly longest: number;
}

/** Decides which claimants can be sent. Takes time linear in the number of links. */
export function orderEmails({ links, moves, longest }: EmailQuestion) {
  const claimantOf = new Map([...links].map(([claimant, holder]) => [holder, claimant]));
  const going = new Set<number>();
  const waiting: number[] = [];
  const cycles: (readonly number[])[] = [];
  const seen = new Set<number>();

  /** Follows a chain from an account whose address becomes free, or does not. */
  const follow = (from: number, isFree: boolean): void => {
    let isFreed = isFree;
    let length = 0;
    for (let next = claimantOf.get(from); next !== undefined && !seen.has(next); next = claimantOf.get(next)) {
      seen.add(next);
      length += 1;
      isFreed &&= length <= longest;
      if (isFreed) going.add(next);
      else waiting.push(next);
      isFreed &&= moves(next);
    }
  };

  for (const holder of links.values()) if (!links.has(holder)) follow(holder, moves(holder));
  // The remaining links are cycles.
  for (const claimant of links.keys()) {
    if (seen.has(claimant)) continue;
    const members = membersOf(claimant, links);
    for (const member of members) seen.add(member);
    cycles.push(members);
  }
  return {
    /** Claimants whose address becomes free in this plan. */
    going,
    /** Claimants whose address does not become free in this plan. */
    waiting,
    /** Each from claimant to holder. No member can go first, so a person has to change one of the addresses. */
    cycles,
  };
}

function membersOf(claimant: number, links: ReadonlyMap<number, number>): number[] {
  const members = [claimant];
  for (let next = links.get(claimant); next !== undefined && next !== claimant; next = links.get(next)) {
    members.push(next);
  }
  return members;
}

/** A change of a plan that may have to wait for another one. */
export interface OrderedChange {
  readonly identification: string;
  /** See `Change.waitsFor`. */
  readonly waitsFor?: string;
}

/**
 * Returns for each change that waits how many changes go before it, one after the other: at least 1. Changes that are
 * not given do not count.
 */
export function sendingLevels(changes: readonly OrderedChange[]): ReadonlyMap<string, number> {
  const waits = new Map(changes.map((change) => [change.identification, change]));
  const levels = new Map<string, number>();
  for (const start of changes) {
    const path: OrderedChange[] = [];
    let at: OrderedChange | undefined = start;
    while (at?.waitsFor !== undefined && !levels.has(at.identification)) {
      path.push(at);
      at = path.length > changes.length ? undefined : waits.get(at.waitsFor);
    }
    let level = (at === undefined ? undefined : levels.get(at.identification)) ?? 0;
    for (const { identification } of path.reverse()) {
      level += 1;
      levels.set(identification, level);
    }
  }
  return levels;
}

/** The parking address of an account whose e-mail an active employee is to get, or that a person took from its record. */
export interface Parking {
  readonly email: string;
  /** `left, and E7 needs the e-mail`. */
  readonly why: string;
}

/**
 * Returns the change that gives the account its parking address; undefined when it needs none, or none is possible:
 * every write needs both names. `carried`: mapped fields that every write must carry.
 */
export function park(
  { email, why }: Parking,
  user: User,
  entry: LedgerEntry,
  carried: readonly FieldName[] = [],
): ChangeDraft | undefined {
  const { firstName = '', lastName = '' } = user.fields;
  const { changed } = diffFields({ email }, user, entry, { firstSight: 'write', mapping: { fields: {} } });
  if (changed.length === 0 || firstName === '' || lastName === '') return undefined;
  return {
    identification: entry.identification,
    kind: 'update',
    before: beforeOf(user),
    after: withKnown({ firstName, lastName, email }, user, entry, carried),
    changed: ['email'],
    classes: ['updates', 'emailChanges'],
    reason: `${why}, so the account gets its parking address`,
  };
}
