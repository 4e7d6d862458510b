import { reportLease } from '../src/run/send-report.ts';
import type { SchedulerContext, Work } from '../src/run/work.ts';

/**
 * Requests each report by e-mail whose cron slot is due, and hands requested ones to the workers: also those that failed
 * and are due again, and those whose process died.
 *
 * When: every two seconds, in the scheduler itself. Effect: the request in the store. Without reports it asks nothing.
 */
export const openReports: Work<Pick<SchedulerContext, 'engine' | 'reports' | 'enqueue'>> = {
  name: 'open-reports',
  everyMs: 2000,
  async run({ engine: { store, clock }, reports, enqueue }) {
    if (reports.length === 0) return;
    const now = clock.now();
    for (const { name, slots } of reports) {
      const slotAt = await slots.dueSlot(now);
      if (slotAt === undefined) continue;
      await store.mailedReports.request({ name, at: now, slotAt });
      slots.requested(now);
    }
    for (const { name, requestedAt, retryAt = 0 } of await store.mailedReports.list()) {
      if (requestedAt === undefined || retryAt > now || !reports.some((one) => one.name === name)) continue;
      if ((await store.leases.holder(reportLease(name), now)) === undefined)
        await enqueue('send-report', { report: name });
    }
  },
};
