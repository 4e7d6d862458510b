import { runStepJob } from './run-step.ts';

/** Looks after a batch that went out. */
export const settle = runStepJob('settle');
