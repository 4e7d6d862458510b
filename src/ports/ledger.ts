import type { LedgerEntry } from '../core/plan/ledger.ts';
import type { OwnedRun } from './runs.ts';
import type { AuditEntry } from './store-operations.ts';

export interface Ledger {
  /** Yields every entry of the connection, in order of identification, a bounded number at a time. */
  all(connection: string): AsyncIterable<readonly LedgerEntry[]>;
  get(connection: string, identification: string): Promise<LedgerEntry | undefined>;
  getMany(connection: string, identifications: readonly string[]): Promise<ReadonlyMap<string, LedgerEntry>>;
  /** Returns the enabled users of the sync of whom leaders wait, see `LedgerLeaders.waits`. */
  waiting(connection: string, sync: string): Promise<readonly LedgerEntry[]>;
  /** Counts the users that the sync owns and that we have not removed. */
  countOwned(connection: string, sync: string): Promise<OwnedUsers>;
  /**
   * Writes entries as they were planned. Leaves out an entry whose user belongs to another owner by now, so that a run
   * planned before a take-over does not undo it. An entry replaces one of another owner only if that one is removed, is
   * about another account, or is the one named by `taken`.
   */
  put(owned: OwnedRun, entries: readonly LedgerEntry[]): Promise<void>;
  /**
   * Makes the run's sync the owner of users that still belong to the sync named with them, and forgets what counted
   * them as gone. Returns who was taken over.
   */
  takeOver(owned: OwnedRun, users: readonly OwnedUser[], at: number): Promise<ReadonlySet<string>>;
  /** As `takeOver`, by an operator instead of a run. Stores the audit entry in the same transaction. */
  adopt(order: Adoption, entry: AuditEntry): Promise<ReadonlySet<string>>;
  /**
   * Moves what is known of an account to its new identification, if the sync owns it. What counted the person as gone is
   * forgotten. Ends the decisions about the two. Repeatable.
   */
  rename(order: Renaming): Promise<void>;
}

export interface Renaming {
  readonly connection: string;
  readonly sync: string;
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  readonly by: string;
  /** Epoch ms. */
  readonly at: number;
}

export interface OwnedUser {
  readonly identification: string;
  /** The sync that owns the user. */
  readonly owner: string;
}

export interface Adoption {
  readonly connection: string;
  /** The sync that becomes the owner. */
  readonly sync: string;
  readonly users: readonly OwnedUser[];
  readonly at: number;
}

export interface OwnedUsers {
  readonly managed: number;
  /** Number of owned users that we have not disabled. */
  readonly enabled: number;
}
