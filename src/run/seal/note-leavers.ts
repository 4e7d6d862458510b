import { utcDate } from '../../core/person/plain-date.ts';
import { endOfDay } from '../../core/person/time-zone.ts';
import { type Leaver, type LeaverEnding, type LeaverStatement, restated } from '../../core/plan/leavers.ts';
import { isOpenAccount } from '../../core/plan/ledger.ts';
import { chunk } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import type { LeaverUpdate } from '../../ports/leavers.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { EngineIo } from '../engine-io.ts';
import type { Judged } from '../judge/judge.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';

const dayMs = 86_400_000;
/** A last day of work is listed so long before its end. */
const announcedMs = 30 * dayMs;
const peopleAtOnce = 500;

interface Noted {
  readonly read: PlanRead;
  readonly compared: Pick<PlanCompared, 'lookedAt'>;
  readonly judged: Pick<Judged, 'isAccepted'>;
}

/**
 * Notes the people with an enabled account whom this read states as leavers, and returns what becomes of the leavers that
 * count. Any readable row states a leaver. Only a complete read that no guard doubts withdraws a statement.
 */
export function noteLeavers(work: PlanWork, { read, compared, judged }: Noted, io: EngineIo): LeaverUpdate {
  const { index, sync } = work;
  const { reading, focus, snapshot } = read;
  const isWhole = reading.kind === 'full' && focus === undefined;
  const isBelieved = judged.isAccepted && snapshot.leavers !== undefined;
  const isWithdrawn = (slot: number): boolean =>
    (index.has(slot, mark.active) && !index.has(slot, mark.undated)) ||
    (index.has(slot, mark.outOfScope) && sync.settings.outOfScope !== 'disable') ||
    isOfOthers(index, slot);
  const endingOf = (identification: string): LeaverEnding | undefined => {
    const { slot, isExact } = index.find(identification);
    if (!isExact || index.hasAny(slot, mark.conflict | mark.bystander)) return undefined;
    if (index.has(slot, mark.seen) && !index.has(slot, mark.enabled)) return 'disabled';
    if (!index.has(slot, mark.inSource)) return undefined;
    if (isBelieved && isWithdrawn(slot)) return 'withdrawn';
    return isWhole && !index.has(slot, mark.seen) ? 'gone' : undefined;
  };
  const slots = leaving(work, read).filter((slot) => index.has(slot, mark.enabled) && !isOfOthers(index, slot));
  return updateBy(work, { at: read.readAt, slots }, io, (leaver) => {
    const ending = endingOf(leaver.identification);
    if (ending === undefined) return leaver;
    const endedAt = compared.lookedAt;
    return { ...leaver, endedAt, ending, ...(ending === 'withdrawn' ? {} : { seenAt: endedAt }) };
  });
}

/** Notes whom a read states as leavers where the platform was not read: those whose accounts Rollcall manages. */
export async function noteUncompared(work: PlanWork, read: PlanRead, io: EngineIo): Promise<LeaverUpdate> {
  const { index, sync } = work;
  const { name, connection } = sync.settings;
  const managed: number[] = [];
  for (const slots of chunk(leaving(work, read), peopleAtOnce)) {
    const names = slots.map((slot) => index.person(slot).identification);
    const ledger = await io.store.ledger.getMany(connection, names);
    const isManaged = (identification: string): boolean => {
      const entry = ledger.get(identification);
      return isOpenAccount(entry) && entry.owner === name;
    };
    managed.push(...slots.filter((_, at) => isManaged(names[at] ?? '')));
  }
  return updateBy(work, { at: read.readAt, slots: managed }, io, (leaver) => leaver);
}

/** Returns the people who left by their own record, or leave soon. */
function leaving({ index, sync: { settings } }: PlanWork, { readAt }: PlanRead): readonly number[] {
  const others = mark.bystander | mark.tied | mark.unsure | (settings.outOfScope === 'disable' ? 0 : mark.outOfScope);
  const soon = [utcDate(readAt - dayMs), utcDate(readAt + announcedMs)] as const;
  return settings.policy === 'sync' ? index.leaving(...soon).filter((slot) => !index.hasAny(slot, others)) : [];
}

function isOfOthers(index: PeopleIndex, slot: number): boolean {
  return index.has(slot, mark.inLedger) && !index.has(slot, mark.ours);
}

/** Returns the update by what a read states about these people. `others`: what becomes of a leaver whom it does not state. */
function updateBy(
  { index, sync, recorder }: PlanWork,
  { at, slots }: { readonly at: number; readonly slots: readonly number[] },
  io: EngineIo,
  others: (leaver: Leaver) => Leaver,
): LeaverUpdate {
  const stated = new Map(slots.flatMap((slot) => statementOf(index, slot, at)));
  const begin = (identification: string, { leaves, effectiveAt = at }: LeaverStatement): Leaver => ({
    ...{ id: io.newId('leaver'), sync: sync.settings.name, identification, saidAt: at, saidIn: recorder.planId },
    ...{ ...given({ leaves }), effectiveAt, clockAt: Math.max(at, effectiveAt) },
  });
  return (counting) => {
    const after = counting.map((leaver) => {
      const statement = stated.get(leaver.identification);
      return statement === undefined ? others(leaver) : restated(leaver, statement, at);
    });
    const known = new Set(counting.map(({ identification }) => identification));
    const begun = [...stated].filter(([identification]) => !known.has(identification));
    return [...after.filter((one, i) => one !== counting[i]), ...begun.map((one) => begin(...one))];
  };
}

function statementOf(
  index: PeopleIndex,
  slot: number,
  at: number,
): readonly (readonly [identification: string, LeaverStatement])[] {
  const person = index.person(slot);
  if (person.kind !== 'person') return [];
  const { identification, standing, leaves, leavesIn } = person;
  const endsAt = leaves === undefined || leavesIn === undefined ? undefined : endOfDay(leaves, leavesIn);
  // Where the status alone decides, the person may have left before the last day.
  if (standing === 'leaver') {
    return [
      [identification, given({ leaves, effectiveAt: endsAt !== undefined && endsAt <= at ? endsAt : undefined })],
    ];
  }
  return endsAt === undefined ? [] : [[identification, given({ leaves, effectiveAt: endsAt })]];
}
