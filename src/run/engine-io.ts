import type { ApprovalSettings } from '../core/guard/approvals.ts';
import type { CompiledMapping } from '../core/person/mapping.ts';
import type { Configuration, DecidingSettings } from '../core/plan/configuration.ts';
import type { Dialect, Limits, SyncSettings } from '../core/run/settings.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { CountRequests } from '../ports/metrics.ts';
import type { Platform } from '../ports/platform.ts';
import type { Checkpoint, Clock, Logger, NewId, OpenSpool, Progress } from '../ports/runtime.ts';
import type { Source } from '../ports/source.ts';
import type { OwnedRun, Store } from '../ports/store.ts';

/**
 * One configured sync with its source and its platform opened. The composition root creates it; the engine only uses
 * it.
 */
export interface Sync {
  readonly settings: SyncSettings;
  /** The former name, while the store keeps what is the sync's under it. See `asStored`. */
  readonly storedAs?: string;
  readonly source: Source;
  readonly mapping: CompiledMapping;
  readonly platform: Platform;
  readonly dialect: Dialect;
  /** Limits of the connection. */
  readonly limits: Limits;
  /** Changes with every setting that affects decisions about people: mapping, scope, lifecycle, source and target. */
  readonly fingerprint: string;
  /** What is compared with the sync's baseline. */
  readonly configuration: Configuration;
  /** Compiles an earlier configuration of the sync. Throws `CONFIG_INVALID` where this version cannot. */
  readonly compile: (settings: DecidingSettings) => CompiledMapping;
  /** The mapping as YAML. */
  mappingText(): string;
  /** Returns the sync with another mapping (YAML), for a preview. Throws `CONFIG_INVALID` with every problem. */
  readonly withMapping: (mapping: string) => Promise<Sync>;
  /** Returns when the freeze ends in which the instant is (epoch ms): a window without disables and removes. */
  frozenUntil?(now: number): number | undefined;
  readonly deliveries: Readonly<Record<Delivery['kind'], Delivery>>;
}

/** A report that is sent by e-mail. */
export interface MailedReport {
  /** Sends the report of a slot (epoch ms), and returns the number of people in it. Throws `REPORT_NOT_SENT`. */
  send(slotAt: number, signal: AbortSignal): Promise<number>;
}

/** The services that a run needs. */
export interface EngineIo {
  readonly store: Store;
  /** Every configured sync by name. A sync that is absent here no longer owns ledger entries. */
  readonly syncs: ReadonlyMap<string, Sync>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: NewId;
  readonly openSpool: OpenSpool;
  /** How long the store keeps what, in ms. */
  readonly retention: {
    readonly runs: number;
    readonly audit: number;
    readonly ledgerOfGone: number;
  };
  /** Who must approve what, besides the guards. Absent: the guards alone decide. */
  readonly approvals?: ApprovalSettings;
  /** The reports that are sent by e-mail, by name. Absent: there are none. */
  readonly reports?: ReadonlyMap<string, MailedReport>;
  readonly checkpoint: Checkpoint;
  readonly progress: Progress;
  readonly countRequests: CountRequests;
}

/** A run under our lease, with its sync. */
export interface RunContext {
  readonly owned: OwnedRun;
  readonly sync: Sync;
  /** Aborts when the lease is lost, and a grace period after the process was asked to stop. */
  readonly signal: AbortSignal;
  /** Aborts as soon as the process is asked to stop. No further call starts; the call in progress may end. */
  readonly stopping: AbortSignal;
}
