import { previewLease } from '../src/run/make-preview.ts';
import type { SchedulerContext, Work } from '../src/run/work.ts';

/** Previews in progress at the same time. Each one takes as much memory as a plan. */
const atATime = 2;

/**
 * Hands previews that users asked for to the workers, oldest first, and those whose process died.
 *
 * When: every second, in the scheduler itself. Effect: none of its own.
 */
export const openPreviews: Work<Pick<SchedulerContext, 'engine' | 'enqueue'>> = {
  name: 'open-previews',
  everyMs: 1000,
  async run({ engine: { store, clock }, enqueue }) {
    const now = clock.now();
    for (const id of (await store.previews.unended(now)).slice(0, atATime)) {
      if ((await store.leases.holder(previewLease(id), now)) === undefined)
        await enqueue('make-preview', { preview: id });
    }
  },
};
