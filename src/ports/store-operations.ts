import type { Access } from '../core/guard/access.ts';
import type { FileRows } from '../core/run/waves.ts';
import type { LearnedValues, LearnTrial } from './api.ts';

/* Operator actions on a running deployment, besides triggers: pauses, and the audit log. */

export interface Pause {
  readonly sync: string;
  readonly pausedAt: number;
  /** The operator who paused it: the name of a token, or of a shell user. */
  readonly by: string;
  /** The pause ends automatically at this instant (epoch ms). Absent: an operator ends it. */
  readonly until?: number;
}

/** Returns whether the pause has not ended automatically. */
export function isPausing({ until }: Pick<Pause, 'until'>, now: number): boolean {
  return until === undefined || now < until;
}

/** Paused syncs, which begin no run until they are resumed. A run in progress continues; triggers wait. */
export interface Pauses {
  /** Pauses the sync. Returns false when it is already paused; the first pause remains. */
  add(pause: Pause): Promise<boolean>;
  /** Resumes the sync. Returns false when it was not paused. */
  remove(sync: string, now: number): Promise<boolean>;
  get(sync: string, now: number): Promise<Pause | undefined>;
  /** Returns the pauses of all syncs that last now, in order of name. */
  list(now: number): Promise<readonly Pause[]>;
}

/** Where a report that is sent by e-mail stands. Instants are epoch ms. */
export interface ReportState {
  readonly name: string;
  /** Increases with each attempt, so that one that lost its lease can no longer write. */
  readonly attempt: number;
  /** The newest slot of the schedule that was requested. */
  readonly slotAt: number | undefined;
  /** Since when it waits to be sent, or is being sent. */
  readonly requestedAt: number | undefined;
  readonly successAt: number | undefined;
  /** Attempts in a row that failed, why the last one did, and when the next begins. */
  readonly failures: number;
  readonly failure: string | undefined;
  readonly retryAt: number | undefined;
}

/** Where the reports stand that are sent by e-mail. */
export interface MailedReports {
  list(): Promise<readonly ReportState[]>;
  /** Requests the report of a slot. One that failed waits no longer. */
  request(request: { readonly name: string; readonly at: number; readonly slotAt: number }): Promise<void>;
  /** Begins an attempt. A former one can no longer write. */
  begin(name: string): Promise<ReportState>;
  /** A success ends the request that the attempt was begun for. Throws `LEASE_LOST` when another attempt has begun. */
  save(attempt: ReportState, patch: Partial<ReportState>): Promise<void>;
}

/** What deliveries and `learn` found out about the platform of a connection. */
export interface LearnedFacts {
  readonly fileRows?: FileRows;
  /** File statuses that the dialect does not name and that have proven to be an end: in lower case, and since when. */
  readonly endWords?: Readonly<Record<string, number>>;
  /** Dialect settings that `learn` found out. */
  readonly settings?: LearnedValues;
  /** The last write of a `learn` whose test user may be on the platform. */
  readonly trial?: LearnTrial;
  /** The status of a file stayed pending until the deadline, although all rows were shown. */
  readonly neverEnds?: true;
}

export interface Learned {
  get(connection: string): Promise<LearnedFacts>;
  /** Changes the facts of the connection in one transaction. */
  update(connection: string, change: (known: LearnedFacts) => LearnedFacts): Promise<void>;
}

/** A sync of the connection that was renamed. */
interface RenameOrder {
  readonly from: string;
  readonly to: string;
  readonly connection: string;
}

/** The names under which the store keeps what belongs to a sync. */
export interface SyncNames {
  /** Counts the users of a connection that are enabled as far as we know, by the name of the sync that owns them. */
  owners(connection: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Moves everything that is stored under the former name of a sync, and the tokens of its source, once, in one
   * transaction with its audit entry. Where both names have a roster, a directory, a pause or tokens, those of the new
   * name stay. Returns false when
   * nothing is stored under the former name. Throws `CONFLICT`, and moves nothing, when its users are of another
   * connection.
   */
  rename(order: RenameOrder, entry: AuditEntry): Promise<boolean>;
  /** Returns whether anything is stored under the former name. Throws as `rename` does. */
  isUsed(order: RenameOrder): Promise<boolean>;
}

export const auditActions = [
  'rename-sync',
  'loosen-safeguards',
  'pause',
  'resume',
  'request-run',
  'approve',
  'reject',
  'cancel',
  'adopt',
  'decide-accounts',
  'retry',
  'undo',
  'webhook',
  'token-refresh',
  'token-revoke',
  'learn',
  'export',
  'export-changes',
  'plan-out',
  'backup',
  'forget',
  'drop-unreadable',
  'new-signing-key',
  'restore',
  'move',
  'alerts-ack',
  'alerts-mute',
  'alerts-unmute',
  'alerts-test',
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'end-session',
  'lose-right',
  'preview',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** One action of a person or of another system. Holds no field of a person and no secret. */
export interface AuditEntry {
  /** Sorts by time. */
  readonly id: string;
  readonly at: number;
  /** The identity: `user:SUBJECT`, `token:NAME`, `shell:LOGIN`, or a part of Rollcall. */
  readonly by: string;
  /** The name of the user that the provider showed. It is no identity. */
  readonly label?: string;
  readonly action: AuditAction;
  /** Undefined for an action on a connection. */
  readonly sync: string | undefined;
  /** The connection whose token was used or changed; undefined for an action on a sync. */
  readonly connection: string | undefined;
  readonly run: string | undefined;
  /** A short sentence: `12 changes`. */
  readonly detail: string | undefined;
  /** The reason that the person entered. */
  readonly reason?: string;
  /** An additional name from the caller. It is only a note: `by` is the identity. */
  readonly as?: string;
}

export interface Audit {
  add(entry: AuditEntry): Promise<void>;
  /** Returns entries with an id below `before`, newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Proves the chain, and shows `see` each entry up to the first that breaks it. */
  prove(see?: (entry: ChainedEntry) => void): Promise<AuditProof>;
}

/** An entry without its texts: `chain` is sha256 of the chain before and of the link as JSON. */
export interface ChainedEntry {
  /** Number, commitment, id, time, who, action, sync, connection, run. */
  readonly link: readonly (string | number | null)[];
  readonly chain: string;
}

export interface AuditProof {
  /** Number of the last entry that was pruned, and of the last one that holds. */
  readonly from: number;
  readonly to: number;
  /** The chain at each of the two. */
  readonly start: string;
  readonly chain: string;
  /** Entries whose texts are no longer proven, because they named a person who was forgotten. */
  readonly forgotten: number;
  /** The first entry that was changed, removed or added, in words. */
  readonly broken: string | undefined;
}

export interface SigningKey {
  readonly id: string;
  readonly at: number;
  /** Ed25519, SPKI in base64. */
  readonly public: string;
  /** False: it proves what it signed, and no longer signs. */
  readonly isCurrent: boolean;
}

export interface Signature {
  readonly key: string;
  /** In base64. */
  readonly signature: string;
}

/** The Ed25519 keys of a deployment. */
export interface Signing {
  /** Returns the keys, the newest first. */
  keys(): Promise<readonly SigningKey[]>;
  /** Makes a new key, and stores the entry, which gets its id. Throws `CONFIG_INVALID` without an `encryptionKey`. */
  renew(entry: AuditEntry): Promise<void>;
  /** Signs with the current key. Undefined: there is none. */
  sign(text: string): Promise<Signature | undefined>;
}

export interface AuditQuery {
  readonly limit: number;
  readonly sync?: string;
  /** Any of these. */
  readonly syncs?: readonly string[];
  readonly run?: string;
  readonly by?: string;
  /** Any of these. */
  readonly actions?: readonly AuditAction[];
  readonly connection?: string;
  /** Only entries of this instant or later. */
  readonly since?: number;
  /** Only entries before this instant. */
  readonly until?: number;
  readonly before?: string;
}

/** A restore of the whole store from a backup. */
export interface RestoreRecord {
  readonly at: number;
  /** When the backup was made. What happened between the two instants is not in the store. */
  readonly madeAt: number;
}

export interface Restores {
  /** Returns the newest restore; undefined for a store that was never restored. */
  last(): Promise<RestoreRecord | undefined>;
}

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

/** Where all that a store had is now. */
export interface MoveReport {
  readonly from: StoreContents;
  /** The location of the store that has it. */
  readonly place: string;
  /** An earlier move did it, and had no time to say so. */
  readonly isDone: boolean;
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

/** The result of a migration of a store to a version's tables. Migrations have names in order, such as `001-start`. */
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

/** A signed-in user of the page. Every server on the store knows it. */
export interface Session {
  /** sha256 of the cookie's secret, which is not stored. */
  readonly key: string;
  /** The identity: `user:` and the subject at the identity provider, or that of the token. */
  readonly name: string;
  /** The name of the user that the provider shows. It is no identity. */
  readonly label: string | undefined;
  /** The user's groups at the sign-in. What they may do is asked of the configuration at each request. */
  readonly groups: readonly string[];
  /** The grants that it was last seen to have, so that the audit can say which one it lost. */
  readonly grants: Access;
  readonly method: 'openid' | 'token';
  /**
   * The issuer that named the user, or sha256 of the API token with which the user signed in: the session ends when the
   * configuration no longer has it.
   */
  readonly origin: string;
  readonly createdAt: number;
  /** Last activity of the user. */
  readonly usedAt: number;
  /** The end, whatever the user does. */
  readonly expiresAt: number;
}

export interface Sessions {
  /** Stores the session, and deletes those that have expired. */
  add(session: Session): Promise<void>;
  get(key: string): Promise<Session | undefined>;
  touch(key: string, usedAt: number): Promise<void>;
  /** Notes these as its grants. Returns false when another process was faster, or the session has ended. */
  regrant(session: Session, grants: Access): Promise<boolean>;
  /** Returns false when there was none. */
  end(key: string): Promise<boolean>;
  /** Returns the sessions, the one used last first. */
  list(): Promise<readonly Session[]>;
}
