/** Whether a process works on a run in progress, and what the run waits for. */
export interface RunWork {
  /**
   * No process works on the run. `at` (epoch ms): when the last one lost it after its death; undefined after a regular
   * stop.
   */
  readonly interrupted: { readonly at: number | undefined } | undefined;
  /** Files without a final status. They are polled until `untilMs` (epoch ms) at the latest. */
  readonly files: { readonly count: number; readonly untilMs: number } | undefined;
}
