import type { Finding } from '../core/finding.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { MappingTrace } from '../core/mapping.ts';
import type { SourceRecord } from '../core/person.ts';
import type { Decision, SourceSays } from '../core/plan.ts';
import type { Counts, Hold } from '../core/run.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { AlertsReport, ChannelTest } from '../ports/alerts.ts';
import type { ApiAnswer, ApiRequest, ContractLine, ContractMode } from '../ports/api.ts';
import type { Lookup } from '../ports/platform.ts';
import type { Progress } from '../ports/runtime.ts';
import type {
  AuditEntry,
  AuditQuery,
  Batch,
  ChangeQuery,
  HoldRecord,
  Pause,
  PlannedChange,
  Run,
  RunFacts,
  RunScope,
} from '../ports/store.ts';
import type { SourceTrial, TrialOptions } from './source-trial.ts';

/**
 * What the command line and the HTTP API can ask for. The composition root implements it over one configuration; every
 * method may throw `RollcallError`, and nothing here prints. Must be closed.
 */
export interface App {
  readonly syncs: readonly SyncView[];
  readonly connections: readonly string[];
  /** Pulls, compares, decides and guards, without any effect outside and without counting a miss. */
  plan(sync: string, options: WatchOptions): Promise<PlanReport>;
  /** One whole run, here: first the run that was interrupted, if there is one, then a new one. */
  apply(
    sync: string,
    options: WatchOptions & Caller & { readonly approve?: string; readonly scope?: RunScope },
  ): Promise<RunReport>;
  /** Queued for a running deployment (`start`); without one the run happens here, as `apply` does. */
  resync(sync: string, options: WatchOptions & Caller & { readonly scope: RunScope }): Promise<ResyncReport>;
  /** Schedules, triggers and runs until the signal aborts; then every run stops at its next safe place. */
  start(
    options: WatchOptions & {
      readonly onReady: () => void;
      /** Told where the server answers, such as `http://127.0.0.1:8080`, before `onReady`; never without a server. */
      readonly onListening?: (url: string) => void;
      readonly role?: Role;
      /** Where the server listens, instead of what `server:` says. */
      readonly listen?: { readonly host?: string; readonly port?: number };
    },
  ): Promise<void>;
  /** Newest first; `after`: only older ones than this run. Throws NOT_FOUND for an unknown run, USAGE for an unknown sync. */
  runs(filter: { readonly sync?: string; readonly limit: number; readonly after?: string }): Promise<readonly Run[]>;
  /** One run with everything that is known of it. Throws NOT_FOUND. A unique beginning of the id is enough. */
  show(run: string): Promise<RunReport>;
  /** Changes of a run or of a shown plan, in order of identification. */
  changes(planId: string, query: ChangeQuery): Promise<readonly PlannedChange[]>;
  /** Throws CONFLICT when there is nothing to approve, when it was approved already, and when it has run out. */
  approve(run: string, by: string): Promise<VerdictReport>;
  reject(run: string, by: string): Promise<VerdictReport>;
  cancel(run: string, by: string): Promise<Run>;
  /** Asks for another run of the same scope; here, or by a running deployment. */
  retry(run: string, options: WatchOptions & Caller): Promise<ResyncReport>;
  /** Reads the source and tells what it gives. Writes nothing and asks the platform nothing; it may present the source's token. */
  trySource(sync: string, options: WatchOptions & TrialOptions): Promise<SourceTrial>;
  why(sync: string, identification: string, signal: AbortSignal): Promise<PersonTrace>;
  tokenStatus(connection: string): Promise<TokenReport>;
  tokenRefresh(connection: string, caller: Caller & { readonly signal: AbortSignal }): Promise<TokenReport>;
  tokenRevoke(connection: string, caller: Caller & { readonly signal: AbortSignal }): Promise<TokenReport>;
  /** Looks at configuration, reachability, token and dialect of the connections (all, or one), and at their sources. */
  check(connection: string | undefined, signal: AbortSignal): AsyncGenerator<CheckLine, void>;
  /** Calls one operation of the platform's API. Throws `USAGE` for what the contract does not allow; then nothing is sent. */
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
  /** Compares a connection's platform (absent: the only one) with the contract, operation by operation. */
  contract(connection: string | undefined, mode: ContractMode, signal: AbortSignal): AsyncGenerator<ContractLine, void>;
  /** Every configured sync as it stands now. */
  syncStates(): Promise<readonly SyncState[]>;
  /** From now on a deployment begins no run of the sync; one under way goes on. Throws CONFLICT when it is paused already. */
  pause(sync: string, by: string): Promise<void>;
  /** Throws CONFLICT when it is not paused. What waits begins, and slots that were missed are caught up once. */
  resume(sync: string, by: string): Promise<void>;
  /** Stores the trigger of a run for a deployment, and never runs here. The same key again is the same request. */
  request(sync: string, request: RunOrder): Promise<RequestReport>;
  /** As `retry`, for a deployment: never runs here. */
  requestRetry(run: string, by: string): Promise<RequestReport>;
  audit(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** What happened to one person in former runs of the sync, newest first. */
  history(sync: string, identification: string, limit: number): Promise<readonly PastChange[]>;
  /** What is wrong, who is told, and the newest notices. */
  alerts(limit: number): Promise<AlertsReport>;
  /** Sends a test notice through every channel, or one. Throws `USAGE` when there is none such. */
  testAlerts(channel: string | undefined, signal: AbortSignal): Promise<readonly ChannelTest[]>;
  close(): Promise<void>;
}

/**
 * What a process of a deployment does. `scheduler` and `worker` need Redis between the processes; `server` answers HTTP
 * beside a deployment that works on the same store.
 */
export type Role = 'all' | 'scheduler' | 'worker' | 'server';

export interface SyncState extends SyncView {
  readonly pause: Pause | undefined;
  /** The run that has not ended, or the newest one that has. */
  readonly lastRun: Run | undefined;
  /** When the newest run began that ended as succeeded, nothing-to-do, held or exported: how fresh the platform is. */
  readonly freshAt: number | undefined;
  /** Epoch ms of the next slot; absent without a schedule and while paused. */
  readonly nextSlotAt: number | undefined;
  /** Requests that no run has taken up yet. */
  readonly waiting: number;
}

export interface RunOrder {
  readonly scope: RunScope;
  readonly kind: 'manual' | 'webhook';
  readonly by: string;
  /** Unique over every sync and caller; made up when absent. */
  readonly key?: string;
}

export interface RequestReport {
  readonly trigger: string;
  /** False: the same key was seen before, and nothing was stored. */
  readonly isNew: boolean;
  readonly scope: RunScope;
  readonly sync: string;
  /** The run that took it up; absent while it waits. */
  readonly run: string | undefined;
}

export type PastChange = PlannedChange & { readonly run: string; readonly at: number };

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Who asks, for the audit: the name of a token, or `shell:` and the name of a person at a shell. */
export interface Caller {
  readonly by: string;
}

export interface SyncView {
  readonly name: string;
  readonly connection: string;
  readonly schedule: string | undefined;
  readonly policy: string;
}

export interface PlanReport {
  readonly id: string;
  readonly sync: string;
  readonly digest: string;
  readonly counts: Counts;
  readonly facts: RunFacts;
  readonly findings: readonly Finding[];
  readonly holds: readonly Hold[];
  /** Why the source makes any run of it a failure. */
  readonly failure: string | undefined;
}

export interface RunReport {
  readonly run: Run;
  readonly findings: readonly Finding[];
  /** There may be more than are shown. */
  readonly findingsInAll: number;
  readonly batches: readonly Batch[];
  readonly holds: readonly HoldRecord[];
  /** Interrupted runs that were brought to their end before this one. */
  readonly resumed: readonly Run[];
}

export type ResyncReport =
  | {
      readonly kind: 'queued';
      readonly trigger: string;
      /** Present when it waits until somebody resumes the sync. */
      readonly pause: Pause | undefined;
    }
  | { readonly kind: 'ran'; readonly report: RunReport };

export interface VerdictReport {
  readonly run: string;
  readonly sync: string;
  readonly changes: number;
  /** Whether a running deployment delivers it now; else `rollcall apply` does. */
  readonly isDeploymentRunning: boolean;
}

export interface TokenReport {
  readonly connection: string;
  readonly state: string;
  readonly generation: number | undefined;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** What it means and what to do, in a sentence. */
  readonly advice: string;
}

export interface CheckLine {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

/** One person's way through the pipeline, looked at now, and what became of them before. For the person who asks. */
export interface PersonTrace {
  readonly identification: string;
  readonly records: readonly { readonly record: SourceRecord; readonly trace: MappingTrace }[];
  readonly snapshot: Snapshot;
  readonly says: SourceSays;
  readonly lookup: Lookup;
  readonly ledger: LedgerEntry | undefined;
  readonly decision: Decision;
  readonly history: readonly PastChange[];
}
