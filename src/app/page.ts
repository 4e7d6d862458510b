import type { ChangeClass, ChangeKind } from '../core/plan/change.ts';
import type { Finding, FindingCode } from '../core/run/finding.ts';
import type { ChangeState } from '../core/run/run.ts';
import type { Preview } from '../ports/previews.ts';
import type { FindingCause, FindingPage, PhaseTime, Streak } from '../ports/reports.ts';
import type { RunFacts } from '../ports/run-facts.ts';
import type { PlannedChange, Run, RunScope } from '../ports/store.ts';
import type { VerdictReport } from './approve.ts';
import type { Caller, SignedCaller } from './audit.ts';
import type {
  ChangeFilter,
  ChangeGroups,
  ChangeSearch,
  ChangesSubject,
  Effect,
  FoundChanges,
  GroupBy,
  HoldDetail,
  HoldSelection,
} from './changes/types.ts';
import type { FoundPeople, PeopleQuery } from './people/search-people.ts';
import type { RunReport } from './reports.ts';
import type { RunWork } from './run-work.ts';
import type { MappingSamples, SyncMapping } from './sync-mapping.ts';
import type { SyncState } from './sync-view.ts';

/* What the page shows, as the store has it. */

/** How the runs of a sync go, whatever it does at this moment. */
export interface SyncHealth {
  readonly state: 'succeeding' | 'failing' | 'stale' | 'never-ran' | 'paused';
  /** Since when: the first failure in a row, the last success of a stale sync, the pause. */
  readonly since: number | undefined;
  /** Runs in a row that failed, wholly or partly. */
  readonly failures: number;
  /** The newest of them. */
  readonly failure: Streak['lastFailure'];
  /** The last success is older than its schedule or `freshness` allows. Also true of a failing sync. */
  readonly isStale: boolean;
  /** The operator who paused the sync. */
  readonly by: string | undefined;
}

/** What a sync does at this moment. */
export interface SyncActivity {
  readonly kind: 'idle' | 'waiting' | 'running' | 'needs-approval';
  readonly run: RunStep | undefined;
}

/** The position of a run in progress. */
export interface RunStep {
  readonly run: string;
  readonly phase: Run['phase'];
  readonly startedAt: number;
  /** Changes in batches, and those of them whose batch is settled. Undefined before the batches are made. */
  readonly changes: { readonly done: number; readonly total: number } | undefined;
  readonly batches: { readonly done: number; readonly total: number } | undefined;
  /** An estimate by the pace so far; undefined while no change is settled, and when no process works on the run. */
  readonly etaMs: number | undefined;
  /** When the last process lost the run; undefined while one works on it. */
  readonly interrupted: RunWork['interrupted'];
  /** The last temporary problem. */
  readonly problem: RunFacts['problem'];
}

/** What waits for an operator's decision. */
export interface WaitingWork {
  readonly holds: number;
  /** Distinct changes. */
  readonly changes: number;
  readonly byClass: Readonly<Partial<Record<ChangeClass, number>>>;
  /** Holds that no operator decided in time, and their changes. The next run asks again. */
  readonly expired: { readonly holds: number; readonly changes: number };
  /** Runs that wait because their source looks wrong. */
  readonly reads: number;
  /** When the oldest hold was opened, and when the first one expires. */
  readonly heldAt: number | undefined;
  readonly expiresAt: number | undefined;
}

export interface SyncOverview extends Omit<SyncState, 'waiting'> {
  readonly health: SyncHealth;
  readonly activity: SyncActivity;
  readonly holds: WaitingWork;
  /** Requests that no run has taken. */
  readonly requests: number;
}

export interface Overview {
  readonly at: number;
  readonly syncs: readonly SyncOverview[];
  readonly work: {
    readonly isDeploymentRunning: boolean;
    /** When a deployment was last seen (epoch ms); undefined after a regular stop. */
    readonly deploymentSeenAt: number | undefined;
    /** `in-process`: without Redis, the deployment itself works. */
    readonly workers: 'alive' | 'none' | 'in-process';
    readonly requests: number;
    readonly runs: number;
  };
}

export interface DaysQuery {
  /** Number of days, today included. */
  readonly days: number;
  /** IANA name of the zone in which days begin. */
  readonly timezone: string;
}

/** What a sync did on one day. */
export interface DayCounts {
  readonly day: string;
  readonly runs: number;
  readonly failedRuns: number;
  /** Changes that were seen applied. */
  readonly applied: Readonly<Record<ChangeKind, number>>;
  readonly failed: number;
}

export interface DaysReport {
  readonly timezone: string;
  readonly days: readonly string[];
  readonly syncs: readonly { readonly name: string; readonly days: readonly DayCounts[] }[];
}

/** A request for a plan without effect. */
export interface PreviewOrder extends Caller {
  readonly scope: RunScope;
}

export interface PreviewState {
  readonly preview: Preview;
  /** False: nothing makes it until a deployment is started. */
  readonly isDeploymentRunning: boolean;
}

/** An approval or rejection of changes of a hold. */
export interface HoldOrder extends SignedCaller {
  readonly action: 'approve' | 'reject';
  readonly selection: HoldSelection;
  readonly reopens?: boolean;
}

/** Everything that the page of a run shows. */
export interface RunPage {
  readonly report: RunReport;
  readonly timeline: readonly PhaseTime[];
  readonly byCode: readonly { readonly code: FindingCode; readonly count: number }[];
  readonly causes: readonly FindingCause[];
  readonly states: readonly { readonly batch: string; readonly state: ChangeState; readonly count: number }[];
}

export interface FoundFindings {
  readonly findings: readonly Finding[];
  /** Send it as `after` for the next page; undefined: this is the last page. */
  readonly next: number | undefined;
}

/** The use cases of the page. The command line has some of them. */
export interface PageUseCases {
  /** Reads health, state and holds of every configured sync. */
  overview(): Promise<Overview>;
  /** Counts runs and applied changes by day. Throws `USAGE` for an unknown time zone. */
  days(query: DaysQuery): Promise<DaysReport>;
  /** Describes the mapping and the guards of a sync. */
  mapping(sync: string): Promise<SyncMapping>;
  /** Reads the first records of a source. Holds personal data. */
  mappingSamples(sync: string, signal: AbortSignal): Promise<MappingSamples>;
  /** Finds people by name, e-mail or identification. */
  searchPeople(query: PeopleQuery): Promise<FoundPeople>;
  /** Requests a plan without effect from a deployment. Throws `CONFLICT` when too many wait. Audited. */
  requestPreview(sync: string, order: PreviewOrder): Promise<PreviewState>;
  /** Returns a preview. Throws `NOT_FOUND` for one that expired. */
  preview(id: string): Promise<PreviewState>;
  /** Lists previews that have not expired, newest first. */
  previews(query: { readonly limit: number; readonly sync?: string }): Promise<readonly Preview[]>;
  /** Reports one run with its timeline, and its findings by cause. */
  runPage(id: string): Promise<RunPage>;
  findings(id: string, page: Omit<FindingPage, 'run'>): Promise<FoundFindings>;
  /** Describes one hold. Throws `NOT_FOUND`, as every method about a hold, run or plan does. */
  hold(id: string): Promise<HoldDetail>;
  /** Finds changes by values, in any order. Throws `USAGE` for a plan with too many changes. */
  searchChanges(subject: ChangesSubject, query: ChangeSearch): Promise<FoundChanges>;
  groupChanges(subject: ChangesSubject, filter: ChangeFilter, by: GroupBy): Promise<ChangeGroups>;
  /** Yields every change that a search finds. */
  everyChange(
    subject: ChangesSubject,
    query: Omit<ChangeSearch, 'offset' | 'limit'>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly PlannedChange[], void>;
  /** Estimates what an approval of a part of a hold does. */
  previewHold(id: string, selection: HoldSelection): Promise<Effect>;
  /**
   * Approves or rejects changes of a hold. Throws `CONFLICT`, and decides nothing, when `expect` is not their number, and
   * in the cases of `App.approve`.
   */
  decideHold(id: string, order: HoldOrder): Promise<VerdictReport>;
}
