/** Effects that every part may need, handed in by the composition root. Nothing reads the real clock but `main`. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. Leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Structured log. Fields hold no personal data and no token; people appear as `keyedHash` (see telemetry). */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined | null | readonly string[]>>;

/** New sortable ids for rows of the store: `run_01J…`. Unique over processes. */
export type NewId = (prefix: string) => string;

/**
 * Called at each numbered place of a run where a kill would be told apart by the outside world. The product passes a
 * function that does nothing; the crash tests pass one that kills the process.
 */
export type Checkpoint = (place: CheckpointName) => void;

export const checkpointNames = [
  'trigger-stored',
  'run-opened',
  'source-read',
  'unresolved-seen',
  'ledger-written',
  'plan-stored',
  'batch-sending',
  'change-sending',
  'change-accepted',
  'batch-accepted',
  'batch-sent',
  'status-final',
  'read-back',
  'batch-split',
  'batch-settled',
  'run-finished',
] as const;

export type CheckpointName = (typeof checkpointNames)[number];

/** Progress for people; a run works the same without anyone looking. */
export type Progress = (event: ProgressEvent) => void;

export type ProgressEvent =
  /** Another process holds the run; `forMs`: at most so long if it has died. */
  | { readonly step: 'waiting'; readonly run: string; readonly forMs: number }
  /** A job met trouble that may heal, and is done again after so long. */
  | { readonly step: 'retrying'; readonly afterMs: number; readonly reason: string }
  | { readonly step: 'reading'; readonly rows: number }
  | { readonly step: 'scanning'; readonly users: number; readonly total: number | undefined }
  | { readonly step: 'planning'; readonly decided: number; readonly total: number }
  /** A last look at those who are to be created or removed, before their batch goes out. */
  | { readonly step: 'looking-up'; readonly users: number; readonly total: number }
  | { readonly step: 'delivering'; readonly batch: number; readonly batches: number; readonly changes: number }
  | { readonly step: 'proving'; readonly batch: number; readonly batches: number; readonly status: string }
  | { readonly step: 'reading-back'; readonly users: number; readonly total: number };
