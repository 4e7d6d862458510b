import type { BlockedTally } from '../core/guard/blocked.ts';
import type { GuardVerdict } from '../core/guard/guard.ts';
import type { CorrectionsFound } from '../core/person/corrections.ts';
import type { Roster } from '../core/plan/roster.ts';
import type { DeliveryFacts, PlanFacts } from '../core/run/facts.ts';
import type { Finding } from '../core/run/finding.ts';
import type { ReadFact } from '../core/run/next-read.ts';
import type { LeaverUpdate } from '../ports/leavers.ts';
import type { Baseline } from '../ports/reads.ts';
import type { Spool } from '../ports/runtime.ts';
import type { PlannedChange, RunScope } from '../ports/store.ts';
import type { Edit } from './edit.ts';
import type { Sync } from './engine-io.ts';
import type { Findings } from './read/open-findings.ts';
import type { KnownPeople } from './record/write-people.ts';
import type { Recorder } from './recorder.ts';

export interface PlanJob {
  readonly sync: Sync;
  readonly scope: RunScope;
  /**
   * Decides only about these people, but reads all people, because their claims affect decisions. Absent: decides by
   * `scope`.
   */
  readonly focus?: readonly string[];
  /** An operator asked for another try of what failed: no create waits. */
  readonly isRetry?: true;
  readonly signal: AbortSignal;
}

/** A plan that is sealed, with its findings. */
export interface Plan {
  readonly id: string;
  readonly digest: string;
  /** All changes, where they are few. Absent: they are read page by page. */
  readonly few?: readonly PlannedChange[];
  readonly findings: readonly Finding[];
  readonly corrections: CorrectionsFound | undefined;
  readonly read: ReadFact;
  readonly facts: PlanFacts;
  /** What the delivery begins with: the platform was read for the plan. */
  readonly delivery: DeliveryFacts | undefined;
  readonly verdict: GuardVerdict;
  /** What the read and the platform show of stated leavers. */
  readonly leavers?: LeaverUpdate;
  /** Why this read of the source makes every run fail. If set, nothing was planned. */
  readonly failure: string | undefined;
}

/** What the steps of one plan share. */
export interface PlanWork extends PlanJob, KnownPeople {
  readonly recorder: Recorder;
  readonly spool: Spool;
  readonly findings: Findings;
  /** People for whom no decision was possible. */
  readonly blocked: BlockedTally;
  /** The people of the last accepted read before this plan. Undefined: there was none. */
  readonly roster: Roster | undefined;
  readonly baseline: Baseline;
  /** The edit of the configuration since the baseline. Absent: there is none. */
  readonly edit?: Edit;
}
