import type { SyncSettings } from '../run/settings.ts';
import type { Misses } from './ledger.ts';

/** When a missing person is disabled: after so many complete reads without the person, and never before an instant. */
export interface MissingWait {
  readonly afterReads: number;
  /** Epoch ms. */
  readonly from: number;
}

/** Returns when the person is disabled. Empty where the sync never disables the person. */
export function missingWait(
  { since }: Misses,
  identification: string,
  { missing, policy, protected: exempt }: Pick<SyncSettings, 'missing' | 'policy' | 'protected'>,
): { readonly wait?: MissingWait } {
  if (missing === 'never' || policy !== 'sync' || exempt.includes(identification)) return {};
  return { wait: { afterReads: missing.afterReads, from: since + missing.minAgeMs } };
}
