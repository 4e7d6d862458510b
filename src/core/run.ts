import type { ChangeClass } from './change.ts';

/**
 * How far a run is. Nothing before `delivering` has an effect outside. A run alternates between `delivering` (a batch goes
 * out) and `proving` (its status is polled, its users are read back) until no batch is left.
 */
export type Phase = 'reading' | 'planning' | 'delivering' | 'proving' | 'done';

export type Outcome = 'succeeded' | 'nothing-to-do' | 'held' | 'partial' | 'failed' | 'cancelled' | 'exported';

/** How one change ended, or stands. */
export type ChangeState =
  | 'planned'
  | 'held'
  /** Part of a batch that was sent, or is being sent. */
  | 'sent'
  | 'applied'
  | 'failed'
  /** Write-only fields: sent, and no sign that they were taken. */
  | 'unverified'
  /** The fate is not known: nothing goes to this user until it is, or the wait has passed. */
  | 'unresolved'
  /** Handed to somebody else by the outbox. */
  | 'exported'
  /** Not sent and never to be: the run was cancelled, failed before, or a person rejected it. */
  | 'dropped';

export type BatchState =
  | 'planned'
  /** Written before the first byte goes out. Found after a crash it means: fate unknown. */
  | 'sending'
  | 'sent'
  | 'settled'
  | 'unresolved';

/** The counts of `--json`. */
export interface Counts {
  readonly create: number;
  readonly update: number;
  readonly enable: number;
  readonly disable: number;
  readonly remove: number;
  readonly firstSight: number;
  readonly held: number;
  readonly applied: number;
  readonly failed: number;
  readonly unverified: number;
  readonly unresolved: number;
  readonly repeated: number;
}

export const noCounts: Counts = {
  create: 0,
  update: 0,
  enable: 0,
  disable: 0,
  remove: 0,
  firstSight: 0,
  held: 0,
  applied: 0,
  failed: 0,
  unverified: 0,
  unresolved: 0,
  repeated: 0,
};

/** What a guard stopped, for approval. */
export interface Hold {
  readonly sync: string;
  readonly class: ChangeClass;
  /** Why: `7 disables in 24 h, 5 allowed`. */
  readonly reason: string;
  readonly count: number;
}
