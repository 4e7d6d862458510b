import type { BlockedCounts } from '../core/guard/blocked.ts';
import type { MissingWait } from '../core/plan/ledger-steps.ts';
import type { ReadFact } from '../core/run/next-read.ts';
import type { RequestBudget } from '../core/run/request-budget.ts';
import type { FilePace } from '../core/run/waves.ts';

/** Facts about the run, without personal data. */
export interface RunFacts {
  /** The kind of read that the run made. Absent before the read. */
  readonly read?: ReadFact;
  /** When the plan was made (epoch ms). A plan that is sent much later is outdated. */
  readonly plannedAt?: number;
  readonly sourceRows?: number;
  readonly platformUsers?: number;
  /** Users per page of the directory scan. Absent when the plan read users one by one. */
  readonly pageSize?: number;
  readonly managedUsers?: number;
  /** Number of changes that repeat one whose outcome remained unknown. */
  readonly repeated?: number;
  /** People for whom no decision is possible, by kind. */
  readonly blocked?: BlockedCounts;
  /**
   * The runs whose changes have an unknown outcome, and when the wait ends (epoch ms) even if the platform does not show
   * them. Without `until`, another sync ends it. Absent when no user waits.
   */
  readonly waitsFor?: { readonly runs: readonly string[]; readonly until?: number };
  /** Enabled users of ours whose absence from the source is counted, and is not long enough yet. Absent: none. */
  readonly missing?: number;
  /** When the first of them is disabled. Absent: never, or a guard keeps this read from counting. */
  readonly missingWait?: MissingWait;
  /** Users skipped in this run for a temporary reason: an e-mail still in use, a contradictory lookup. */
  readonly postponed?: number;
  /** Two records claim one person, and only a full read can resolve the conflict: the next read is full. */
  readonly needsFull?: true;
  /** Rejected changes: dropped, they need no approval. */
  readonly rejected?: number;
  /** Start of the period (epoch ms) in which the platform accepts no file of ours; absent when it accepts files. */
  readonly waitingSince?: number;
  /** How often in a row the next file was answered 400. See `judgeRefusedUpload`. */
  readonly refusedUploads?: number;
  /** A guard doubts the read: far fewer rows, an emptied field, too many blocked people. */
  readonly isReadDoubted?: boolean;
  /** The likely cause of too many blocked people, as a sentence without its full stop. */
  readonly doubt?: string;
  /** The HR system rejected our credentials; nothing was read. */
  readonly isSourceRefused?: true;
  /** The tokens of the connection ended the run: refused, revoked, sealed with another key, or not to be had. */
  readonly isLockedOut?: true;
  /** Why the read is not fully proven; empty when it is. */
  readonly sourceGaps?: readonly string[];
  /** Number of named people of whom the source returned no record. */
  readonly unknownPeople?: number;
  /** People of the source who are not blocked and get no change, including leavers who have left already. */
  readonly unchanged?: number;
  /** Users on the platform that are in no record of the source and not ours. */
  readonly unmanaged?: number;
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
  /** Requests that the run needs, estimated when its plan was made. Absent when no plan could be made. */
  readonly budget?: RequestBudget;
  /** The same for a run that also delivers the held changes. Absent when none is held. */
  readonly budgetWithHeld?: RequestBudget;
  /** The last temporary problem of the run (epoch ms), which it retried. */
  readonly problem?: { readonly at: number; readonly reason: string };
  readonly exportedTo?: readonly string[];
}
