import { defineTask } from './define-task.ts';

export interface EvaluateAlertsContext {
  /** Starts an evaluation, unless one is in progress. Sending a notice never delays the scheduler. */
  begin(): Promise<unknown>;
}

/**
 * Evaluates the alerts: failed batches and runs, holds, tokens, late syncs, and the deployment itself.
 *
 * When: every second, in the scheduler itself. Effect: notices through the configured channels when a problem begins,
 * changes or ends, and their state in the store.
 */
export const evaluateAlerts = defineTask({
  name: 'evaluate-alerts',
  everyMs: 1000,
  run: ({ begin }: EvaluateAlertsContext) => begin(),
});
