import type { Change } from '../core/change.ts';

/**
 * A way to bring a batch to the platform. `submit` is called after the store says `sending`; it makes at most one
 * attempt per change and never repeats a write whose fate is unknown. It throws only when nothing at all was taken.
 */
export interface Delivery {
  readonly kind: 'csv' | 'direct' | 'outbox';
  submit(batch: BatchToSubmit, signal: AbortSignal): Promise<Submission>;
}

export interface BatchToSubmit {
  readonly id: string;
  /** In order of identification. */
  readonly changes: readonly Change[];
  /**
   * Called before and after each direct change, so that a crash knows how far it came. Resolves when it is durable;
   * no call goes out before its `sending` is.
   */
  readonly onResult: (identification: string, result: CallResult) => Promise<void>;
}

export type CallResult =
  | { readonly kind: 'sending' }
  /** It turned out that it was not sent after all, and certainly not taken. */
  | { readonly kind: 'not-tried' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The answer was lost: read back before anything else goes to this user. */
  | { readonly kind: 'unknown'; readonly reason: string };

export type Submission =
  /** The platform took a file and works on it. */
  | { readonly kind: 'file'; readonly fileId: string; readonly fileName: string }
  /** Direct calls: fates were told through `onResult`. A change without one was not tried and may go out later. */
  | { readonly kind: 'direct' }
  /** Written to a folder for someone else to deliver. */
  | { readonly kind: 'exported'; readonly path: string }
  /** Nothing was taken; try again after a wait (somebody else's file is processing, too many requests). */
  | { readonly kind: 'wait'; readonly afterMs: number; readonly reason: string }
  /** Nothing was taken and never will be as it is. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have been taken: the batch is unresolved. */
  | { readonly kind: 'unknown'; readonly reason: string };
