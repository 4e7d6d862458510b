import { given } from '../run/given.ts';
import type { Roster, RosterEntry } from './roster.ts';

/**
 * What other syncs of the connection show about one person. Two syncs hand a user over only by these facts, and only
 * this file creates them: from the roster of an accepted complete full read that is recent and of the current settings.
 */

declare const proven: unique symbol;

/** A roster that a hand-over may rely on. */
export interface TrustedRoster extends Pick<Roster, 'people'> {
  readonly [proven]: 'roster';
  readonly sync: string;
  /** The start of the read (epoch ms). */
  readonly readAt: number;
}

/** The owner of the account no longer has the person: the account may become ours. */
export interface Release {
  readonly [proven]: 'release';
  readonly from: string;
  readonly standing: 'missing' | 'out-of-scope';
  readonly readAt: number;
}

/**
 * Another sync that may enable accounts has the person as active, or cannot decide about them: it is expected to take
 * the account over.
 */
export interface Claim {
  readonly [proven]: 'claim';
  readonly by: string;
  readonly readAt: number;
  /** When the last accepted complete full reads of that sync were stored (epoch ms), newest first: two are enough. */
  readonly fullReads: readonly number[];
  /** That sync could not decide about the person in its last full read, or in the one before. Absent: in neither. */
  readonly undecided?: 'now' | 'before';
}

export interface Neighbors {
  readonly release?: Release;
  readonly claim?: Claim;
}

/**
 * After this many accepted full reads of the other sync that decided about the person and did not take the account over,
 * the account is disabled after all.
 */
export const readsUntilTakeOver = 2;

export interface TrustFacts {
  /** The fingerprint of the other sync's current settings. */
  readonly fingerprint: string;
  readonly maxAgeMs: number;
  readonly now: number;
}

/** Returns the roster if a hand-over may rely on it: of the current settings, and at most `maxAgeMs` old. */
export function trustRoster(roster: Roster | undefined, facts: TrustFacts): TrustedRoster | undefined {
  if (roster === undefined || roster.fingerprint !== facts.fingerprint) return undefined;
  // A roster of the future is from before a jump of the clock, so its age is not known.
  if (Math.abs(facts.now - roster.at) > facts.maxAgeMs) return undefined;
  const { sync, at, people } = roster;
  return { sync, readAt: at, people } as TrustedRoster;
}

/** Returns the release of a person whom the owner's roster shows as missing or out of scope, or undefined. */
export function releaseOf(
  { sync: from, readAt }: TrustedRoster,
  entries: readonly RosterEntry[] = [],
): Release | undefined {
  const standing = entries.length === 0 ? 'missing' : onlyStanding(entries);
  return standing === 'missing' || standing === 'out-of-scope' ? ({ from, standing, readAt } as Release) : undefined;
}

/** Returns the claim of a sync whose roster shows the person as active or undecided, or undefined. */
export function claimOf(
  { sync: by, readAt }: TrustedRoster,
  entries: readonly RosterEntry[] = [],
  fullReads: readonly number[],
): Claim | undefined {
  const isUndecided = entries.some(({ undecided }) => undecided?.now === true);
  if (!isUndecided && onlyStanding(entries) !== 'active') return undefined;
  const wasUndecided = entries.some(({ undecided }) => undecided?.before === true);
  return {
    by,
    readAt,
    fullReads,
    ...given({ undecided: isUndecided ? 'now' : wasUndecided ? 'before' : undefined }),
  } as Claim;
}

/** Returns the standing of a person with one record in exactly this spelling. Twins have no certain standing. */
function onlyStanding(entries: readonly RosterEntry[] = []): RosterEntry['standing'] | undefined {
  const [entry, ...others] = entries;
  return entry?.isExact === true && others.length === 0 ? entry.standing : undefined;
}

/** Returns whether the other sync decided in enough full reads since `since` and did not take the account over. */
export function isClaimOver({ fullReads, undecided }: Claim, since: number | undefined): boolean {
  if (since === undefined || undecided !== undefined) return false;
  return fullReads.filter((at) => at > since).length >= readsUntilTakeOver;
}
