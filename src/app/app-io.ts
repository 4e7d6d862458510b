import type { Platform } from '../ports/platform.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { SyncView } from '../views/syncs.ts';
import type { CheckLine, WatchOptions } from './app.ts';

/** What the use cases need from outside. The composition root makes it over one configuration. */
export interface AppIo {
  readonly engine: EngineIo;
  readonly configPath: string;
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
   * Drives one run in this process. `busy`: another process drives it. `stopped`: the signal aborted, or the lease was lost.
   */
  readonly drive: (run: string, options: WatchOptions) => Promise<'ended' | 'busy' | 'stopped'>;
  /** Evaluates alerts once, after a run that ended in this process. Never rejects. */
  readonly checkAlerts: (signal: AbortSignal) => Promise<void>;
  /** Absent without Redis in the configuration. */
  readonly checkRedis?: () => Promise<CheckLine>;
}

/** One connection: its platform and the commands on its tokens. */
export interface ConnectionAccess {
  readonly platform: Platform;
  readonly tokens: {
    status(): Promise<TokenStatus>;
    refresh(signal: AbortSignal): Promise<TokenStatus>;
    revoke(signal: AbortSignal): Promise<TokenStatus>;
  };
}
