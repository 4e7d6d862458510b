import { z } from 'zod';
import type { DaysReport, Overview, SyncOverview } from '../../app/page.ts';
import { type AlertsReport, severities } from '../../ports/alerts.ts';
import { count, instant as instantSchema, phaseWord, runSummary } from '../schema.ts';
import { instant, runView } from '../views.ts';

const nullableInstant = instantSchema.nullable();

const health = z.object({
  state: z.enum(['succeeding', 'failing', 'stale', 'never-ran', 'paused']),
  since: nullableInstant.meta({
    description: 'failing: the first failure in a row; stale, succeeding: the last success; paused: the pause',
  }),
  failures: count.meta({ description: 'Runs in a row that failed, wholly or partly' }),
  run: z.string().nullable().meta({ description: 'The newest failed run' }),
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  isStale: z.boolean().meta({ description: 'The last success is older than schedule or `freshness` allow' }),
  by: z.string().nullable().meta({ description: 'Who paused the sync' }),
});

const fraction = z.object({ done: count, total: count }).nullable();

const activity = z.object({
  kind: z.enum(['idle', 'waiting', 'running', 'needs-approval']),
  run: z.string().nullable(),
  phase: phaseWord.nullable(),
  step: count.nullable().meta({ description: '1 to `steps`; null: no run, or a phase of a newer version' }),
  steps: count,
  startedAt: nullableInstant,
  isInterrupted: z.boolean().meta({ description: 'A run is in progress, but no process works on it' }),
  interruptedAt: nullableInstant.meta({ description: 'null: not known, or not interrupted' }),
  problem: z
    .object({ at: instantSchema, reason: z.string() })
    .nullable()
    .meta({ description: 'The last temporary problem of the run in progress' }),
  changes: fraction.meta({ description: 'Changes of settled batches; null before the batches are made' }),
  batches: fraction,
  etaSeconds: count.nullable().meta({ description: 'An estimate; null: the remaining time is not known' }),
});

const waiting = z.object({
  holds: count,
  changes: count.meta({ description: 'Distinct changes that can be approved now' }),
  byClass: z.record(z.string(), count),
  expired: z
    .object({ holds: count, changes: count })
    .meta({ description: 'Not decided within 24 hours: the next run asks again' }),
  reads: count.meta({ description: 'Runs that wait because their source looks wrong' }),
  heldAt: nullableInstant.meta({ description: 'When the oldest hold was opened' }),
  expiresAt: nullableInstant.meta({ description: 'When the first hold expires' }),
});

export const overview = z.object({
  at: instantSchema,
  work: z.object({
    isDeploymentRunning: z.boolean(),
    deploymentSeenAt: nullableInstant.meta({ description: 'null: it never ran, or was stopped in order' }),
    workers: z
      .enum(['alive', 'none', 'in-process'])
      .meta({ description: 'in-process: without Redis, the deployment itself works' }),
    requests: count.meta({ description: 'Requests that no run has taken' }),
    runs: count.meta({ description: 'Runs in progress' }),
  }),
  syncs: z.array(
    z.object({
      name: z.string(),
      connection: z.string(),
      policy: z.string(),
      schedule: z.string().nullable().meta({ description: 'null: runs on request only' }),
      health,
      activity,
      holds: waiting,
      requests: count,
      freshAt: nullableInstant.meta({ description: 'When the latest successful run about all people started' }),
      nextSlotAt: nullableInstant,
      lastRun: runSummary.nullable(),
    }),
  ),
  waiting: z
    .object({ holds: count, changes: count, expiredChanges: count, reads: count })
    .meta({ description: 'The sums over all syncs' }),
  alerts: z.object({ open: count, acknowledged: count, muted: count, worst: z.enum(severities).nullable() }),
});

const phases: readonly string[] = ['reading', 'planning', 'delivering', 'proving'];

export function overviewView(
  { at, work, syncs }: Overview,
  { standing, muted }: Pick<AlertsReport, 'standing' | 'muted'>,
): z.output<typeof overview> {
  const sum = (of: (sync: SyncOverview) => number): number => syncs.reduce((all, sync) => all + of(sync), 0);
  const worst = severities.findLast((word) => standing.some(({ severity }) => severity === word));
  return {
    at: new Date(at).toISOString(),
    work: { ...work, deploymentSeenAt: instant(work.deploymentSeenAt) },
    syncs: syncs.map(syncView),
    waiting: {
      holds: sum(({ holds }) => holds.holds),
      changes: sum(({ holds }) => holds.changes),
      expiredChanges: sum(({ holds }) => holds.expired.changes),
      reads: sum(({ holds }) => holds.reads),
    },
    alerts: {
      open: standing.length,
      acknowledged: standing.filter(({ acked }) => acked !== undefined).length,
      muted: muted.length,
      worst: worst ?? null,
    },
  };
}

function syncView(state: SyncOverview): z.output<typeof overview>['syncs'][number] {
  const { name, connection, policy, schedule, holds, requests, freshAt, nextSlotAt, lastRun } = state;
  const { health: found, activity: now } = state;
  const { run } = now;
  const step = run === undefined ? -1 : phases.indexOf(run.phase);
  return {
    name,
    connection,
    policy,
    schedule: schedule ?? null,
    health: {
      state: found.state,
      since: instant(found.since),
      failures: found.failures,
      run: found.failure?.run ?? null,
      outcome: found.failure?.outcome ?? null,
      reason: found.failure?.reason ?? null,
      isStale: found.isStale,
      by: found.by ?? null,
    },
    activity: {
      kind: now.kind,
      run: run?.run ?? null,
      phase: run?.phase ?? null,
      step: step < 0 ? null : step + 1,
      steps: phases.length,
      startedAt: instant(run?.startedAt),
      isInterrupted: run?.interrupted !== undefined,
      interruptedAt: instant(run?.interrupted?.at),
      problem:
        run?.problem === undefined ? null : { at: new Date(run.problem.at).toISOString(), reason: run.problem.reason },
      changes: run?.changes ?? null,
      batches: run?.batches ?? null,
      etaSeconds: run?.etaMs === undefined ? null : Math.ceil(run.etaMs / 1000),
    },
    holds: {
      holds: holds.holds,
      changes: holds.changes,
      byClass: { ...holds.byClass },
      expired: { ...holds.expired },
      reads: holds.reads,
      heldAt: instant(holds.heldAt),
      expiresAt: instant(holds.expiresAt),
    },
    requests,
    freshAt: instant(freshAt),
    nextSlotAt: instant(nextSlotAt),
    lastRun: lastRun === undefined ? null : runView(lastRun),
  };
}

const dayOfSync = z.object({
  day: z.string().meta({ description: 'YYYY-MM-DD' }),
  runs: count,
  failedRuns: count.meta({ description: 'Runs that ended as failed or partial' }),
  create: count,
  update: count,
  enable: count,
  disable: count,
  remove: count,
  failed: count.meta({ description: 'Changes that failed' }),
});

export const dayList = z
  .object({
    timezone: z.string(),
    days: z.array(z.string()),
    syncs: z.array(z.object({ name: z.string(), days: z.array(dayOfSync) })),
  })
  .meta({
    description: 'Changes count on the day on which they were seen applied, runs on the day on which they ended',
  });

export function dayListView({ timezone, days, syncs }: DaysReport, only?: string): z.output<typeof dayList> {
  return {
    timezone,
    days: [...days],
    syncs: syncs
      .filter(({ name }) => only === undefined || name === only)
      .map(({ name, days: counts }) => ({ name, days: counts.map(({ applied, ...day }) => ({ ...day, ...applied })) })),
  };
}
