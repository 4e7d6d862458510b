import type { Finding } from '../core/finding.ts';
import type { Batch, HoldFacts, Run } from '../ports/store.ts';

export interface RunReport {
  readonly run: Run;
  readonly findings: readonly Finding[];
  /** Total number of findings. `findings` holds only the first ones. */
  readonly findingsInAll: number;
  readonly batches: readonly Batch[];
  readonly holds: readonly HoldFacts[];
  /** Interrupted runs that ended before this one, in the same call. */
  readonly resumed: readonly Run[];
}
