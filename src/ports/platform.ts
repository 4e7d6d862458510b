import type { Removal } from '../core/ledger.ts';
import type { User, UserWrite } from '../core/user.ts';

/**
 * The platform as the engine needs it (contract, "User administration"). Every method throws `PlatformError` when the
 * platform did not do it; a write is never repeated by itself, and the error's `effect` says whether it may have been
 * taken. All methods obey the connection's rate and concurrency limits.
 */
export interface Platform {
  /**
   * Every user, enabled and disabled, each once, in order of id. Ends normally only when the scan is proven complete;
   * else throws `SCAN_INCOMPLETE`, naming the dialect setting that is likely wrong where it can tell.
   */
  scan(signal: AbortSignal): AsyncGenerator<ScanPage, void>;
  /** One user by identification: a read, classified where it fails by a search, or by a census that counted this name. */
  find(identification: string, signal: AbortSignal, census?: Census): Promise<Lookup>;
  create(write: UserWrite, signal: AbortSignal): Promise<{ readonly userId: string }>;
  update(target: UpdateTarget, write: UserWrite, signal: AbortSignal): Promise<void>;
  remove(identification: string, options: Pick<Removal, 'blacklist'>, signal: AbortSignal): Promise<void>;
  /** Sends a partial-provisioning file that lies on disk. Returns once the platform says it took the file. */
  upload(file: FileToUpload, signal: AbortSignal): Promise<UploadReceipt>;
  status(fileId: string, signal: AbortSignal): Promise<FileStatus>;
}

export interface ScanPage {
  readonly users: readonly User[];
  /** What the platform says there are in all. */
  readonly total: number | undefined;
}

/** How many users of a complete scan, made just now, have each of the identifications that were asked about. */
export type Census = ReadonlyMap<string, number>;

export type Lookup =
  | { readonly found: true; readonly user: User }
  | { readonly found: false }
  /** Read and search disagree, or several users claim the identification: nothing may be concluded. */
  | { readonly found: 'unclear'; readonly reason: string };

/** The user that an update is meant for, as a read has just shown it. */
export interface UpdateTarget {
  readonly id: string;
  readonly uid?: string;
  readonly identification: string;
  /** See `User.rawIdentification`. */
  readonly rawIdentification?: string;
}

export interface FileToUpload {
  readonly path: string;
  readonly name: string;
}

export interface UploadReceipt {
  readonly fileId: string;
  readonly status: FileStatus;
}

export type FileStatus =
  | { readonly kind: 'pending'; readonly text: string; readonly isKnown: boolean }
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  /** The platform has no status endpoint (404, 405): settle by reading the users back. */
  | { readonly kind: 'no-status' };
