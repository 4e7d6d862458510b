import { z } from 'zod';
import { RollcallError } from '../src/core/run/errors.ts';
import { reportLease, sendReport as send } from '../src/run/send-report.ts';
import type { JobContext, JobOutcome, Work } from '../src/run/work.ts';

/**
 * Sends a report of leavers or joiners by e-mail.
 *
 * Payload: the report's name. When: a slot of its schedule is due, the attempt before failed, or its process died.
 * Effect: one e-mail, an entry in the audit, and in the store where the report stands.
 */
export const sendReport: Work<Pick<JobContext, 'engine' | 'withLease'>, { report: string }, JobOutcome> = {
  name: 'send-report',
  payload: z.object({ report: z.string() }),
  async run({ engine, withLease }, { report: name }) {
    await withLease(reportLease(name), async (signal) => {
      try {
        await send(name, engine, signal);
      } catch (error) {
        signal.throwIfAborted();
        // It is stored and logged, and the next attempt has its time.
        if (!(error instanceof RollcallError)) throw error;
      }
    });
    return { kind: 'done' };
  },
};
