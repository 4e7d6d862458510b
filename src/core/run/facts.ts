import type { BlockedCounts } from '../guard/blocked.ts';
import type { ChangeClass } from '../plan/change.ts';
import type { EditFact } from '../plan/configuration.ts';
import type { MissingWait } from '../plan/ledger-steps.ts';
import type { ErrorCode, RootCause } from './errors.ts';
import type { RequestBudget } from './requests.ts';
import type { FilePace, RefusedInRow } from './waves.ts';

/** `cause`: a sentence without its full stop. */
export interface AccessTrouble {
  readonly keep: number;
  readonly lack: number;
  readonly cause?: string;
}

/** What the plan says of its read and of its changes, without personal data. Stored once, with the plan. */
export interface PlanFacts {
  readonly sourceRows: number;
  /* These three are absent when no plan could be made. */
  readonly platformUsers?: number;
  readonly managedUsers?: number;
  /** People of the source with an account who are in scope, are not blocked and get no change. Also leavers, once disabled. */
  readonly unchanged?: number;
  /** Users per page of the directory scan. Absent when the plan read users one by one. */
  readonly pageSize?: number;
  /** People of the source who have an account, ours or not. Absent: not a full read. */
  readonly matched?: number;
  /** People of the source: fewer than its rows when several have one identification. Absent: not a full read. */
  readonly people?: number;
  /** Number of changes that repeat one whose outcome remained unknown. */
  readonly repeated: number;
  /** People for whom no decision is possible, by kind. */
  readonly blocked: BlockedCounts;
  /** Users skipped in this run for a temporary reason: an e-mail still in use, a contradictory lookup. */
  readonly postponed: number;
  /** Creates that had no effect before and wait for their next try. With some, the run never counts as a success. */
  readonly createsWait: number;
  /** Rejected changes: dropped, they need no approval. */
  readonly rejected: number;
  /** Those of `rejected` that an undo keeps from being done again. */
  readonly undone: number;
  /** A guard doubts the read and requires approval, even if no change is held. */
  readonly isReadDoubted: boolean;
  /** Why the read is doubted, as a sentence without its full stop. Spares a search in the findings. */
  readonly doubt?: string;
  /** Why the source read was not fully proven. With gaps, the run never counts as a success. */
  readonly sourceGaps: readonly string[];
  /** Number of named people of whom the source returned no record. */
  readonly unknownPeople: number;
  /** People whose changes an undo leaves as they are, fully or in part. */
  readonly notUndone: number;
  /** People who keep or lack access until HR corrects their records. */
  readonly access: AccessTrouble;
  /**
   * The runs whose changes have an unknown outcome, and when the wait ends (epoch ms) even if the platform does not show
   * them. Without `until`, another sync ends it. Absent when no user waits.
   */
  readonly waitsFor?: { readonly runs: readonly string[]; readonly until?: number };
  /** Enabled users whom a full read lacks, by the sync that owns them and is not configured. */
  readonly orphans: Readonly<Record<string, number>>;
  /** Enabled users of ours whose absence from the source is counted, and is not long enough yet. */
  readonly missing: number;
  /** When the first of them is disabled. Absent: never, or a guard keeps this read from counting. */
  readonly missingWait?: MissingWait;
  /** People whom the plan looked up by id in the HR system, because a full read lacks them. */
  readonly sourceLookups: number;
  /** Two records claim one person, and only a full read can resolve the conflict: the next read is full. */
  readonly needsFull: boolean;
  /** What an edit of the configuration changes, held or not. Absent: no edit, or it changes no one. */
  readonly edit?: EditFact;
  /** The configuration was stored as the first one: there was none to compare it with. */
  readonly isFirstConfiguration: boolean;
  /** The classes that wait by `approvals`. */
  readonly ruled: readonly ChangeClass[];
  /** Edits on the platform that stay until the source's value changes (`keepLocalEdits`). */
  readonly respectedEdits: number;
  /** Disables and removes that wait for the end of a freeze, and when it ends (epoch ms). Absent: none. */
  readonly frozen?: { readonly count: number; readonly until: number };
  /** People of the source who are outside the scope and get no change. */
  readonly outOfScope: number;
  /** People of the source in scope who have no account and get none: leavers, and people who start later. */
  readonly noAccount: number;
  /** Users on the platform that are in no record of the source and not ours. Absent: not all users were read. */
  readonly unmanaged?: number;
  /** Requests that the run needs, estimated when its plan was made. Absent when no plan could be made. */
  readonly budget?: RequestBudget;
  /** The same for a run that also delivers the held changes. Absent when none is held. */
  readonly budgetWithHeld?: RequestBudget;
}

/** The facts of a plan that found nothing. */
export const noPlan: PlanFacts = {
  sourceRows: 0,
  repeated: 0,
  blocked: {},
  postponed: 0,
  createsWait: 0,
  rejected: 0,
  undone: 0,
  isReadDoubted: false,
  sourceGaps: [],
  unknownPeople: 0,
  notUndone: 0,
  access: { keep: 0, lack: 0 },
  orphans: {},
  missing: 0,
  sourceLookups: 0,
  needsFull: false,
  isFirstConfiguration: false,
  ruled: [],
  respectedEdits: 0,
  outOfScope: 0,
  noAccount: 0,
};

/**
 * What the delivery has learned, without personal data. Each of its steps writes what it learns, and the next process
 * continues with it: what is absent has not happened yet.
 */
export interface DeliveryFacts {
  /** Start of the period (epoch ms) in which the platform accepts no file of ours; absent when it accepts files. */
  readonly waitingSince?: number;
  /** How often in a row the next file was answered 400. See `judgeRefusedUpload`. */
  readonly refusedUploads?: number;
  /** Writes that were refused since the last accepted one (403). */
  readonly refusedInRow?: RefusedInRow;
  readonly splits?: number;
  /** The batch of one row that decides whether the platform or the rows are at fault. See `splitBatch`. */
  readonly probe?: string;
  /**
   * The result of the run's first failed file: how many of its rows the first read-back showed, and whether more
   * appeared within `settle.visibleWithin`. If no further rows appeared, later failed files do not get that time.
   */
  readonly failedFile?: { readonly seen: number; readonly showsLate?: boolean; readonly batch?: string };
  /** Start of the lookup (epoch ms) that last covered all users of changes that were not sent. */
  readonly lookedAt?: number;
  /** How long that lookup took. */
  readonly lookTookMs?: number;
  /** Start of the last lookup (epoch ms) that read sent changes back. */
  readonly provedAt?: number;
  readonly filePace?: FilePace;
  /**
   * What the polls of the file that is out showed: since when its status stands (epoch ms), the word if the dialect does
   * not name it, whether the record is no longer blocked, and when its users were read back early.
   */
  readonly standing?: {
    readonly batch: string;
    readonly since: number;
    readonly word?: string;
    readonly isUnnamed?: true;
    readonly isReleased?: true;
    readonly readBackAt?: number;
  };
  /** The run has looked for a new user under other forms of the identification. */
  readonly isRewriteChecked?: true;
  /** The unnamed word with which the platform answered an upload. It is no end. */
  readonly uploadWord?: string;
  readonly exportedTo?: readonly string[];
}

/** Why the run ended as it did, beside its outcome and its reason. Stored with the reason. */
export interface EndFacts {
  /** The code of the error that ended the run. Absent when no error did. */
  readonly failure?: ErrorCode;
  /** What it has in common with runs of other syncs. Absent: it concerns this run alone. */
  readonly cause?: RootCause;
  /** Until when the schedule waits, because the HR system refused the credentials (epoch ms). */
  readonly refusedUntil?: number;
  /** Everything that kept the run from being whole. */
  readonly reasons: readonly string[];
  /** Accounts that the run made. Absent: it did not end regularly. */
  readonly created?: number;
}
