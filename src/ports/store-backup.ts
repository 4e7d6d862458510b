/** What a backup of a store says about itself. */
export interface BackupHeader {
  /** When its data was read (ISO 8601, by the clock of the store). */
  readonly madeAt: string;
  /** Version of Rollcall that made it. */
  readonly version: string;
  readonly database: 'sqlite' | 'postgres';
  /** The migrations that the store had, in order. */
  readonly migrations: readonly string[];
}

/** A complete backup file. Rows are counted by table. */
export interface BackupSummary extends BackupHeader {
  readonly file: string;
  readonly bytes: number;
  readonly rows: Readonly<Record<string, number>>;
}

/** What a restore would replace. Rows are counted by table; tables without rows are left out. */
export interface StoreContents {
  /** The location of the store for messages, without its password. */
  readonly place: string;
  readonly rows: Readonly<Record<string, number>>;
}

export interface RestorePreview {
  readonly backup: BackupSummary;
  readonly replaces: StoreContents;
}

/** What a restore changed in the data of the backup, so that the next runs cannot repeat what happened since. */
export interface RestoreEffects {
  /** Runs that were in progress in the backup and were ended. */
  readonly endedRuns: number;
  /** Requests that waited in the backup and were canceled. */
  readonly cancelledRequests: number;
  /** Approvals and holds that were ended. */
  readonly endedApprovals: number;
  readonly endedHolds: number;
  /** Connections, and sources as `source <sync>`, whose tokens wait for a confirmation. */
  readonly tokens: readonly string[];
  /** Syncs that are paused now. */
  readonly paused: readonly string[];
}

export interface RestoreReport extends RestorePreview {
  readonly effects: RestoreEffects;
}

/** The result of a migration of a store to a version's tables. Migrations have names in order, such as `001-tables`. */
export interface StoreMigration {
  /** The location of the store for messages, without its password. */
  readonly place: string;
  /** The newest migration before; undefined for a new store. */
  readonly from: string | undefined;
  /** The newest migration now. */
  readonly to: string;
  /** The applied migrations, in order. Empty when none was needed. */
  readonly applied: readonly string[];
}
