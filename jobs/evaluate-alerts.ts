import type { SchedulerContext, Work } from '../src/run/work.ts';

/**
 * Evaluates the alerts: failed batches and runs, holds, tokens, late syncs, and the deployment itself.
 *
 * When: every second, in the scheduler itself. Effect: notices through the configured channels when a problem begins,
 * changes or ends, and their state in the store.
 */
export const evaluateAlerts: Work<Pick<SchedulerContext, 'evaluateAlerts'>> = {
  name: 'evaluate-alerts',
  everyMs: 1000,
  run: (context) => context.evaluateAlerts(),
};
