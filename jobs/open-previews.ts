import type { EngineIo } from '../src/run/engine-io.ts';
import { previewLease } from '../src/run/make-preview.ts';
import { defineTask } from './define-task.ts';

/** Previews in progress at the same time. Each one takes as much memory as a plan. */
const atATime = 2;

export interface OpenPreviewsContext {
  readonly engine: Pick<EngineIo, 'store' | 'clock'>;
  /** Hands a preview to a worker, unless it is waiting there or in progress. */
  make(preview: string): Promise<void>;
}

/**
 * Hands previews that users asked for to the workers, oldest first, and those whose process died.
 *
 * When: every second, in the scheduler itself. Effect: none of its own.
 */
export const openPreviews = defineTask({
  name: 'open-previews',
  everyMs: 1000,
  async run({ engine: { store, clock }, make }: OpenPreviewsContext) {
    const now = clock.now();
    for (const id of (await store.previews.unended(now)).slice(0, atATime)) {
      if ((await store.leases.holder(previewLease(id), now)) === undefined) await make(id);
    }
  },
});
