import type { ChangeState } from '../core/run.ts';
import type { Batch, Run, Trigger } from '../ports/store.ts';

export interface RequestState {
  readonly trigger: Trigger;
  readonly state: 'waiting' | 'running' | 'ended' | 'canceled';
  /** The run that took the request. */
  readonly run: Run | undefined;
  /** How it ended for the people of the request, of whom the run may have had more. Undefined before the end. */
  readonly result: RequestResult | undefined;
}

export interface RequestResult {
  readonly outcome: NonNullable<Run['outcome']>;
  readonly reason: string | undefined;
  /** Number of changes of the people of the request, by state. */
  readonly changes: Readonly<Record<ChangeState, number>>;
}

export interface RunProgress {
  readonly run: Run;
  readonly batches: readonly Batch[];
}
