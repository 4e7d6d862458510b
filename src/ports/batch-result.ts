import type { Batch } from './store.ts';

/**
 * What became of a batch: `done`, its file `failed` (its rows were read back, and what was missing went again in halves),
 * its upload was `refused`, its outcome is not known (`unresolved`), or it was never sent (`unsent`).
 */
export const batchResults = ['done', 'failed', 'refused', 'unresolved', 'unsent'] as const;
export type BatchResult = (typeof batchResults)[number];

/** Returns the result of a batch; undefined while it is planned, being sent, or not proven yet. */
export function batchResult({ kind, state, final, finalAt, fileId, sentAt }: Batch): BatchResult | undefined {
  if (final === 'failed') return 'failed';
  if (state === 'unresolved') return 'unresolved';
  if (state !== 'settled') return undefined;
  if (sentAt === undefined) return kind === 'outbox' ? 'done' : 'unsent';
  const isRefused = kind === 'csv' && fileId === undefined && final === undefined && finalAt === undefined;
  return isRefused ? 'refused' : 'done';
}
