import { z } from 'zod';
import type { JobContext, JobOutcome, Work } from '../src/run/work.ts';

/**
 * Refreshes a connection's access token ahead of its end, so that no run waits for it.
 *
 * Payload: the connection's name. When: every minute for each connection; it does nothing before 75 % of the token's life.
 * Effect: at most one call of the token endpoint; the new pair is in the store before it is used.
 */
export const keepToken: Work<Pick<JobContext, 'keepToken'>, { connection: string }, JobOutcome> = {
  name: 'keep-token',
  everyMs: 60_000,
  payload: z.object({ connection: z.string() }),
  async run(context, { connection }) {
    await context.keepToken(connection);
    return { kind: 'done' };
  },
};
