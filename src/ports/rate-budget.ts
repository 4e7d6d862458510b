/** How many calls to a platform may begin, counted by everybody who shares it: one process, or all workers. */
export interface RateBudget {
  /**
   * Takes the next start out of the budget and tells how many ms from now it is; 0 is at once. It never rejects: who
   * cannot ask the others gives out a small share of the budget instead.
   */
  take(): Promise<number>;
}
