import type { AlertsReport, ChannelTest } from '../ports/alerts.ts';
import type { ApiAnswer, ApiRequest, ApiTarget, ContractLine, ContractMode } from '../ports/api.ts';
import type { PlanReport, Preview } from '../ports/previews.ts';
import type { Progress } from '../ports/runtime.ts';
import type {
  AuditEntry,
  AuditQuery,
  ChangeQuery,
  ForgetResult,
  PastChange,
  Pause,
  PersonRecord,
  PlannedChange,
  RawText,
  Run,
  RunFilter,
  RunScope,
  UnreadableValues,
} from '../ports/store.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { QuietReport } from '../views/alerts.ts';
import type { HoldsReport, VerdictReport } from '../views/holds.ts';
import type { Adoption, PersonTrace } from '../views/people.ts';
import type { RunProgress, RunReport } from '../views/runs.ts';
import type { RequestReport, RequestResult, RequestState, SyncState, SyncView } from '../views/syncs.ts';
import type { VerdictOrder, VerdictPreview } from './approve.ts';
import type { Caller, SignedCaller, SignedOrder } from './audit.ts';
import type { HoldsQuery } from './holds.ts';
import type { PageUseCases } from './page.ts';
import type { SourceTrial, TrialOptions } from './source-trial.ts';

/**
 * The use cases of the command line and the HTTP API, over one configuration. Every method may throw `RollcallError`:
 * `USAGE` for an unknown sync or connection, `NOT_FOUND` for an unknown run. Nothing here prints. Must be closed.
 */
export interface App extends PageUseCases {
  readonly syncs: readonly SyncView[];
  readonly connections: readonly string[];
  /** Address of the page as configured, without a trailing slash; undefined without a server, or with a port that varies. */
  readonly pageUrl: string | undefined;
  /** Makes a plan: no effect outside, and no miss is counted. */
  plan(sync: string, options: WatchOptions & { readonly scope?: RunScope }): Promise<PlanReport>;
  /** As `plan`, stored as a preview that others can open until it expires. */
  planToShare(
    sync: string,
    options: WatchOptions & Caller & { readonly scope?: RunScope },
  ): Promise<{ readonly preview: Preview; readonly report: PlanReport }>;
  /** Runs the sync once in this process: first an interrupted run, if there is one, then a new one. */
  apply(
    sync: string,
    options: WatchOptions & Caller & SignedOrder<{ readonly approve?: string; readonly scope?: RunScope }>,
  ): Promise<RunReport>;
  /** Requests a run from a running deployment (`start`); without one, runs in this process as `apply` does. */
  resync(sync: string, options: WatchOptions & SignedCaller & ResyncOrder): Promise<ResyncReport>;
  /**
   * Works as a deployment until the signal aborts; then every run stops at its next safe place. The result is `reload` if a
   * hangup ended the work instead: the caller then closes this app and opens the configuration again.
   */
  start(
    options: WatchOptions & {
      readonly onReady: () => void;
      /** Called before `onReady` with the server's URL, such as `http://127.0.0.1:8080`. Never called without a server. */
      readonly onListening?: (url: string) => void;
      readonly role?: Role;
      /** Overrides `server.host` and `server.port`. */
      readonly listen?: { readonly host?: string; readonly port?: number };
      /** Calls the listener when the configuration should be read again, until the returned function is called. */
      readonly onHangup?: (listener: () => void) => () => void;
    },
  ): Promise<'stopped' | 'reload'>;
  /** Lists runs, newest first; with `after` only runs older than that one. */
  runs(filter: Omit<RunFilter, 'after'> & { readonly after?: string }): Promise<readonly Run[]>;
  /** Reports one run. A unique part of the id is enough, in every method that takes a run. */
  show(run: string): Promise<RunReport>;
  /** Lists what other systems sent during a run. It may hold personal data; findings and reasons never quote it. */
  rawTexts(run: string): Promise<readonly RawText[]>;
  /** Lists changes of a run or of a shown plan, in order of identification. */
  changes(planId: string, query: ChangeQuery): Promise<readonly PlannedChange[]>;
  /**
   * Approves the open changes of a run, or a part of them. Throws `CONFLICT` when there are none: they were approved,
   * expired or ended, or an operator rejected them and the order does not reopen them. Throws `USAGE` for unknown
   * people.
   */
  approve(run: string, by: string, order?: SignedOrder<VerdictOrder>): Promise<VerdictReport>;
  /**
   * Rejects the open changes of a run, or a part of them, and approvals that no run has used. While their reason lasts,
   * no run delivers these changes or asks about them again. Throws `CONFLICT` when there is nothing to reject.
   */
  reject(run: string, by: string, order?: SignedOrder<VerdictOrder>): Promise<VerdictReport>;
  /** Returns the changes that this approval or rejection would decide now. Throws as it does. */
  previewVerdict(
    action: 'approve' | 'reject',
    run: string,
    order: VerdictOrder & { readonly limit: number },
  ): Promise<VerdictPreview>;
  /** Lists changes that wait for approval in all syncs. Throws `USAGE` for an unknown sync. */
  holds(query: HoldsQuery): Promise<HoldsReport>;
  /** Asks the process that drives the run to stop at the next safe place. Throws `CONFLICT` when it has ended. */
  cancel(run: string, by: string, order?: SignedOrder): Promise<Run>;
  /** Requests another run of the same scope, as `resync` does. Throws `CONFLICT` before the run has ended. */
  retry(run: string, options: WatchOptions & Caller): Promise<ResyncReport>;
  /**
   * Returns what `adopt` would do with each person. Throws `USAGE` for people who are unknown everywhere, and for a
   * sync that cannot own users.
   */
  previewAdoption(sync: string, ids: readonly string[], signal: AbortSignal): Promise<readonly Adoption[]>;
  /**
   * Makes users of other syncs users of this one, and accepts renames and conversions. Repeatable. Throws as
   * `previewAdoption` does, before anything is changed.
   */
  adopt(
    sync: string,
    ids: readonly string[],
    order: SignedOrder<Caller & { readonly signal: AbortSignal }>,
  ): Promise<readonly Adoption[]>;
  /** Reads the source and reports what it returns. Stores nothing but tokens, and does not call the platform. */
  trySource(sync: string, options: WatchOptions & TrialOptions): Promise<SourceTrial>;
  /** Reads source, platform and ledger for one person, and explains what a run would decide. */
  why(sync: string, identification: string, signal: AbortSignal): Promise<PersonTrace>;
  tokenStatus(connection: string): Promise<TokenStatus>;
  tokenRefresh(connection: string, caller: SignedCaller & { readonly signal: AbortSignal }): Promise<TokenStatus>;
  tokenRevoke(connection: string, caller: SignedCaller & { readonly signal: AbortSignal }): Promise<TokenStatus>;
  /** Checks the configuration, the connections (all, or one) and the sources of their syncs. Changes nothing. */
  check(connection: string | undefined, signal: AbortSignal): AsyncGenerator<CheckLine, void>;
  /** Calls one operation of the platform's API. Throws `USAGE`, and sends nothing, for what the contract does not allow. */
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
  /** Reads what such a call would change, for its confirmation. Throws `USAGE` like `call`. */
  callTarget(request: ApiRequest, signal: AbortSignal): Promise<ApiTarget>;
  /** Compares the platform of a connection (undefined: the only one) with the contract, operation by operation. */
  contract(connection: string | undefined, mode: ContractMode, signal: AbortSignal): AsyncGenerator<ContractLine, void>;
  /** Reads the current state of every configured sync. */
  syncStates(): Promise<readonly SyncState[]>;
  /**
   * Prevents deployments from starting runs of the sync; a run in progress continues. Throws `CONFLICT` when it is
   * already paused.
   */
  pause(sync: string, by: string, order?: SignedOrder): Promise<void>;
  /** Ends a pause: waiting requests start, and missed slots are caught up once. Throws `CONFLICT` when it is not paused. */
  resume(sync: string, by: string, order?: SignedOrder): Promise<void>;
  /** Requests a run from a deployment; never runs in this process. The same key again is the same request. */
  request(sync: string, request: RunOrder): Promise<RequestReport>;
  /** Returns what became of a request for a run. Throws `NOT_FOUND`. */
  requestState(id: string): Promise<RequestState>;
  /** Returns what changes while a run works. Throws as `show` does. */
  runProgress(id: string): Promise<RunProgress>;
  /** Requests a retry from a deployment; never runs in this process. */
  requestRetry(run: string, by: string): Promise<RequestReport>;
  audit(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Returns everything that the store has about one person, in all connections and syncs. Audited. */
  exportPerson(identification: string, signed: SignedCaller): Promise<PersonRecord>;
  /** Returns what `forgetPerson` would erase. */
  previewForget(identification: string): Promise<PersonRecord>;
  /**
   * Erases one person from ledger and history, and keeps a keyed hash with owner, disabled and blacklist. Audited.
   * Throws `NOT_FOUND` when there is nothing, and `CONFLICT` while a run may still change the person.
   */
  forgetPerson(identification: string, signed: SignedCaller): Promise<ForgetResult>;
  /** Counts the stored values that no configured key opens, by key. */
  unreadable(): Promise<readonly UnreadableValues[]>;
  /**
   * Drops these values and returns what they were. Audited. Throws `CONFLICT` while a run may still send or read back such
   * a change.
   */
  dropUnreadable(signed: SignedCaller): Promise<readonly UnreadableValues[]>;
  /** Lists the changes of one person in earlier runs of the sync, newest first. */
  history(sync: string, identification: string, limit: number): Promise<readonly PastChange[]>;
  /** Reports open problems, channels, and the newest notices. */
  alerts(limit: number): Promise<AlertsReport>;
  /** Acknowledges or mutes the alerts of a sync or connection. Audited. Throws `USAGE` for an unknown name. */
  quietAlerts(name: string, request: QuietRequest, signed: SignedCaller): Promise<QuietReport>;
  /** Sends a test notice through every channel, or one. Throws `USAGE` for an unknown channel. */
  testAlerts(channel: string | undefined, signal: AbortSignal): Promise<readonly ChannelTest[]>;
  close(): Promise<void>;
}

/**
 * The part of the work that a process of a deployment does. `scheduler` and `worker` share work through Redis; `server`
 * serves HTTP for a deployment on the same store.
 */
export type Role = 'all' | 'scheduler' | 'worker' | 'server';

export interface RunOrder {
  readonly scope: RunScope;
  readonly kind: 'manual' | 'webhook';
  readonly by: string;
  /** Unique over every sync and caller; generated when absent. */
  readonly key?: string;
}

export interface ResyncOrder {
  readonly scope: RunScope;
  /** The same key again is the same request. Generated when absent. */
  readonly key?: string;
  /** Waits for the end of a run that a deployment drives. */
  readonly isWaiting?: boolean;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

export type QuietRequest = { readonly kind: 'ack' | 'unmute' } | { readonly kind: 'mute'; readonly forMs: number };

export type ResyncReport =
  | {
      readonly kind: 'queued';
      readonly trigger: string;
      /** The pause that the request waits for, if the sync is paused. */
      readonly pause: Pause | undefined;
      /** When the deployment was last seen (epoch ms). */
      readonly deploymentSeenAt: number | undefined;
    }
  | {
      readonly kind: 'ran';
      readonly report: RunReport;
      /** How the run ended for the people of the request. Absent when the run was about no others. */
      readonly result?: RequestResult;
    };

export interface CheckLine {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
}
