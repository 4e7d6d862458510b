import { exportLease } from '../src/run/export/run-export.ts';
import type { SchedulerContext, Work } from '../src/run/work.ts';

/**
 * Requests a pass of each export whose cron slot is due, and hands requested passes to the workers: also those that failed
 * and are due again, and those whose process died.
 *
 * When: every two seconds, in the scheduler itself. Effect: the request in the store. Without exports it asks nothing.
 */
export const openExports: Work<Pick<SchedulerContext, 'engine' | 'exports' | 'enqueue'>> = {
  name: 'open-exports',
  everyMs: 2000,
  async run({ engine: { store, clock }, exports, enqueue }) {
    if (exports.length === 0) return;
    const now = clock.now();
    for (const { name, slots } of exports) {
      const slot = await slots?.dueSlot(now);
      if (slot === undefined) continue;
      await store.exports.request({ name, at: now, slotAt: slot });
      slots?.requested(now);
    }
    for (const { name, requestedAt, retryAt = 0 } of await store.exports.list()) {
      if (requestedAt === undefined || retryAt > now || !exports.some((one) => one.name === name)) continue;
      if ((await store.leases.holder(exportLease(name), now)) === undefined)
        await enqueue('run-export', { export: name });
    }
  },
};
