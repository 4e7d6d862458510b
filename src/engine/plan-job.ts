import type { BlockedTally } from '../core/blocked.ts';
import type { Finding } from '../core/finding.ts';
import type { GuardVerdict } from '../core/guard.ts';
import type { Mapped, SourceRecord } from '../core/person.ts';
import type { Spool } from '../ports/spool.ts';
import type { RunFacts, RunScope } from '../ports/store.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';
import type { Findings } from './open-findings.ts';
import type { PeopleIndex } from './people-index.ts';

export interface PlanJob {
  /** Id under which the changes are stored: the run's, or a new one for a plan that is only shown. */
  readonly planId: string;
  readonly sync: Sync;
  readonly scope: RunScope;
  /** Decide only about these people, but read everybody: what others claim decides too. Absent: by `scope`. */
  readonly focus?: readonly string[];
  readonly signal: AbortSignal;
  /** The run that will deliver the plan. Without one it is only shown: no miss is counted, no user becomes ours. */
  readonly context: RunContext | undefined;
}

/** A plan that is sealed in the store, and what was found while it was made. */
export interface Plan {
  readonly id: string;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly facts: RunFacts;
  readonly verdict: GuardVerdict;
  /** Changes that repeat one whose outcome stayed unknown. */
  readonly repeated: number;
  /** Why this read of the source makes any run a failure. Nothing was planned then. */
  readonly failure: string | undefined;
}

/** What the steps of making one plan share. */
export interface PlanWork extends PlanJob {
  /** Called for every record of the source, after it was mapped. */
  readonly onRecord?: (record: SourceRecord, mapped: Mapped) => void;
  readonly index: PeopleIndex;
  /** Salt of the index's hashes, and of the roster that is made from it. */
  readonly salt: string;
  readonly spool: Spool;
  readonly findings: Findings;
  /** People for whom nothing could be decided. */
  readonly blocked: BlockedTally;
}

/** What the store keeps of a plan beside its changes. */
export function headerOf({ planId, sync, context }: PlanJob, io: EngineIo) {
  return { id: planId, sync: sync.settings.name, run: context?.owned.run.id, madeAt: io.clock.now() };
}
