import type { Pace } from '../core/run/pace.ts';

/**
 * Limits how many calls to a platform may begin, counted over all who share the budget: one process, or all workers.
 */
export interface RateBudget {
  /**
   * Takes the next start from the budget, at this rate, and returns the wait in ms; 0 means at once. Never rejects. A
   * process that cannot reach the shared budget uses a small share of it instead.
   */
  take(perSecond: number): Promise<number>;
  /** Returns what all who share the budget have learned, as of the last `take`. */
  pace(): Pace;
  /** Tells all who share the budget. Never throws. */
  learn(pace: Pace): void;
}
