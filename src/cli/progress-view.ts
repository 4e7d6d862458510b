import type { Progress } from '../ports/runtime.ts';

/** Shows the progress of a run. Must be ended. */
export interface ProgressView {
  readonly progress: Progress;
  end(): void;
}
