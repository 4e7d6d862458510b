import type { Config } from '../config/config.ts';
import { oldestSuccess } from '../watch/alerts/freshness.ts';
import { openSchedules } from '../work/schedule.ts';

/** Returns since when each sync must have succeeded so that it is not late, by name of the sync. */
export function freshnessLimits({ syncs }: Config): ReadonlyMap<string, ReturnType<typeof oldestSuccess>> {
  const slots = openSchedules(Object.values(syncs));
  return new Map(
    Object.values(syncs).map(({ name, freshnessMs }) => [
      name,
      oldestSuccess({ freshnessMs, schedule: slots.get(name) }),
    ]),
  );
}
