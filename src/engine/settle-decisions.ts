import type { Snapshot } from '../core/snapshot.ts';
import type { EngineIo } from './engine-io.ts';
import { mark } from './people-index.ts';
import type { PlanWork } from './plan-job.ts';
import { sayOf } from './source-says.ts';

/** How long held changes may be approved. */
export const holdForMs = 86_400_000;

/** People whose episodes are looked at with one statement. */
const peopleAtOnce = 500;

/** What a run's plan says of the people whom it is about. */
export interface DecisionGrounds {
  readonly snapshot: Snapshot;
  /** People with a change whose outcome is not known: nothing is decided about them. */
  readonly unresolved: ReadonlySet<string>;
  /** A guard distrusts the read: it ends no episode. */
  readonly isDoubted: boolean;
  readonly now: number;
}

/**
 * Opens decisions for what the plan holds, and ends the episodes of people whom this read decided and whose rule does not
 * apply any more. Does nothing for a plan that is only shown. Repeatable.
 */
export async function settleDecisions(work: PlanWork, grounds: DecisionGrounds, io: EngineIo): Promise<void> {
  const { context, planId, sync } = work;
  if (context === undefined) return;
  const { decisions } = io.store;
  const { now, isDoubted } = grounds;
  await decisions.record(context.owned, planId, { now, expiresAt: now + holdForMs });
  if (isDoubted) return;
  const { name } = sync.settings;
  for (let after: string | undefined; ; ) {
    const query = { now, limit: peopleAtOnce, ...(after === undefined ? {} : { after }) };
    const people = await decisions.pending(name, query);
    const decided = people.filter((identification) => isDecided(identification, work, grounds));
    if (decided.length > 0) await decisions.end(context.owned, planId, decided, now);
    if (people.length < peopleAtOnce) return;
    after = people.at(-1);
  }
}

/** Whether the read allows a conclusion about the person. A person whom it does not name is decided only where absence is proven. */
function isDecided(identification: string, { index }: PlanWork, { snapshot, unresolved }: DecisionGrounds): boolean {
  const { slot, isExact } = index.find(identification);
  if (slot === -1) return snapshot.missing !== undefined;
  if (!isExact || index.has(slot, mark.conflict)) return false;
  const person = index.person(slot);
  const said = sayOf(person.kind === 'absent' ? undefined : person, snapshot, unresolved.has(identification));
  if (said.says === 'unusable') return false;
  // Hired for later is certain; gone in a read that proves nothing is not.
  return said.says !== 'nothing' || (person.kind === 'person' && person.standing === 'future' && person.isInScope);
}
