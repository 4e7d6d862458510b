import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Has a connection's token renewed ahead of its end, so that no run waits for it. */
export const keepToken = defineJob({
  name: 'keep-token',
  payload: z.object({ connection: z.string() }),
  async run({ connection }, context) {
    await context.keepToken(connection);
    return { kind: 'done' };
  },
});
