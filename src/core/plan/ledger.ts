import type { FieldName, FieldValues, LeaderField, Leaders } from '../person/fields.ts';
import type { LeaderReference } from '../person/person.ts';

/** How a user was removed. People removed with `blacklist` are never created again by us. */
export interface Removal {
  readonly at: number;
  readonly blacklist: boolean;
}

/** A value that the platform stores differently than it was sent. It is no difference while neither value changes. */
export interface Quirk {
  readonly sent: string;
  readonly observed: string;
  /** How often the platform accepted the write but left this field unchanged. Sent again up to `maxSends` times. */
  readonly ignored?: number;
}

/** Maximum number of times a value is sent without confirmation. Afterwards it is not sent again. */
export const maxSends = 3;

/** Absences, counted over complete full reads. */
export interface Misses {
  readonly count: number;
  readonly since: number;
  /** Stamp of the last counted snapshot, as returned by `newerStamp`. */
  readonly stamp: string;
}

/** What we know of the leaders of a user. A leader that is not named as ours was set by hand. */
export interface LedgerLeaders {
  /** The main leader, if it is ours: we set it, or the source named it when we saw it. */
  readonly main?: string;
  /** The secondary leaders that are ours. */
  readonly secondary: readonly string[];
  /** The people that each column named last as secondary leaders. Absent: not known. */
  readonly named?: NamedLeaders;
  /** What the platform listed last. Absent: nothing, or a change of them was sent since and is not proven. */
  readonly shown?: Leaders;
  /** The main leader that was set by hand and keeps the wanted one out. It is reported once. */
  readonly byHand?: string;
  /** Leaders that the source names and that cannot be set yet. Absent: none. */
  readonly waits?: readonly WaitingLeader[];
  /** When the list of leaders was last read (epoch ms). */
  readonly checkedAt: number;
}

/** Identifications by column. */
export type NamedLeaders = Readonly<Record<string, readonly string[]>>;

export interface WaitingLeader extends LeaderReference {
  readonly of: LeaderField;
  /** Epoch ms. */
  readonly since: number;
}

export interface TakenOver {
  readonly from: string;
  readonly at: number;
}

/**
 * What we last wrote and saw of one user of one connection. Instants are epoch ms. A row exists only for users that are
 * *ours* (owned by a sync) or that we removed.
 */
export interface LedgerEntry {
  readonly identification: string;
  /** The one sync that owns the user. */
  readonly owner: string;
  /** The platform's id of the account that the entry describes. Absent in what is kept of a forgotten person. */
  readonly accountId?: string;
  /**
   * Write-only fields as last written (or assumed) and believed to be current. Fields with `keepLocalEdits`: the source's
   * value as last written, or as first seen. Absent: unknown.
   */
  readonly hidden: FieldValues;
  readonly quirks: Readonly<Partial<Record<FieldName, Quirk>>>;
  /** How often a change with only write-only fields was sent without confirmation. */
  readonly unverified: number;
  /** Set while the account is disabled by us. */
  readonly disabledAt?: number;
  /**
   * Start of the period in which every complete read shows the person as gone (leaver or missing). Cleared otherwise.
   */
  readonly goneSince?: number;
  readonly misses?: Misses;
  /** Since when another sync is expected to take the user over, instead of a disable or remove. Cleared as `misses`. */
  readonly handOverSince?: number;
  /** The last take-over: the sync that owned the user before, and when. */
  readonly taken?: TakenOver;
  readonly removed?: Removal;
  /** How the entries of others name this person since the person was forgotten: see `LedgerLeaders`. */
  readonly pseudonym?: string;
  /** Absent: nothing is known of the user's leaders. */
  readonly leaders?: LedgerLeaders;
  /** When we last wrote to the user; absent when the user was adopted without a write. */
  readonly writtenAt?: number;
}

/** Whether the account is there, and enabled as far as we know. */
export function isOpenAccount(entry: LedgerEntry | undefined): entry is LedgerEntry {
  return entry !== undefined && entry.removed === undefined && entry.disabledAt === undefined;
}
