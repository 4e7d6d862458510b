import type { ChangeKind } from './change.ts';

/** How often the platform has refused one create, or accepted it without showing the user. */
export interface RefusedCreate {
  /** The hash of the change: another row is another create. */
  readonly hash: string;
  readonly tries: number;
  /** End of the last run that tried (epoch ms). */
  readonly lastAt: number;
}

const dayMs = 86_400_000;
/** Waits after the first refusal, the second, and so on; the last one repeats. */
const waitsMs = [0, dayMs, 3 * dayMs, 7 * dayMs];

/** Returns when a run tries the create again automatically (epoch ms). */
export function nextTryAt({ tries, lastAt }: RefusedCreate): number {
  return lastAt + (waitsMs[Math.min(tries, waitsMs.length) - 1] ?? 0);
}

/** Completes the reason of a refused change: a create of a user whom the platform does not show has likely causes. */
export function refusalReason(kind: ChangeKind, reason: string): string {
  if (kind !== 'create') return reason;
  return `${reason.replace(/\.$/, '')}. A deleted or hidden account may still use the identification or e-mail`;
}
