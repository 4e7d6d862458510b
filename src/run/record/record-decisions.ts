import { holdForMs } from '../../core/guard/guard.ts';
import type { SourceSays } from '../../core/plan/plan.ts';
import type { Snapshot } from '../../core/plan/snapshot.ts';
import { given } from '../../core/run/given.ts';
import type { OwnedRun } from '../../ports/store.ts';
import type { Unresolved } from '../compare/unresolved.ts';
import type { EngineIo } from '../engine-io.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import { sayOf } from '../read/source-says.ts';

/** Number of people whose episodes are read with one statement. */
const peopleAtOnce = 500;

/** What a run's plan knows about its people. */
export interface DecisionGrounds {
  readonly index: PeopleIndex;
  readonly snapshot: Snapshot;
  /** What lookups by id say of people who are missing from the read, by slot. */
  readonly asked: ReadonlyMap<number, SourceSays>;
  /** People with a change whose outcome is not known. No decision is made about them. */
  readonly unresolved: Unresolved['blocked'];
  /** A guard doubts the read, so it ends no episode. */
  readonly isDoubted: boolean;
  readonly now: number;
}

/**
 * Opens decisions for the changes that the plan holds. Ends the episodes of people whom this read decided and whose
 * rule no longer applies. Repeatable.
 */
export async function recordDecisions(
  owned: OwnedRun,
  grounds: DecisionGrounds,
  io: Pick<EngineIo, 'store'>,
): Promise<void> {
  const { id, sync } = owned.run;
  const { decisions } = io.store;
  const { index, now, isDoubted } = grounds;
  const isPending = await decisions.record(owned, id, { now, expiresAt: now + holdForMs });
  if (isDoubted || !isPending) return;
  for (let after: string | undefined; ; ) {
    const query = { now, limit: peopleAtOnce, ...given({ after }) };
    const people = await decisions.pending(sync, query);
    const decided = people.filter((identification) => isDecided(identification, grounds));
    const isPrevented = (name: string): boolean => index.has(index.find(name).slot, mark.prevented);
    for (const keepsRejections of [false, true]) {
      const identifications = decided.filter((name) => isPrevented(name) === keepsRejections);
      if (identifications.length > 0) await decisions.end(owned, id, { identifications, keepsRejections }, now);
    }
    const led = people.filter((name) => index.has(index.find(name).slot, mark.led));
    const ofLed = { part: 'leaders', identifications: led, keepsRejections: false } as const;
    if (led.length > 0) await decisions.end(owned, id, ofLed, now);
    if (people.length < peopleAtOnce) return;
    after = people.at(-1);
  }
}

/**
 * Returns whether the read allows a decision about the person. People whom it does not name are decided only if absence
 * is proven.
 */
function isDecided(identification: string, { index, snapshot, unresolved, asked }: DecisionGrounds): boolean {
  const { slot, isExact } = index.find(identification);
  if (slot === -1) return snapshot.missing !== undefined;
  // Bystanders are read only for what they claim.
  if (!isExact || index.hasAny(slot, mark.bystander | mark.conflict | mark.undated)) return false;
  const person = index.person(slot);
  const wait = unresolved.get(identification);
  const said = sayOf(person.kind === 'absent' ? undefined : person, snapshot, wait, asked.get(slot));
  if (said.says === 'unusable' || said.says === 'unconfirmed') return false;
  // A future hire is certain. An absence in a read that proves nothing is not.
  if (person.kind === 'absent' && said.says === 'nothing') return said.isSeen === true;
  return said.says !== 'nothing' || (person.kind === 'person' && person.standing === 'future' && person.isInScope);
}
