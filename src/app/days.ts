import { createZoneDays, isTimeZone } from '../core/person/time-zone.ts';
import type { ChangeKind } from '../core/plan/change.ts';
import { RollcallError } from '../core/run/errors.ts';
import { noKinds } from '../core/run/report.ts';
import type { DayCounts, DaysReport } from '../views/overview.ts';
import type { AppIo } from './app-io.ts';

const dayMs = 86_400_000;
const failedOutcomes: readonly string[] = ['failed', 'partial'];

export interface DaysQuery {
  /** Number of days, today included. */
  readonly days: number;
  /** IANA name of the zone in which days begin. */
  readonly timezone: string;
}

/** Counts runs and applied changes of every configured sync by day. Throws `USAGE` for an unknown time zone. */
export async function countDays({ engine: io }: AppIo, { days: count, timezone }: DaysQuery): Promise<DaysReport> {
  if (!isTimeZone(timezone)) {
    throw new RollcallError(`no time zone is called ${timezone}: use a name such as Europe/Madrid or UTC`, {
      code: 'USAGE',
    });
  }
  const { store, clock } = io;
  const now = clock.now();
  const zone = createZoneDays();
  const dayOf = (at: number): string => zone.today(timezone, at) ?? '';
  const days = daysUpTo(dayOf(now), count);
  const first = days[0] ?? '';
  // A day begins at most 14 hours before, and 12 hours after, the day of UTC.
  const since = Date.parse(`${first}T00:00:00Z`) - dayMs;
  const [applied, ended] = await Promise.all([store.reports.applied(since), store.reports.ended(since)]);
  const counts = new Map<string, Map<string, Draft>>();
  for (const name of io.syncs.keys()) counts.set(name, new Map(days.map((day) => [day, emptyDay(day)])));
  for (const { sync, at, kind, count: changes } of applied) {
    const day = counts.get(sync)?.get(dayOf(at));
    if (day !== undefined) day.applied[kind] += changes;
  }
  for (const { sync, at, outcome, count: runs, failed } of ended) {
    const day = counts.get(sync)?.get(dayOf(at));
    if (day === undefined) continue;
    day.runs += runs;
    day.failed += failed;
    if (failedOutcomes.includes(outcome)) day.failedRuns += runs;
  }
  return { timezone, days, syncs: [...counts].map(([name, byDay]) => ({ name, days: [...byDay.values()] })) };
}

interface Draft extends DayCounts {
  runs: number;
  failedRuns: number;
  readonly applied: Record<ChangeKind, number>;
  failed: number;
}

function emptyDay(day: string): Draft {
  return { day, runs: 0, failedRuns: 0, applied: { ...noKinds }, failed: 0 };
}

/** Returns plain dates in order, the last one included. */
function daysUpTo(last: string, count: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) =>
    new Date(end - (count - 1 - i) * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length),
  );
}
