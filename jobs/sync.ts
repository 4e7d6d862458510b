import { runStepJob } from './run-step.ts';

/** Pulls the employees and makes the plan of a run. */
export const sync = runStepJob('plan');
