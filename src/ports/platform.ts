import type { Leaders, UnreadUser, User, UserWrite } from '../core/person/fields.ts';
import type { Removal } from '../core/plan/ledger.ts';
import type { Pace } from '../core/run/pace.ts';
import type { ScanPurpose } from '../core/run/requests.ts';

/**
 * The platform as the engine needs it (contract, "User administration"). Every method throws `PlatformError` when the
 * platform rejects or fails a call. No method repeats a write. The error's `effect` shows whether the write
 * may have been applied. All methods obey the connection's rate and concurrency limits.
 */
export interface Platform {
  /**
   * Yields every user, enabled and disabled, each once, in order of id. Ends normally only when the scan is proven
   * complete. Otherwise throws `SCAN_INCOMPLETE`, with the dialect setting that is probably wrong if it is known.
   * `purpose` (default `scan`): under which its requests are counted.
   */
  scan(signal: AbortSignal, purpose?: ScanPurpose): AsyncGenerator<ScanPage, void>;
  /** Returns the number of requests of a scan, as the last one of this process showed; undefined before the first. */
  scanCost(): number | undefined;
  /** Finds one user by identification with a read. A failed read is classified by a search. */
  find(identification: string, signal: AbortSignal): Promise<Lookup>;
  create(write: UserWrite, signal: AbortSignal): Promise<{ readonly userId: string }>;
  update(target: UpdateTarget, write: UserWrite, signal: AbortSignal): Promise<void>;
  /**
   * Gives an account another identification: `write.identification`. The contract does not say that this works, so the
   * caller reads the user back. Throws, with nothing sent, where `dialect.userId` is the identification.
   */
  rename(target: UpdateTarget, write: UserWrite, signal: AbortSignal): Promise<void>;
  remove(identification: string, options: Pick<Removal, 'blacklist'>, signal: AbortSignal): Promise<void>;
  /** Uploads a partial-provisioning file. Resolves when the platform confirms that it accepted the file. */
  upload(file: FileToUpload, signal: AbortSignal): Promise<UploadReceipt>;
  status(fileId: string, signal: AbortSignal): Promise<FileStatus>;
  /**
   * Reads the leaders of a user. `unclear`: the list is not proven complete, or the platform refused it for this user. It
   * then allows no conclusion. Throws `PlatformError` only when the platform cannot be reached, or asks to wait.
   */
  leaders(identification: string, signal: AbortSignal): Promise<LeadersLookup>;
  /**
   * Adds leaders to a user. A main leader where the user has another one: as `dialect.leaders.main` says. `add` names at
   * least one.
   */
  lead(identification: string, add: Partial<Leaders>, signal: AbortSignal): Promise<void>;
  /** Removes the named leaders of a user, and no others. `remove` names at least one. */
  unlead(identification: string, remove: Partial<Leaders>, signal: AbortSignal): Promise<void>;
}

export interface ScanPage {
  readonly users: readonly User[];
  /** Accounts whose records cannot be read. They do not prove that a user is gone. */
  readonly unread: readonly UnreadUser[];
  /** The total number of users that the platform reports. */
  readonly total: number | undefined;
}

export type Lookup =
  | { readonly found: true; readonly user: User }
  | { readonly found: false }
  /** Read and search disagree, several users have the identification, or it cannot be read: no conclusion is possible. */
  | { readonly found: 'unclear'; readonly reason: string };

export type LeadersLookup =
  | { readonly found: 'complete'; readonly leaders: Leaders }
  | { readonly found: 'unclear'; readonly reason: string };

/** The target user of an update, as a read has just returned it. */
export interface UpdateTarget {
  readonly id: string;
  readonly uid?: string;
  readonly identification: string;
  /** See `User.rawIdentification`. */
  readonly rawIdentification?: string;
}

/** A file in memory or on disk, and the name under which the platform gets it. */
export type FileToUpload = { readonly name: string } & ({ readonly content: Uint8Array } | { readonly path: string });

export interface UploadReceipt {
  readonly fileId: string;
  readonly status: FileStatus;
}

export type FileStatus =
  /**
   * `raw`: the text of a status that the dialect does not name, for sealed storage. `isReleased`: the record of a
   * file with a listed status says that it no longer blocks others.
   */
  | {
      readonly kind: 'pending';
      readonly text: string;
      readonly isKnown: boolean;
      readonly raw?: string;
      readonly isReleased?: true;
    }
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  /** The platform has no status endpoint (404, 405): determine the results by reading the users back. */
  | { readonly kind: 'no-status' };

/**
 * Limits how many calls to a platform may begin, counted over all who share the budget: one process, or all workers.
 */
export interface RateBudget {
  /**
   * Takes the next start from the budget, at this rate, and returns the wait in ms; 0 means at once. Never rejects. A
   * process that cannot reach the shared budget uses a small share of it instead.
   */
  take(perSecond: number): Promise<number>;
  /** Returns what all who share the budget have learned, as of the last `take`. */
  pace(): Pace;
  /** Tells all who share the budget. Never throws. */
  learn(pace: Pace): void;
}
