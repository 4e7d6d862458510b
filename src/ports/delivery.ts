import type { Change } from '../core/plan/change.ts';
import type { RefusedInRow } from '../core/run/waves.ts';
import type { FileStatus } from './platform.ts';

/**
 * A route that delivers a batch to the platform. `submit` is called after the store has the state `sending`. It makes
 * at most one attempt per change and never repeats a write whose outcome is not known. It throws only when the platform
 * applied nothing.
 */
export interface Delivery {
  readonly kind: 'csv' | 'direct' | 'outbox' | 'leaders';
  submit(batch: BatchToSubmit, signal: AbortSignal): Promise<Submission>;
}

export interface BatchToSubmit {
  readonly id: string;
  /** In order of identification. */
  readonly changes: readonly Change[];
  /** Writes that were refused before, without an accepted one in between. Absent: none. */
  readonly refusedInRow?: RefusedInRow;
  /**
   * Called before and after each direct change, so that a crash leaves a record of the progress. Resolves when the
   * record is durable. No call is sent before its `sending` record is durable.
   */
  readonly onResult: (identification: string, result: CallResult) => Promise<void>;
}

export type CallResult =
  | { readonly kind: 'sending' }
  /** The change was not sent, and certainly not applied. */
  | { readonly kind: 'not-tried' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string; readonly raw?: string }
  /** The response was lost. Read the user back before sending another change. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly raw?: string };

/** `raw` is what the platform answered, for sealed storage only. No reason quotes it. */
export type Submission =
  /** The platform accepted a file and processes it. */
  | { readonly kind: 'file'; readonly fileId: string; readonly fileName: string; readonly status?: FileStatus }
  /**
   * Direct calls: `onResult` reported the results. A change without a result was not tried and can be sent later.
   * `trouble`: why the run sends nothing more.
   */
  | {
      readonly kind: 'direct';
      /** Writes that were refused since the last accepted one. Absent: none. */
      readonly refusedInRow?: RefusedInRow;
      readonly trouble?: { readonly reason: string; readonly raw?: string };
    }
  /** Written to a folder. Another system delivers it. */
  | { readonly kind: 'exported'; readonly path: string }
  /** Nothing was applied. Retry after a wait (another file is processing, too many requests). */
  | {
      readonly kind: 'wait';
      readonly afterMs: number;
      readonly reason: string;
      /** The status of the answer. Absent: another file is processing. */
      readonly status?: number;
      readonly raw?: string;
    }
  /** Nothing was applied, because the file is too large for the platform. */
  | { readonly kind: 'too-large'; readonly reason: string; readonly raw?: string }
  /** Nothing was applied, and a retry of the same batch cannot succeed. `mayBeBusy`: unless another file is processing. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly status?: number;
      readonly raw?: string;
      readonly mayBeBusy?: true;
    }
  /** The platform may have applied it: the batch is unresolved. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly status?: number; readonly raw?: string };
