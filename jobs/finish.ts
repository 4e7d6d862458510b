import { runStepJob } from './run-step.ts';

/** Counts what came of a run and closes it. */
export const finish = runStepJob('finish');
