import type { BlockedCounts } from '../core/blocked.ts';
import type { ReadFact } from '../core/next-read.ts';

/** What the run saw; no personal data. */
export interface RunFacts {
  /** Which read of the source it made; absent until it was made, and in runs of versions that read only in full. */
  readonly read?: ReadFact;
  /** When the plan was made (epoch ms): what is sent long after says too little about today. */
  readonly plannedAt?: number;
  readonly sourceRows?: number;
  readonly platformUsers?: number;
  readonly managedUsers?: number;
  /** Changes that repeat one whose fate had stayed unknown. */
  readonly repeated?: number;
  /** People for whom nothing could be decided, by kind. */
  readonly blocked?: BlockedCounts;
  /** People left as they are for a reason that passes: an e-mail still in use, a look-up that contradicts itself. */
  readonly postponed?: number;
  /** Two records claim one person, and who is who only everybody's records tell: the next read is full. */
  readonly needsFull?: true;
  /** Changes that a person has rejected: dropped, they wait for nobody. */
  readonly rejected?: number;
  /** Since when (epoch ms) the platform takes no file of ours; absent when it does. */
  readonly waitingSince?: number;
  /** A guard distrusts the read: far fewer rows, an emptied field, too many people blocked. */
  readonly isReadDoubted?: boolean;
  /** The likely cause of too many people blocked, in a sentence without its full stop. */
  readonly doubt?: string;
  /** The HR system refused our credentials; nothing was read. */
  readonly isSourceRefused?: true;
  /** Why the read is not fully proven; empty when it is. */
  readonly sourceGaps?: readonly string[];
  readonly unchanged?: number;
  /** On the platform, in no record of the source, and not ours. */
  readonly unmanaged?: number;
  readonly splits?: number;
  /**
   * What the run's first failed file showed: how many of its rows at the first read-back, and whether more of them showed
   * within `settle.visibleWithin`. Later failed files are not given that time when this one showed nothing more.
   */
  readonly failedFile?: { readonly seen: number; readonly showsLate?: boolean };
  readonly exportedTo?: readonly string[];
}
