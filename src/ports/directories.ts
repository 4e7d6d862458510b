import type { OwnedRun } from './runs.ts';

/** One person as the last accepted complete read showed them, for searches by name. */
export interface DirectoryRow {
  readonly identification: string;
  /** Empty when the source gives none. */
  readonly name: string;
  readonly email: string;
  /** `source`: a record names the person. `platform`: only an account. */
  readonly side: 'source' | 'platform';
  /** What the source says: `active`, `leaver`, `future`, `unknown`, `out-of-scope`, `unusable`. Empty for an account only. */
  readonly standing: string;
  /** Whether the platform showed an account before the run's changes. */
  readonly isOnPlatform: boolean;
}

export interface DirectoryHeader {
  readonly sync: string;
  readonly run: string;
  /** When the source was read (epoch ms). */
  readonly at: number;
  readonly people: number;
  readonly pages: number;
}

export interface DirectoryPage {
  readonly page: number;
  /** Equal for equal rows. */
  readonly digest: string;
  readonly rows: readonly DirectoryRow[];
}

/**
 * The people of each sync by name, in pages. The values are sealed, so a search opens the pages in memory. A page that is
 * equal to the stored one need not be written again.
 */
export interface Directories {
  /** Returns the directories of all syncs that have one, in order of sync. */
  list(): Promise<readonly DirectoryHeader[]>;
  digests(sync: string): Promise<ReadonlyMap<number, string>>;
  read(sync: string, pages: readonly number[]): Promise<readonly DirectoryPage[]>;
  /** Stores some pages. `finish` follows when all are stored. */
  write(owned: OwnedRun, sync: string, pages: readonly DirectoryPage[]): Promise<void>;
  /** Stores the header, and deletes pages beyond its number. */
  finish(owned: OwnedRun, header: DirectoryHeader): Promise<void>;
  /** Deletes directories that were read before this instant. */
  prune(before: number): Promise<void>;
}
