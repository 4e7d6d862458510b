import type { BlockedTally } from '../core/guard/blocked.ts';
import type { GuardVerdict } from '../core/guard/guard.ts';
import type { Mapped, SourceRecord } from '../core/person/person.ts';
import type { Finding } from '../core/run/finding.ts';
import type { Spool } from '../ports/spool.ts';
import type { RunFacts, RunScope } from '../ports/store.ts';
import type { OtherAccounts } from './compare/other-accounts.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';
import type { Findings } from './read/open-findings.ts';
import type { PeopleIndex } from './read/people-index.ts';

export interface PlanJob {
  /** Id under which the changes are stored: the run's id, or a new one for a dry run. */
  readonly planId: string;
  readonly sync: Sync;
  readonly scope: RunScope;
  /**
   * Decides only about these people, but reads all people, because their claims affect decisions. Absent: decides by
   * `scope`.
   */
  readonly focus?: readonly string[];
  readonly signal: AbortSignal;
  /** The run that will deliver the plan. Undefined for a dry run: no miss is counted, and no user becomes managed. */
  readonly context: RunContext | undefined;
}

/** A plan that is sealed in the store, with its findings. */
export interface Plan {
  readonly id: string;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly facts: RunFacts;
  readonly verdict: GuardVerdict;
  /** Number of changes that repeat a change whose outcome stayed unknown. */
  readonly repeated: number;
  /** Why this read of the source makes every run fail. If set, nothing was planned. */
  readonly failure: string | undefined;
}

/** What the steps of one plan share. */
export interface PlanWork extends PlanJob {
  /** Called for every source record after mapping. */
  readonly onRecord?: (record: SourceRecord, mapped: Mapped) => void;
  readonly index: PeopleIndex;
  /** Accounts that no record names, for the directory. Absent where none is written. */
  readonly others?: OtherAccounts;
  /** Salt of the hashes in the index and in the roster that is made from it. */
  readonly salt: string;
  readonly spool: Spool;
  readonly findings: Findings;
  /** People for whom no decision was possible. */
  readonly blocked: BlockedTally;
}

/** Returns what the store keeps of a plan in addition to its changes. */
export function headerOf({ planId, sync, context }: PlanJob, io: EngineIo) {
  return { id: planId, sync: sync.settings.name, run: context?.owned.run.id, madeAt: io.clock.now() };
}
