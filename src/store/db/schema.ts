import type { Generated } from 'kysely';
import type { ChangeClass, ChangeKind } from '../../core/plan/change.ts';
import type { FindingCode } from '../../core/run/finding.ts';
import type { BatchState, ChangeState, Outcome, Phase } from '../../core/run/run.ts';
import type { AlertDelivery } from '../../ports/alerts.ts';
import type { Preview } from '../../ports/previews.ts';
import type { UnknownState } from '../../ports/runs.ts';
import type { Session } from '../../ports/sessions.ts';
import type { AuditAction, Batch, DecisionState, HoldFacts, TokenState, TriggerKind } from '../../ports/store.ts';

/**
 * The tables after the last migration, the same in every database: text, integers and null only. Instants are epoch ms,
 * booleans are 0 or 1, structures are JSON text, and identifications sort by code point. Both drivers return integers and
 * counts as numbers, because all of them are far below 2^53.
 */
export interface Schema {
  leases: LeaseRow;
  turns: TurnRow;
  clock_marks: ClockMarkRow;
  clock_jumps: ClockJumpRow;
  triggers: TriggerRow;
  runs: RunRow;
  findings: FindingRow;
  raw_texts: RawTextRow;
  forgotten: ForgottenRow;
  store_keys: StoreKeyRow;
  plans: PlanRow;
  changes: ChangeRow;
  batches: BatchRow;
  ledger: LedgerRow;
  holds: HoldRow;
  hold_runs: HoldRunRow;
  decisions: DecisionRow;
  reads: ReadRow;
  rosters: RosterRow;
  roster_pages: RosterPageRow;
  baselines: BaselineRow;
  watermarks: WatermarkRow;
  tokens: TokenRow;
  alert_states: AlertStateRow;
  alert_deliveries: AlertDeliveryRow;
  pauses: PauseRow;
  learned: LearnedRow;
  audit: AuditRow;
  restores: RestoreRow;
  sessions: SessionRow;
  sign_ins: SignInRow;
  previews: PreviewRow;
  directories: DirectoryRow;
  directory_pages: DirectoryPageRow;
  schema_compatibility: CompatibilityRow;
}

/** An owner that waits for the lease `name`. */
export interface TurnRow {
  name: string;
  owner: string;
  number: number;
  /** The place counts until then. */
  until_at: number;
}

export interface LeaseRow {
  name: string;
  /** Null while the lease is free. The row stays, so that the fence never restarts. */
  owner: string | null;
  fence: number;
  until_at: number;
  /** How often it was taken over from an owner that had not released it. */
  deaths: Generated<number>;
}

export interface TriggerRow {
  id: string;
  sync: string;
  kind: TriggerKind;
  key: string;
  requested_at: number;
  scope: string;
  /** Equal for equal scopes, whatever the order of identifications. */
  scope_key: string;
  state: Generated<'waiting' | 'taken' | 'cancelled'>;
  /** The run that took the trigger. */
  run: string | null;
}

export interface RunRow {
  id: string;
  sync: string;
  connection: string;
  trigger_kind: TriggerKind;
  scope: string;
  phase: Phase | UnknownState;
  started_at: number;
  ended_at: number | null;
  outcome: Outcome | UnknownState | null;
  reason: string | null;
  digest: string | null;
  counts: string;
  facts: string;
  requests: Generated<string | null>;
  /** Null before the first change of phase. */
  phases: Generated<string | null>;
  is_cancel_requested: Generated<number>;
  /** 1 when the run ended and did its work. */
  is_success: Generated<number>;
  /** 1 when findings, changes and batches were deleted. */
  is_pruned: Generated<number>;
}

export interface FindingRow {
  run: string;
  number: number;
  code: FindingCode;
  identification: string | null;
  place: string | null;
  message: string;
}

export interface PlanRow {
  id: string;
  sync: string;
  run: string | null;
  made_at: number;
  /** Null until the plan is sealed. */
  digest: string | null;
  /** Fingerprint of the configuration with which the plan was made. */
  configuration: string | null;
}

export interface ChangeRow {
  plan: string;
  identification: string;
  kind: ChangeKind;
  /** JSON of what holds personal data; see `toPlannedChange`. Sealed with a key. */
  personal: string;
  /** Names between commas: `,email,job,`. */
  changed: string;
  /** Sum of the bits of `classBits`. */
  classes: number;
  waits_for: string | null;
  hash: string;
  state: Generated<ChangeState>;
  state_reason: string | null;
  batch: string | null;
  is_approved: Generated<number>;
  rule: string;
  episode: string;
  is_rejected: Generated<number>;
  /** Digests of the requested values as JSON, where a decision about a field depends on them. */
  asked: string | null;
  applied_at: number | null;
}

export interface BatchRow {
  id: string;
  run: string;
  sync: string;
  connection: string;
  number: number;
  kind: Batch['kind'];
  size: number;
  state: BatchState | UnknownState;
  sent_at: number | null;
  file_id: string | null;
  file_name: string | null;
  status: string | null;
  polls: number;
  final: Batch['final'] | null;
  final_at: number | null;
  reason: string | null;
  parent: string | null;
  is_parking: number;
}

export interface LedgerRow {
  connection: string;
  identification: string;
  owner: string;
  account_id: string | null;
  /** Null when empty, which is the usual case and needs no parsing. */
  hidden: string | null;
  quirks: string | null;
  unverified: number;
  disabled_at: number | null;
  gone_since: number | null;
  miss_count: number | null;
  miss_since: number | null;
  miss_stamp: string | null;
  hand_over_since: number | null;
  taken_from: string | null;
  taken_at: number | null;
  removed_at: number | null;
  removed_blacklist: number | null;
  written_at: number | null;
}

export interface DecisionRow {
  sync: string;
  hash: string;
  identification: string;
  rule: string;
  /** A number: 0, 1, … */
  episode: string;
  state: DecisionState;
  by_whom: string | null;
  why: string | null;
  at: number;
  /** Null for a rejection. */
  expires_at: number | null;
  /** The run that used the approval up. */
  run: string | null;
  ended_at: number | null;
  /** The run whose read ended the episode. */
  ended_by: string | null;
  /** `DecidedFields` as JSON. */
  fields: string;
}

export interface ReadRow {
  run: string;
  sync: string;
  read_at: number;
  row_count: number;
  stamp: string;
  is_accepted: number;
  fill_rates: string;
  sight: string | null;
  /** Counts by kind. */
  blocked: string | null;
}

export interface RosterRow {
  sync: string;
  run: string;
  read_at: number;
  fingerprint: string;
  salt: string;
  people: number;
  people_pages: number;
  email_pages: number;
}

export interface RosterPageRow {
  sync: string;
  part: 'people' | 'emails';
  page: number;
  /** sha256 of `data`: a page that is equal is not written again. */
  digest: string;
  /** 32-bit numbers, little-endian, in base64; see core/roster.ts. */
  data: string;
}

export interface BaselineRow {
  sync: string;
  /** `measured`: what an edit was measured with, until it is accepted. */
  role: 'accepted' | 'measured';
  fingerprint: string;
  sealed: string;
  run: string | null;
  at: number;
  is_open: number;
  is_held: number;
}

export interface WatermarkRow {
  sync: string;
  known_at: number;
  full_at: number;
  full_run: string;
  fingerprint: string;
}

export interface TokenRow {
  connection: string;
  generation: number;
  state: TokenState;
  access_sealed: string | null;
  refresh_sealed: string | null;
  issued_at: number | null;
  expires_at: number | null;
  seed_hash: string | null;
  used_seeds: string;
  refresh_started_at: number | null;
  attempts: number;
  reason: string | null;
  retry_at: number | null;
  tried_seeds: string | null;
  room: string | null;
  /** When a restore put the row here; null once an operator has confirmed it. */
  restored_at: number | null;
  /** Hash of the first token that was configured at the restore. Null when the store knew it. */
  restored_seed: string | null;
}

export interface PauseRow {
  sync: string;
  paused_at: number;
  by_whom: string;
  until_at: number | null;
}

/** `facts`: JSON of `LearnedFacts`. */
export interface LearnedRow {
  connection: string;
  facts: string;
}

export interface AuditRow {
  id: string;
  at: number;
  by_whom: string;
  action: AuditAction;
  /** Null for entries about a connection. */
  sync: string | null;
  connection: string | null;
  run: string | null;
  detail: string | null;
  why: string | null;
  via: string | null;
}

/** One row per migration, including those that this version does not know. Its columns can never change. */
export interface CompatibilityRow {
  migration: string;
  /** The first release that has the migration. */
  since: string;
  /** Why versions without the migration cannot use the store; null when they can. */
  breaks: string | null;
}

export interface AlertStateRow {
  subject: string;
  version: number;
  state: string;
}

export interface AlertDeliveryRow {
  notice: string;
  channel: string;
  subject: string;
  made_at: number;
  body: string;
  state: AlertDelivery['state'];
  tries: number;
  next_at: number;
  ended_at: number | null;
  error: string | null;
  /** The run that it is about; null when it stands alone. */
  thread: string | null;
  /** The receiver's id of it. */
  receipt: string | null;
}

/** What the clock showed at an instant of a machine's uptime. */
interface ClockMarkRow {
  boot: string;
  uptime_ms: number;
  at: number;
}

interface ClockJumpRow {
  before_at: number;
  after_at: number;
}

interface DirectoryRow {
  sync: string;
  run: string;
  read_at: number;
  people: number;
  pages: number;
}

export interface DirectoryPageRow {
  sync: string;
  page: number;
  digest: string;
  /** JSON of the rows, sealed. */
  sealed: string;
}

/** Its changes are those of the run's plan that are held and in the class. */
export interface HoldRow {
  id: string;
  sync: string;
  run: string;
  class: ChangeClass;
  reason: string;
  digest: string;
  /** sha256 over the hashes of its changes in order of identification: equal for holds of the same changes. */
  members_key: string;
  /** Number of its changes when it was opened. */
  size: number;
  held_at: number;
  expires_at: number;
  state: HoldFacts['state'];
}

/** Every run that held the same changes. A renewed hold is found from the run that created it. */
interface HoldRunRow {
  hold: string;
  run: string;
}

export interface PreviewRow {
  id: string;
  sync: string;
  scope: string;
  requested_by: string;
  requested_at: number;
  expires_at: number;
  state: Generated<Preview['state']>;
  attempt: Generated<number>;
  started_at: number | null;
  ended_at: number | null;
  progress: string | null;
  /** Names people by identification, without values. */
  report: string | null;
  reason: string | null;
}

interface RawTextRow {
  run: string;
  number: number;
  at: number;
  /** JSON of what it belongs to and the text, sealed. */
  sealed: string;
}

export interface ForgottenRow {
  connection: string;
  /** Keyed hash of connection and identification. */
  hash: string;
  owner: string;
  disabled_at: number | null;
  gone_since: number | null;
  removed_at: number | null;
  removed_blacklist: number | null;
  forgotten_at: number;
}

/** Keys that the store itself made, sealed when there is an `encryptionKey`. */
interface StoreKeyRow {
  name: string;
  value: string;
}

interface RestoreRow {
  id: string;
  at: number;
  /** When the backup was made. */
  made_at: number;
  by_whom: string;
}

export interface SessionRow {
  key: string;
  name: string;
  role: Session['role'];
  method: Session['method'];
  token: string | null;
  created_at: number;
  used_at: number;
  expires_at: number;
}

export interface SignInRow {
  key: string;
  verifier: string;
  nonce: string;
  target: string;
  expires_at: number;
}
