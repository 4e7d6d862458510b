import type { ClockJump } from '../core/guard/clock-jump.ts';
import type { Waiting } from '../core/run/waiting.ts';

/** Effects that every part may need, provided by the composition root. Only `main` reads the real clock. */

export interface Clock {
  /** Epoch milliseconds. The clock of a store (`StoreClock`) shows the same to all processes on that store. */
  now(): number;
  /** The known jumps of this clock. A decision by age leaves them out (`instantAgo`). Absent: none. */
  jumps?(): readonly ClockJump[];
  /** How far the machine's clock is ahead of the server's; without a server, how far it jumped in the last minutes (ms). */
  skewMs?(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as the signal aborts. Leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Time that is never set: what the machine's clock should show is judged by it. */
export interface Uptime {
  /** Id of the machine's last start. Undefined where the system has none: then each process judges for itself. */
  readonly boot: string | undefined;
  /** Milliseconds since the machine started. Includes time in which it slept. All its processes read the same. */
  now(): number;
}

/** Structured log. Fields hold no personal data and no token. People appear as `keyedHash` (see telemetry). */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

/** The log of a command that writes none. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};

export type LogFields = Readonly<Record<string, string | number | boolean | undefined | null | readonly string[]>>;

/** Returns a new sortable id for a row of the store: `run_01J…`. Unique across processes. */
export type NewId = (prefix: string) => string;

/**
 * Called at each numbered point of a run where a kill has a distinct external effect. The product passes a function
 * that does nothing. The crash tests pass a function that kills the process.
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

/** Progress events for display. A run behaves the same without a listener. */
export type Progress = (event: ProgressEvent) => void;

export type ProgressEvent =
  /** The run waits, or the process waits for the run. `nextAt` (epoch ms): when it looks again. */
  | { readonly step: 'waiting'; readonly waiting: Waiting; readonly nextAt?: number }
  /** No process works on the run, which an earlier process left. This process continues it. */
  | { readonly step: 'continuing'; readonly run: string; readonly startedAt: number }
  | { readonly step: 'reading'; readonly rows: number }
  | { readonly step: 'scanning'; readonly users: number; readonly total: number | undefined }
  | { readonly step: 'planning'; readonly decided: number; readonly total: number }
  /** A last lookup of the users to create or remove, before their batch is sent. */
  | { readonly step: 'looking-up'; readonly users: number; readonly total: number }
  | { readonly step: 'delivering'; readonly batch: number; readonly batches: number; readonly changes: number }
  | { readonly step: 'proving'; readonly batch: number; readonly batches: number; readonly status: string }
  | { readonly step: 'reading-back'; readonly users: number; readonly total: number };

/** How outgoing HTTP, SFTP and mail leave this machine. */
export interface Egress {
  /** Returns the proxy for an address: a URL that may hold a user and a password. Undefined: none. */
  proxyFor(url: URL): string | undefined;
}

/**
 * Scratch space that exists only while the process holds it: in memory, beyond some size in a file. Records are written in
 * sequence and read by position. With it, a plan's memory depends on the index, not on the records. It holds personal
 * data, so a file has no name on disk, is encrypted, and ends with the process.
 */
export interface Spool {
  /** Appends the text and returns its position for `read`. */
  append(text: string): number;
  read(place: number): string;
  close(): void;
}

export type OpenSpool = () => Spool;
