import type { FieldName, FieldValues } from './fields.ts';

/** How a removed user went: `blacklist` people are never created again by us. */
export interface Removal {
  readonly at: number;
  readonly blacklist: boolean;
}

/** A value that the platform keeps differently than it was sent. While both stand it is no difference. */
export interface Quirk {
  readonly sent: string;
  readonly observed: string;
  /** The platform took the write and left this field as it was: how often. Sent again up to `maxSends`, then left alone. */
  readonly ignored?: number;
}

/** How often a value is sent without a sign that it was taken before it is left as it is. */
export const maxSends = 3;

/** Absence counted over complete full reads. */
export interface Misses {
  readonly count: number;
  readonly since: number;
  /** Stamp of the snapshot that was counted last, as `newerStamp` made it. */
  readonly stamp: string;
}

/**
 * What we know of one user of one connection: what we last wrote and saw. Instants are epoch ms.
 * A row exists only for users that are *ours* (owned by a sync) or that we removed.
 */
export interface LedgerEntry {
  readonly identification: string;
  /** The one sync that owns the user. */
  readonly owner: string;
  /** The platform's id of the account that the entry is about. Absent in entries of versions that did not keep it. */
  readonly accountId?: string;
  /** Write-only fields as last written (or assumed) and believed to stand. Absent: unknown. */
  readonly hidden: FieldValues;
  readonly quirks: Readonly<Partial<Record<FieldName, Quirk>>>;
  /** How often a change of write-only fields alone was sent without a sign that it was taken. */
  readonly unverified: number;
  /** Set while the account is disabled by our doing. */
  readonly disabledAt?: number;
  /** Since when every complete read shows the person as gone (leaver or missing). Cleared when seen otherwise. */
  readonly goneSince?: number;
  readonly misses?: Misses;
  readonly removed?: Removal;
  /** When we last wrote to the user; absent when we only took it over as it was. */
  readonly writtenAt?: number;
}
