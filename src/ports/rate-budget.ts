/**
 * Limits how many calls to a platform may begin, counted over all who share the budget: one process, or all workers.
 */
export interface RateBudget {
  /**
   * Takes the next start from the budget and returns the wait in ms; 0 means at once. Never rejects. A process that
   * cannot reach the shared budget uses a small share of it instead.
   */
  take(): Promise<number>;
}
