import { utcDate } from '../../core/person/plain-date.ts';
import { endOfDay } from '../../core/person/time-zone.ts';
import { given } from '../../core/run/given.ts';
import { type Leaver, type LeaverEnding, type LeaverStatement, restated } from '../../core/run/leavers.ts';
import type { LeaverUpdate } from '../../ports/leavers.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { EngineIo } from '../engine-io.ts';
import type { Judged } from '../judge/judge.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { PlanRead } from '../read/read-people.ts';

const dayMs = 86_400_000;
/** A last day of work is listed so long before its end. */
const announcedMs = 30 * dayMs;

interface Noted {
  readonly read: PlanRead;
  readonly compared: Pick<PlanCompared, 'lookedAt'>;
  readonly judged: Pick<Judged, 'isAccepted'>;
}

/**
 * Notes the people with an enabled account whom this read states as leavers, and returns what becomes of the leavers that
 * count. Any readable row states a leaver. Only a read that no guard doubts withdraws a statement.
 */
export function noteLeavers(work: PlanWork, { read, compared, judged }: Noted, io: EngineIo): LeaverUpdate {
  const { index, sync, recorder } = work;
  const takesOutside = sync.settings.outOfScope === 'disable';
  const { readAt: at, reading, focus, snapshot } = read;
  const stated = statedBy(work, at);
  const isWhole = reading.kind === 'full' && focus === undefined;
  const isBelieved = judged.isAccepted && snapshot.leavers !== undefined;
  const lookedAt = compared.lookedAt ?? at;
  const isWithdrawn = (slot: number): boolean =>
    (index.has(slot, mark.active) && !index.has(slot, mark.undated)) ||
    (index.has(slot, mark.outOfScope) && !takesOutside) ||
    isOfOthers(index, slot);
  const endingOf = ({ identification }: Leaver): LeaverEnding | undefined => {
    const { slot, isExact } = index.find(identification);
    if (!isExact || index.hasAny(slot, mark.conflict | mark.bystander)) return undefined;
    if (index.has(slot, mark.seen) && !index.has(slot, mark.enabled)) return 'disabled';
    if (!index.has(slot, mark.inSource)) return undefined;
    if (isBelieved && isWithdrawn(slot)) return 'withdrawn';
    return isWhole && !index.has(slot, mark.seen) ? 'gone' : undefined;
  };
  const next = (leaver: Leaver): Leaver => {
    const statement = stated.get(leaver.identification);
    if (statement !== undefined) return restated(leaver, statement, at);
    const ending = endingOf(leaver);
    if (ending === undefined) return leaver;
    return { ...leaver, endedAt: lookedAt, ending, ...(ending === 'withdrawn' ? {} : { seenAt: lookedAt }) };
  };
  const begun = (identification: string, { leaves, effectiveAt = at }: LeaverStatement): Leaver => ({
    ...{ id: io.newId('leaver'), sync: sync.settings.name, identification, saidAt: at, saidIn: recorder.planId },
    ...{ ...given({ leaves }), effectiveAt, clockAt: Math.max(at, effectiveAt) },
  });
  return (counting) => {
    const known = new Set(counting.map(({ identification }) => identification));
    const changed = counting
      .map((leaver) => [leaver, next(leaver)] as const)
      .filter(([before, after]) => before !== after);
    const others = [...stated].filter(([identification]) => !known.has(identification));
    return [...changed.map(([, after]) => after), ...others.map((one) => begun(...one))];
  };
}

/** Returns what the read states about people with an enabled account who left, or leave soon, by identification. */
function statedBy({ index, sync: { settings } }: PlanWork, at: number): ReadonlyMap<string, LeaverStatement> {
  const stated = new Map<string, LeaverStatement>();
  if (settings.policy !== 'sync') return stated;
  const isMeant = (slot: number): boolean =>
    !index.hasAny(slot, mark.bystander | mark.tied | mark.unsure) &&
    !isOfOthers(index, slot) &&
    (!index.has(slot, mark.outOfScope) || settings.outOfScope === 'disable');
  for (const slot of index.leaving(utcDate(at - dayMs), utcDate(at + announcedMs)).filter(isMeant)) {
    const person = index.person(slot);
    if (person.kind !== 'person') continue;
    const { identification, standing, leaves, leavesIn } = person;
    const endsAt = leaves === undefined || leavesIn === undefined ? undefined : endOfDay(leaves, leavesIn);
    const hasLeft = standing === 'leaver';
    if (!hasLeft && endsAt === undefined) continue;
    // Where the status alone counts, the person may have left before the last day.
    const effectiveAt = hasLeft && (endsAt ?? 0) > at ? undefined : endsAt;
    stated.set(identification, given({ leaves, effectiveAt }));
  }
  return stated;
}

function isOfOthers(index: PlanWork['index'], slot: number): boolean {
  return index.has(slot, mark.inLedger) && !index.has(slot, mark.ours);
}
