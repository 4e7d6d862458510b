import { z } from 'zod';
import { RollcallError } from '../src/core/run/errors.ts';
import { exportLease, runExport as makePass } from '../src/run/export/run-export.ts';
import type { JobContext, JobOutcome, Work } from '../src/run/work.ts';

/**
 * Makes one pass of an export of feedback or evaluations.
 *
 * Payload: the export's name. When: a slot of its schedule is due, a user asked for it, the pass before failed, or its
 * process died. Effect: rows in files or in a table, each item once, and in the store what was written.
 */
export const runExport: Work<Pick<JobContext, 'engine' | 'withLease'>, { export: string }, JobOutcome> = {
  name: 'run-export',
  payload: z.object({ export: z.string() }),
  async run({ engine, withLease }, { export: name }) {
    await withLease(exportLease(name), async (signal) => {
      try {
        await makePass(name, engine, signal);
      } catch (error) {
        signal.throwIfAborted();
        // It is stored and logged, and the next pass has its time.
        if (!(error instanceof RollcallError)) throw error;
      }
    });
    return { kind: 'done' };
  },
};
