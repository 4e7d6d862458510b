import type { Loosened } from '../core/guard/loosened.ts';
import type { Dialect } from '../core/run/settings.ts';
import type { Survey } from '../core/setup/survey.ts';
import type { AlertsReport, ChannelTest, Quieted, QuietOrder } from '../ports/alerts.ts';
import type { ApiAnswer, ApiRequest, ApiTarget, LearnEnd, LearnOrder } from '../ports/api.ts';
import type { Platform } from '../ports/platform.ts';
import type { Progress } from '../ports/runtime.ts';
import type { Run } from '../ports/store.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { FoundPeople } from '../views/people.ts';
import type { SyncView } from '../views/syncs.ts';
import type { ChangeSearches } from './changes/search-changes.ts';

/**
 * What the use cases need from outside. The composition root makes it over one configuration. Every use case may throw
 * `RollcallError`: `USAGE` for an unknown sync or connection, `NOT_FOUND` for an unknown run. None prints. Must be closed.
 */
export interface AppIo {
  readonly engine: EngineIo;
  readonly configPath: string;
  /** What the configuration leaves in plain text, in sentences. */
  readonly plainText: readonly string[];
  readonly syncs: readonly SyncView[];
  readonly connections: ReadonlyMap<string, ConnectionAccess>;
  /** Returns the first slot of the sync's schedule after an instant (epoch ms); undefined without a schedule. */
  readonly nextSlot: (sync: string, after: number) => number | undefined;
  /** Returns the instant from which the last success must be, by `freshness` or the schedule; undefined without both. */
  readonly staleBefore: (sync: string, now: number) => number | undefined;
  /** Whether a deployment works on this store. One that was killed counts for some seconds: see `deploymentSeenAt`. */
  readonly isDeployed: () => Promise<boolean>;
  /** Returns when a deployment was last seen (epoch ms), every few seconds; undefined after a regular stop. */
  readonly deploymentSeenAt: () => Promise<number | undefined>;
  /**
   * Drives one run in this process, and returns it as it ended. `busy`: another process drives it. `stopped`: the signal aborted, or the lease was lost.
   */
  readonly drive: (run: string, options: WatchOptions) => Promise<Run | 'ended' | 'busy' | 'stopped'>;
  /** Ends the open runs of syncs that are not configured, unless a deployment does. Returns them. */
  readonly endOrphans: (signal: AbortSignal) => Promise<readonly Run[]>;
  /** Evaluates alerts once, after a run that ended in this process. Never rejects. */
  readonly checkAlerts: (signal: AbortSignal) => Promise<void>;
  /** Absent without Redis in the configuration. */
  readonly checkRedis?: () => Promise<CheckLine>;
  /** Address of the page as configured, without a trailing slash; undefined without a server, or with a port that varies. */
  readonly pageUrl: string | undefined;
  readonly alerts: AlertAccess;
  readonly platformApi: PlatformApi;
  /** Searches over changes. What they read is kept while searches continue. */
  readonly changes: ChangeSearches;
  readonly surveys: Surveys;
  /** Finds people by name, e-mail or identification. */
  readonly searchPeople: (query: PeopleQuery) => Promise<FoundPeople>;
  /**
   * Works as a deployment until the signal aborts; then every run stops at its next safe place. The result is `reload` if a
   * hangup ended the work instead: the caller then closes this app and opens the configuration again.
   */
  start(options: StartOptions): Promise<'stopped' | 'reload'>;
  close(): Promise<void>;
}

export interface StartOptions extends WatchOptions {
  readonly onReady: () => void;
  /** Called before `onReady` with the server's URL, such as `http://127.0.0.1:8080`. Never called without a server. */
  readonly onListening?: (url: string, signIn: string) => void;
  /** Called with each address that signs in once, if `server.signInLink` is set. */
  readonly onSignInLink?: (address: string) => void;
  readonly role?: Role;
  /** Overrides `server.host` and `server.port`. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** Calls the listener when the configuration should be read again, until the returned function is called. */
  readonly onHangup?: (listener: () => void) => () => void;
  /** Serves the set-up of one sync and its plans, and works on nothing else. */
  readonly setUp?: SetUpEnd;
}

/** Whether the platform is asked too. */
export type SurveySides = 'both' | 'source';

/** What both sides of a sync show, kept while an operator answers questions about them. */
export type Surveys = (sync: string, sides: SurveySides, signal: AbortSignal) => Promise<Survey>;

/** Where the set-up of a sync ends. */
export interface SetUpEnd {
  readonly sync: string;
  readonly sides: SurveySides;
  /** Writes these sections, and returns where. Absent: they are copied by hand. */
  readonly write?: (yaml: string) => Promise<string>;
}

export interface PeopleQuery {
  /** Words that identification, name and e-mail contain together, in any order, without case and accents. */
  readonly text: string;
  /** `near`: where no person has these words, those whose words differ from them in one or two letters. */
  readonly spelling: 'exact' | 'near';
  readonly sync?: string;
  /** Any of these. */
  readonly syncs?: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** What is open, and who gets it. */
export interface AlertAccess {
  /** Reports open problems, channels, and the newest notices. */
  report(limit: number): Promise<AlertsReport>;
  /** Applies the order to every subject of the name. Throws `USAGE` for an unknown name. */
  quiet(name: string, order: QuietOrder): Promise<readonly Quieted[]>;
  /** Sends a test notice through every channel, or one. Throws `USAGE` for an unknown channel. */
  test(channel: string | undefined, signal: AbortSignal): Promise<readonly ChannelTest[]>;
}

/** The platform's API, operation by operation. */
export interface PlatformApi {
  /** Calls one operation. Throws `USAGE`, and sends nothing, for what the contract does not allow. */
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
  /** Reads what such a call would change, for its confirmation. Throws `USAGE` like `call`. */
  target(request: ApiRequest, signal: AbortSignal): Promise<ApiTarget>;
}

/** One connection: its platform and the commands on its tokens. */
export interface ConnectionAccess {
  readonly platform: Platform;
  readonly tokens: {
    status(): Promise<TokenStatus>;
    refresh(signal: AbortSignal): Promise<TokenStatus>;
    revoke(signal: AbortSignal): Promise<TokenStatus>;
  };
  /** The dialect in use, and which settings of it the configuration states, as paths: `csv.emptyCell`. */
  readonly dialect: { readonly used: Dialect; readonly written: readonly string[] };
  /** Makes the experiments of `rollcall learn`. Throws `USAGE`, with nothing written, for a user that the platform knows. */
  learn(order: LearnOrder): Promise<LearnEnd>;
}

/**
 * The part of the work that a process of a deployment does. `scheduler` and `worker` share work through Redis; `server`
 * serves HTTP for a deployment on the same store.
 */
export type Role = 'all' | 'scheduler' | 'worker' | 'server';

/** How `rollcall start` waits for a store that takes no write. */
export interface WaitForStore {
  readonly signal: AbortSignal;
  readonly listen: { readonly host?: string; readonly port?: number } | undefined;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

export interface CheckLine {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** The safeguard that lets pass more than when a process last worked with an effect. */
  readonly loosened?: Loosened;
}
