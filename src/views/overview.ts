import { z } from 'zod';
import { type PersonEvent, personEvents } from '../core/plan/event.ts';
import { countOf } from '../core/run/formats.ts';
import { type AlertsReport, severities } from '../ports/alerts.ts';
import type { Run } from '../ports/store.ts';
import { partApprovals } from './holds.ts';
import { type LeaversSummary, leaversSummary, leaversSummaryOf } from './leavers.ts';
import { phaseWord, type RunWork, runSummary, runView, waitingOf, waitingWire } from './runs.ts';
import { refusedUntilWords, type SyncState } from './syncs.ts';
import { amounts, count, type Inner, instant, personal, viewOf } from './wire.ts';

const health = z.object({
  state: z.enum(['succeeding', 'failing', 'stale', 'never-ran', 'paused']),
  since: instant
    .nullable()
    .describe('failing: the first failure in a row; stale, succeeding: the last success; paused: the pause'),
  failures: count.describe('Runs in a row that failed, wholly or partly'),
  run: z.string().nullable().describe('The newest failed run'),
  outcome: z.string().nullable(),
  reason: personal(z.string().nullable()),
  isStale: z.boolean().describe('The last success is older than schedule or `freshness` allow'),
  by: z.string().nullable().describe('Who paused the sync'),
  until: instant.nullable().describe('When the pause ends automatically; null: not paused, or until it is resumed'),
});

const fraction = z.object({ done: count, total: count }).nullable();

/** From the worst. */
const states = ['failing', 'stale', 'needs-approval', 'paused', 'never-ran', 'succeeding'] as const;

/** The words of status and page. */
export const stateWords = {
  failing: 'Failing',
  stale: 'Stale',
  'needs-approval': 'Needs approval',
  paused: 'Paused',
  'never-ran': 'Never ran',
  succeeding: 'Healthy',
  idle: 'Idle',
  waiting: 'Waiting for its turn',
  running: 'Running',
} as const;

const activity = z.object({
  kind: z.enum(['idle', 'waiting', 'running', 'needs-approval']),
  run: z.string().nullable(),
  phase: phaseWord.nullable(),
  step: count.nullable().describe('1 to `steps`; null: no run, or a phase of a newer version'),
  steps: count,
  startedAt: instant.nullable(),
  isInterrupted: z.boolean().describe('A run is in progress, but no process works on it'),
  interruptedAt: instant.nullable().describe('null: not known, or not interrupted'),
  problem: z
    .object({ at: instant, reason: personal(z.string()) })
    .nullable()
    .describe('The last temporary problem of the run in progress'),
  waiting: waitingWire,
  changes: fraction.describe('Changes of batches that ended; null before the batches are made'),
  batches: fraction,
  etaSeconds: count.nullable().describe('An estimate; null: the remaining time is not known'),
});

/** What the last accepted full read saw of a sync. */
const people = z.object({
  readAt: instant,
  run: z.string().describe('The run that made the read'),
  source: count.describe('People of the HR system'),
  matched: count.describe('People of the HR system who have an account, with those that the run made'),
  blocked: count.describe('People for whom someone must act first: their records are in trouble, or in a conflict'),
  platform: count.describe('Accounts of the platform'),
  owned: count.describe('Accounts that the sync owns'),
  unknown: count.describe('Accounts that no record names and no sync owns'),
  skipped: amounts.describe('People without a change, by reason: out-of-scope, no-account, or why they are blocked'),
});

/** What happened in a time: runs that ended, and changes that were seen applied, by what happened to their person. */
const counted = z.object({
  runs: count,
  failedRuns: count.describe('Runs that did not do their work'),
  failed: count.describe('Changes that failed'),
  ...(Object.fromEntries(personEvents.map((event) => [event, count])) as Record<PersonEvent, typeof count>),
});

const waiting = z.object({
  holds: count,
  changes: count.describe('Distinct changes that can be approved now'),
  byClass: amounts,
  expired: z.object({ holds: count, changes: count }).describe('Not decided within 24 hours: the next run asks again'),
  reads: count.describe('Runs that wait because their source looks wrong'),
  heldAt: instant.nullable().describe('When the oldest hold was opened'),
  expiresAt: instant.nullable().describe('When the first hold expires'),
  approvals: partApprovals,
});

export const overview = z
  .object({
    at: instant,
    worst: z.enum(states).nullable().describe('The worst state of a sync; null: there is none'),
    work: z.object({
      isDeploymentRunning: z.boolean(),
      deploymentSeenAt: instant.nullable().describe('null: it never ran, or was stopped in order'),
      workers: z
        .enum(['alive', 'none', 'in-process'])
        .describe('in-process: without Redis, the deployment itself works'),
      requests: count.describe('Requests that no run has taken'),
      runs: count.describe('Runs in progress'),
    }),
    plainText: z.array(z.string()).describe('What is stored unencrypted, and what to do'),
    syncs: z.array(
      z.object({
        name: z.string(),
        connection: z.string(),
        policy: z.string(),
        schedule: z.string().nullable().describe('null: runs on request only'),
        health,
        activity,
        holds: waiting,
        people: people.nullable().describe('null: no full read was accepted yet'),
        lastDay: counted.describe('The last 24 hours, to a quarter of an hour'),
        requests: count,
        leavers: leaversSummary.nullable(),
        frozenUntil: instant
          .nullable()
          .describe('End of the freeze, in which no account is disabled or removed; null: none'),
        freshAt: instant.nullable().describe('When the latest successful run about all people started'),
        nextSlotAt: instant.nullable(),
        refusedUntil: instant.nullable().describe(refusedUntilWords),
        lastRun: runSummary.nullable(),
      }),
    ),
    waiting: z
      .object({ holds: count, changes: count, expiredChanges: count, reads: count })
      .describe('The sums over all syncs'),
    alerts: z.object({ open: count, acknowledged: count, muted: count, worst: z.enum(severities).nullable() }),
  })
  .meta({ id: 'Overview' });

/** How the runs of a sync go, whatever it does at this moment. */
export type DayTotals = z.output<typeof counted>;

export type SyncHealth = Inner<z.output<typeof health>>;

type Activity = Inner<z.output<typeof activity>>;

export interface RunStep
  extends Pick<Run, 'phase' | 'startedAt' | 'problem' | 'waiting'>,
    Pick<Activity, 'changes' | 'batches'> {
  readonly run: string;
  /** An estimate by the pace so far; undefined while no change is settled, and when no process works on the run. */
  readonly etaMs: number | undefined;
  /** When the last process lost the run; undefined while one works on it. */
  readonly interrupted: RunWork['interrupted'];
}

/** What waits for an operator's decision. */
export type WaitingWork = Inner<z.output<typeof waiting>>;

type OverviewFacts = Inner<z.output<typeof overview>>;
type SyncFacts = Pick<OverviewFacts['syncs'][number], 'health' | 'holds' | 'people' | 'lastDay' | 'requests'>;

export interface SyncOverview extends Omit<SyncState, 'waiting'>, SyncFacts {
  readonly activity: Pick<Activity, 'kind'> & { readonly run: RunStep | undefined };
  readonly leavers?: LeaversSummary;
}

export interface Overview extends Pick<OverviewFacts, 'at' | 'plainText' | 'work'> {
  readonly syncs: readonly SyncOverview[];
}

/** Says `520 people in HR → 517 accounts; 3 need someone; 2 leave today`. */
export function peopleSentence({ people, leavers }: Pick<SyncOverview, 'people' | 'leavers'>): string | undefined {
  if (people === undefined) return undefined;
  const { dueToday = 0, late = 0 } = leavers ?? {};
  const parts = [
    `${countOf(people.source, 'person', 'people')} in HR → ${countOf(people.matched, 'account')}`,
    ...(people.blocked === 0 ? [] : [`${people.blocked} ${people.blocked === 1 ? 'needs' : 'need'} someone`]),
    ...(dueToday === 0 ? [] : [`${dueToday} ${dueToday === 1 ? 'leaves' : 'leave'} today`]),
    ...(late === 0 ? [] : [`${countOf(late, 'leaver')} late`]),
  ];
  return parts.join('; ');
}

const phases: readonly string[] = ['reading', 'planning', 'delivering', 'proving'];

export const overviewView = viewOf(
  overview,
  ({ syncs, ...state }: Overview, { standing, muted }: Pick<AlertsReport, 'standing' | 'muted'>) => {
    const sum = (of: (sync: SyncOverview) => number): number => syncs.reduce((all, sync) => all + of(sync), 0);
    return {
      ...state,
      worst: states.find((word) =>
        syncs.some(({ health: { state: is }, activity: { kind } }) => word === is || word === kind),
      ),
      syncs: syncs.map(syncOf),
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
        worst: severities.findLast((word) => standing.some(({ severity }) => severity === word)),
      },
    };
  },
);

function syncOf(state: SyncOverview) {
  const { activity: now, lastRun, leavers } = state;
  const { run } = now;
  const step = run === undefined ? -1 : phases.indexOf(run.phase);
  return {
    ...state,
    activity: {
      ...run,
      kind: now.kind,
      run: run?.run,
      waiting: waitingOf(run?.waiting),
      step: step < 0 ? null : step + 1,
      steps: phases.length,
      isInterrupted: run?.interrupted !== undefined,
      interruptedAt: run?.interrupted?.at,
      etaSeconds: run?.etaMs === undefined ? null : Math.ceil(run.etaMs / 1000),
    },
    leavers: leavers && leaversSummaryOf(leavers),
    lastRun: lastRun && runView(lastRun),
  };
}

const dayOfSync = counted.extend({ day: z.string().describe('YYYY-MM-DD') });

export const dayList = z
  .object({
    timezone: z.string(),
    days: z.array(z.string()),
    syncs: z.array(z.object({ name: z.string(), days: z.array(dayOfSync) })),
  })
  .meta({
    id: 'DayList',
    description: 'Changes count on the day when the platform showed them, runs on the day when they ended',
  });

export type DaysReport = Inner<z.output<typeof dayList>>;

export const dayListView = viewOf(dayList, ({ syncs, ...report }: DaysReport, isShown: (sync: string) => boolean) => ({
  ...report,
  syncs: syncs.filter(({ name }) => isShown(name)),
}));
