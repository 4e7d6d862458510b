import { isStated } from '../../core/plan/leaders.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { PlanRead } from '../read/read-people.ts';
import { isOurs, knownList, leaderEffects } from './effects.ts';
import { type WishesJob, wishes } from './resolve.ts';
import { addWaitingPeople, type Cycles, findCycles, openLeftLeaders, waitFindings, waitsAfter } from './waiting.ts';

/** How many people whose list is known a full run reads again, the longest unchecked ones first. */
export const rollingCheck = 200;

export interface Survey {
  readonly isFull: boolean;
  /** Slots of people whose leaders may change, or of whom the ledger learns. */
  readonly toDecide: readonly number[];
  /** Those of them whose list is read although the ledger knows it. */
  readonly rolling: ReadonlySet<number>;
  readonly cycles: Cycles;
  /** The ledger cannot keep what waits for a person whose account this plan creates. The next read shows the person. */
  readonly needsFull: boolean;
}

/** Resolves the wish of each person, reports what prevents it, and finds who must be decided. */
export async function surveyPeople(work: PlanWork, read: PlanRead, io: EngineIo): Promise<Survey> {
  const { index, findings, sync } = work;
  // A manager who is absent from an incomplete read may still work here.
  const isFull = read.snapshot.missing !== undefined;
  const now = io.clock.now();
  const led = [...everyLed(work), ...(await addWaitingPeople(work, read, io))];
  const leaderOf = new Int32Array(index.size).fill(-1);
  const left = openLeftLeaders(index);
  const above = new Map<number, string>();
  const toDecide: number[] = [];
  const listed: { readonly slot: number; readonly at: number }[] = [];
  let needsFull = false;
  for await (const one of wishes({ ...work, slots: led, isFull }, io)) {
    const { slot, person, wish, entry } = one;
    const { trouble, wanted } = wish;
    const { identification } = person;
    const waits = waitsAfter(wish.waits, entry?.leaders?.waits, now);
    needsFull ||= waits.length > 0 && !isOurs(entry, sync.settings.name);
    work.recorder.watcher.led(person, wish);
    if (trouble !== undefined) findings.find({ ...trouble, identification });
    const isExplained = read.focus !== undefined;
    const found = { found: wish.waits, waits };
    for (const finding of waitFindings(identification, found, now, isExplained)) findings.find(finding);
    left.see(identification, wish, entry?.leaders);
    const leader = wanted.main.says === 'leader' ? wanted.main.identification : entry?.leaders?.main;
    if (leader !== undefined && read.snapshot.kind === 'full') leaderOf[slot] = index.find(leader).slot;
    else if (leader !== undefined) above.set(slot, leader);
    const shown = knownList(one, work);
    const { proposed, entry: learned, marks } = leaderEffects(one, undefined, { work, now });
    const isOpen = proposed.length > 0 || learned !== undefined || (shown === undefined && isStated(wanted));
    if (isOpen) toDecide.push(slot);
    else index.set(slot, marks);
    if (isStated(wanted) && index.has(slot, mark.seen) && shown !== undefined)
      listed.push({ slot, at: shown.checkedAt });
  }
  for (const finding of left.findings()) findings.find(finding);
  for (const [slot, leader] of above) leaderOf[slot] = await nextRead({ leader, above }, work, io);
  const isRolling = isFull && read.focus === undefined;
  if (read.focus !== undefined && read.snapshot.kind === 'full')
    await followAbove(leaderOf, { ...work, slots: led, isFull }, io);
  const oldest = listed.sort((one, other) => one.at - other.at).slice(0, isRolling ? rollingCheck : 0);
  const rolling = new Set(oldest.map(({ slot }) => slot));
  return {
    isFull,
    toDecide: [...new Set([...toDecide, ...rolling])],
    rolling,
    cycles: findCycles(leaderOf, led, index),
    needsFull,
  };
}

function everyLed({ index }: PlanWork): readonly number[] {
  const isMeant = (slot: number): boolean =>
    index.has(slot, mark.leadable | mark.inSource | mark.active) && !index.hasAny(slot, mark.bystander | mark.conflict);
  return Array.from({ length: index.size }, (_, slot) => slot).filter(isMeant);
}

/** Adds whom the people above these want as leaders, where a whole read decides few: a circle is one for all in it. */
async function followAbove(leaderOf: Int32Array, job: WishesJob, io: EngineIo): Promise<void> {
  let { slots } = job;
  for (let level = 0; slots.length > 0 && level < mostLevels; level += 1) {
    const above = new Set(slots.map((slot) => leaderOf[slot] as number));
    slots = [...above].filter((slot) => slot !== -1 && leaderOf[slot] === -1);
    for await (const { slot, wish, entry } of wishes({ ...job, slots }, io)) {
      const { main } = wish.wanted;
      const leader = main.says === 'leader' ? main.identification : entry?.leaders?.main;
      if (leader !== undefined) leaderOf[slot] = job.index.find(leader).slot;
    }
  }
}

/** More levels than any company has. */
const mostLevels = 50;

/** Follows the leaders above a person through the ledger, to the next person of a read of a few people; -1 for none. */
async function nextRead(
  { leader, above }: { readonly leader: string; readonly above: ReadonlyMap<number, string> },
  { index, sync }: PlanWork,
  io: EngineIo,
): Promise<number> {
  let name: string | undefined = leader;
  for (let level = 0; name !== undefined && level < mostLevels; level += 1) {
    const { slot } = index.find(name);
    if (above.has(slot)) return slot;
    name = (await io.store.ledger.get(sync.settings.connection, name))?.leaders?.main;
  }
  return -1;
}
