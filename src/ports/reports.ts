import type { Change, ChangeClass, ChangeKind, ChangePart } from '../core/plan/change.ts';
import type { PersonEvent } from '../core/plan/event.ts';
import type { PlanFacts } from '../core/run/facts.ts';
import type { Finding, FindingCode } from '../core/run/finding.ts';
import type { ChangeState } from '../core/run/run.ts';
import type { LeaseHolder } from './leases.ts';
import type { HoldFacts, Run } from './runs.ts';
import type { Pause } from './store-operations.ts';

/** What a sync does and waits for, and the results of its latest runs about all people. Canceled runs do not count. */
export interface SyncStanding {
  readonly sync: string;
  /** About anyone, in progress or ended. */
  readonly newest: Run | undefined;
  readonly pause: Pause | undefined;
  /** Requests that no run has taken, those of equal scope once, and the instant of the oldest. */
  readonly requests: number;
  readonly requestedAt: number | undefined;
  /** When the last accepted full read was stored. */
  readonly acceptedAt: number | undefined;
  /** End of the newest run (epoch ms); undefined: none has ended. */
  readonly endedAt: number | undefined;
  /** Start and end of the newest success. */
  readonly freshAt: number | undefined;
  readonly successAt: number | undefined;
  /** The runs that failed, wholly or partly, since the newest success. */
  readonly failures: number;
  /** End of the first of them. */
  readonly failingSince: number | undefined;
  /** Why the newest of them failed. */
  readonly lastFailure:
    | { readonly run: string; readonly outcome: string; readonly reason: string | undefined }
    | undefined;
}

/** The last accepted full read of a sync, and the plan of its run. */
export interface LastRead {
  readonly at: number;
  readonly run: string;
  readonly rows: number;
  /** Accounts that the run made after the read. */
  readonly created: number;
  readonly plan: PlanFacts | undefined;
}

/** The length of the time that one count covers: the offset of every time zone is a multiple of it. */
export const quarterMs = 900_000;

/** A number of events of one sync in a quarter of an hour. */
export interface Counted {
  readonly sync: string;
  /** Start of the quarter (epoch ms). */
  readonly at: number;
  readonly count: number;
}

export interface AppliedCount extends Counted {
  readonly event: PersonEvent;
}

export interface EndedCount extends Counted {
  readonly outcome: string;
  readonly isSuccess: boolean;
  /** Number of changes that failed in these runs. */
  readonly failed: number;
}

/** The time that a run spent in one phase, in all. */
export interface PhaseTime {
  readonly phase: string;
  readonly startedAt: number;
  readonly ms: number;
  readonly isCurrent: boolean;
}

/** Findings with one code, and one text apart from the place and person that it names. */
export interface FindingCause {
  readonly code: FindingCode;
  readonly message: string;
  readonly count: number;
  /** The first ones. */
  readonly examples: readonly Finding[];
}

export interface FindingPage {
  readonly run: string;
  readonly limit: number;
  readonly code?: string;
  /** `message` of a cause. */
  readonly cause?: string;
  /** Position in the run of the last finding of the page before. */
  readonly after?: number;
}

/** What became of some of the changes that a run held. */
export interface HeldEnd {
  readonly classes: readonly ChangeClass[];
  /** `ended`: an accepted read ended the reason. `expired`: it was not decided in time, or a later run plans otherwise. */
  readonly state: 'open' | 'approved' | 'rejected' | 'ended' | 'expired';
  /** The operator who approved or rejected them. */
  readonly by: string | undefined;
  /** The reason that the operator gave. */
  readonly why: string | undefined;
  /** The run that used the approval, and what became of the changes there. */
  readonly run: string | undefined;
  readonly end: ChangeState | undefined;
  readonly count: number;
}

/** A change as the store has it, with what became of it. */
export interface PlannedChange extends Change {
  readonly state: ChangeState;
  /** The reason of a held or failed change, as a sentence. */
  readonly stateReason: string | undefined;
  readonly batch: string | undefined;
  readonly isApproved: boolean;
  /** Dropped because the change was already rejected when the plan was made. */
  readonly isRejected: boolean;
  /** An operator left it out of a decision about others. */
  readonly isLeftOut: boolean;
  /** When the change was seen applied, at least in part; undefined when it was not. */
  readonly appliedAt?: number;
}

/** Changes of runs, those of the newest plan first, then in order of identification. */
export interface RecentQuery {
  readonly syncs: readonly string[];
  /** When the plan was made (epoch ms), `until` excluded. */
  readonly since: number;
  readonly until: number;
  readonly kind?: ChangeKind;
  readonly class?: ChangeClass;
  readonly state?: ChangeState;
  readonly limit: number;
  /** The last change of the page before. */
  readonly after?: readonly [at: number, run: string, identification: string, part: ChangePart];
}

export interface FoundInRun {
  readonly sync: string;
  readonly run: string;
  readonly at: number;
  readonly event: PersonEvent;
  readonly change: PlannedChange;
}

export interface ClosedHolds {
  readonly syncs: readonly string[];
  readonly limit: number;
  /** The last hold of the page before. */
  readonly after?: Pick<HoldFacts, 'id' | 'heldAt'>;
}

/** Returns the key of what a read said about a person: later plans may say the same. */
export function factKey({
  identification,
  rule,
  episode,
}: Pick<Change, 'identification' | 'rule' | 'episode'>): string {
  return JSON.stringify([identification, rule, episode]);
}

/** Questions of the overview that concern several tables. They change nothing. */
export interface Reports {
  /** Returns how these syncs stand, by name, with one statement for any number of syncs. */
  syncs(names: readonly string[], now: number): Promise<ReadonlyMap<string, SyncStanding>>;
  /** Returns the last accepted full read of every sync that has one. */
  lastReads(): Promise<ReadonlyMap<string, LastRead>>;
  /** Returns who holds these leases, or held them last and did not release them, by name. */
  holders(names: readonly string[]): Promise<ReadonlyMap<string, LeaseHolder>>;
  hold(id: string): Promise<HoldFacts | undefined>;
  /** Returns changes of runs. Throws `STORE_INVALID` when no configured key opens the values. */
  recentChanges(query: RecentQuery): Promise<readonly FoundInRun[]>;
  /** Returns when each change of these people was first said or applied, by `factKey`. */
  firstSaid(sync: string, identifications: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns holds of which every change was decided or lapsed, newest first. */
  closedHolds(query: ClosedHolds): Promise<readonly HoldFacts[]>;
  /** Returns the sync of a sealed plan that was only shown; undefined for any other plan. */
  shownPlan(id: string): Promise<string | undefined>;
  /** Returns the hashes of the sync's changes that wait for an operator now. Suitable for frequent calls. */
  waitingHashes(sync: string, now: number): Promise<ReadonlySet<string>>;
  /** Returns how long the run was in each phase. */
  timeline(run: string, now: number): Promise<readonly PhaseTime[]>;
  /** Returns the most frequent causes of findings of the run, at most 200, and the number of findings by code. */
  findingCauses(run: string): Promise<{
    readonly byCode: readonly { readonly code: FindingCode; readonly count: number }[];
    readonly causes: readonly FindingCause[];
  }>;
  /** Returns findings in order, each with its position in the run. */
  findings(page: FindingPage): Promise<readonly (Finding & { readonly number: number })[]>;
  /** Counts the changes of the run by batch and state. Counts of a large run may be up to a minute old. */
  batchStates(
    run: string,
  ): Promise<readonly { readonly batch: string; readonly state: ChangeState; readonly count: number }[]>;
  /** Counts what became of the changes that the run held. */
  heldEnds(run: string, sync: string, now: number): Promise<readonly HeldEnd[]>;
  /** Counts changes that were seen applied at `since` or later, in all syncs. */
  applied(since: number): Promise<readonly AppliedCount[]>;
  /** Counts runs that ended at `since` or later, in all syncs. */
  ended(since: number): Promise<readonly EndedCount[]>;
}
