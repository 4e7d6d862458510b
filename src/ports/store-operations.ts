/* What people do to a running deployment, beside triggers: pauses, and the record of who did what. */

export interface Pause {
  readonly sync: string;
  readonly pausedAt: number;
  /** Who paused it: the name of a token, or of a person at a shell. */
  readonly by: string;
}

/** Syncs that begin no run until somebody resumes them. A run under way goes on; triggers wait. */
export interface Pauses {
  /** False when it was paused already: the first pause stays. */
  add(pause: Pause): Promise<boolean>;
  /** False when it was not paused. */
  remove(sync: string): Promise<boolean>;
  get(sync: string): Promise<Pause | undefined>;
}

export const auditActions = [
  'pause',
  'resume',
  'request-run',
  'approve',
  'reject',
  'cancel',
  'retry',
  'webhook',
  'token-refresh',
  'token-revoke',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** One act of a person or of another system. Holds no field of a person and no secret. */
export interface AuditEntry {
  /** Sorts by time. */
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly action: AuditAction;
  /** Undefined for what is about a connection. */
  readonly sync: string | undefined;
  /** The connection whose token was acted on; undefined for what is about a sync. */
  readonly connection: string | undefined;
  readonly run: string | undefined;
  /** A short sentence: `12 changes`. */
  readonly detail: string | undefined;
  /** Why, in the words of the person. */
  readonly reason?: string;
  /** The login or server token that was used, when `by` is another name. */
  readonly via?: string;
}

export interface Audit {
  add(entry: AuditEntry): Promise<void>;
  /** Newest first, those with an id below `before`. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

export interface AuditQuery {
  readonly limit: number;
  readonly sync?: string;
  readonly run?: string;
  readonly by?: string;
  /** Only entries of this instant or later. */
  readonly since?: number;
  readonly before?: string;
}
