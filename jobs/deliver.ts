import { runStepJob } from './run-step.ts';

/** Sends the run's next batch. */
export const deliver = runStepJob('deliver');
