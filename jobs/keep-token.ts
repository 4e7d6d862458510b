import { z } from 'zod';
import type { JobContext } from '../src/run/job-context.ts';
import { defineJob } from './define-job.ts';

const everyMs = 60_000;

/**
 * Refreshes a connection's access token ahead of its end, so that no run waits for it.
 *
 * Payload: the connection's name. When: every minute for each connection; it does nothing before 75 % of the token's life.
 * Effect: at most one call of the token endpoint; the new pair is in the store before it is used.
 */
export const keepToken = {
  ...defineJob({
    name: 'keep-token',
    payload: z.object({ connection: z.string() }),
    async run({ connection }, context: Pick<JobContext, 'keepToken'>) {
      await context.keepToken(connection);
      return { kind: 'done' };
    },
  }),
  everyMs,
};
