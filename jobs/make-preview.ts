import { z } from 'zod';
import { makePreview as plan, previewLease } from '../src/run/make-preview.ts';
import type { JobContext, JobOutcome, Work } from '../src/run/work.ts';

/**
 * Makes a plan on demand.
 *
 * Payload: the preview's id. When: a user asked for it; again when the process that made it died. Effect: rows of the
 * preview and its plan in the store. It reads source and platform as a run does, and changes nothing else.
 */
export const makePreview: Work<Pick<JobContext, 'engine' | 'withLease'>, { preview: string }, JobOutcome> = {
  name: 'make-preview',
  payload: z.object({ preview: z.string() }),
  async run({ engine, withLease }, { preview }) {
    await withLease(previewLease(preview), (signal) => plan(preview, engine, signal));
    return { kind: 'done' };
  },
};
