import { z } from 'zod';
import type { JobContext } from '../src/run/job-context.ts';
import { makePreview, previewLease } from '../src/run/make-preview.ts';
import { defineJob } from './define-job.ts';

/**
 * Makes a plan on demand.
 *
 * Payload: the preview's id. When: a user asked for it; again when the process that made it died. Effect: rows of the
 * preview and its plan in the store. It reads source and platform as a run does, and changes nothing else.
 */
export const makePreviewJob = defineJob({
  name: 'make-preview',
  payload: z.object({ preview: z.string() }),
  async run({ preview }, { engine, withLease }: Pick<JobContext, 'engine' | 'withLease'>) {
    await withLease(previewLease(preview), (signal) => makePreview(preview, engine, signal));
    return { kind: 'done' };
  },
});
