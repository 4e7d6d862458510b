import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LeaderReference, Person } from '../../core/person/person.ts';
import type { Leaders } from '../../core/person/user.ts';
import type { Proposal } from '../../core/plan/change.ts';
import {
  decideLeaders,
  isSameKnown,
  isStated,
  type LeaderCase,
  leadersNamed,
  pseudonymPrefix,
  renameLeaders,
  takeOverOf,
  unread,
  withoutList,
} from '../../core/plan/leaders.ts';
import type { LedgerEntry, LedgerLeaders } from '../../core/plan/ledger.ts';
import { chunk } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import type { SyncSettings } from '../../core/run/settings.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import { undoneBy } from '../../ports/runs.ts';
import { markLeaders } from '../decide/decide-both.ts';
import type { Decided } from '../decide/decide-changes.ts';
import { type Proposed, settleChanges } from '../decide/settle-changes.ts';
import { undoLeaders } from '../decide/undo.ts';
import { addDiffering, noDiffering } from '../edit.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { PlanRead } from '../read/read-people.ts';
import { type ResolvedWish, resolveReference, resolveWish } from './resolve.ts';
import { addWaitingPeople, type Cycles, findCycles, openLeftLeaders, waitFindings, waitsAfter } from './waiting.ts';

/** What a plan found about leaders. */
export type LeadersDecided = Pick<Decided, 'hasApprovals' | 'rejected' | 'leftOut' | 'needsFull' | 'differing'>;

/** Returns what was decided of accounts and of leaders together. */
export function withLeaders(decided: Decided, led: LeadersDecided): Decided {
  addDiffering(decided.differing, led.differing);
  return {
    ...decided,
    hasApprovals: decided.hasApprovals || led.hasApprovals,
    rejected: decided.rejected + led.rejected,
    leftOut: decided.leftOut + led.leftOut,
    needsFull: decided.needsFull || led.needsFull,
  };
}

/** People whose record and ledger entry are read at once. */
const peopleAtOnce = 500;

/** How many people whose list is known a full run reads again, the longest unchecked ones first. */
export const rollingCheck = 200;

/**
 * Decides about the leaders of the people whom this read shows, after their accounts were decided. The ledger says what
 * the platform shows: a list is read where it does not know, and for the rolling check. Changes are stored beside those of
 * the accounts.
 */
export async function decideAllLeaders(work: PlanWork, read: PlanRead, io: EngineIo): Promise<LeadersDecided> {
  const { sync } = work;
  const { leaders } = sync.settings.mapping;
  const counts = { rejected: 0, leftOut: 0, unclear: 0, differing: noDiffering() };
  const count: Count = { hasApprovals: false, needsFull: false, ...counts };
  if (undoneBy(work.scope) !== undefined) {
    const proposed = (await undoLeaders(work, io)).map((draft) => ({ draft }));
    await storeChanges(work, { proposed, count }, io);
    return count;
  }
  if (leaders === undefined || sync.settings.delivery === 'outbox') return count;
  const survey = await surveyPeople(work, read, io);
  for (const slots of chunk(survey.toDecide, peopleAtOnce)) {
    work.signal.throwIfAborted();
    await decideSome(work, { slots, survey, count }, io);
    await nextTurn();
  }
  for (const finding of survey.cycles.findings()) work.findings.find(finding);
  return count;
}

interface Survey {
  readonly isFull: boolean;
  /** Slots of people whose leaders may change, or of whom the ledger learns. */
  readonly toDecide: readonly number[];
  /** Those of them whose list is read although the ledger knows it. */
  readonly rolling: ReadonlySet<number>;
  readonly cycles: Cycles;
}

/** Resolves the wish of each person, and finds who must be decided. */
async function surveyPeople(work: PlanWork, read: PlanRead, io: EngineIo): Promise<Survey> {
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
  for await (const one of wishes({ ...work, slots: led, isFull }, io)) {
    const { slot, person, wish, entry } = one;
    const { trouble, wanted } = wish;
    const { identification } = person;
    const waits = waitsAfter(wish.waits, entry?.leaders?.waits, now);
    if (trouble !== undefined) findings.find({ ...trouble, identification });
    const isExplained = read.focus !== undefined;
    const found = { found: wish.waits, waits };
    for (const finding of waitFindings(identification, found, now, isExplained)) findings.find(finding);
    left.see(identification, wish, entry?.leaders);
    const leader = wanted.main.says === 'leader' ? wanted.main.identification : entry?.leaders?.main;
    if (leader !== undefined && read.snapshot.kind === 'full') leaderOf[slot] = index.find(leader).slot;
    else if (leader !== undefined) above.set(slot, leader);
    const shown = knownList(one, work);
    const decision = shown && decideLeaders(caseOf({ ...one, ...shown, now }, sync.settings));
    const isSettled =
      decision?.change === undefined && isSameKnown(decision?.known ?? keptOf(one, now), entry?.leaders);
    if (!isSettled || (shown === undefined && isStated(wanted))) toDecide.push(slot);
    else if (trouble === undefined && waits.length === 0) index.set(slot, mark.led);
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
  };
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

interface ShownLeaders {
  readonly shown: Leaders;
  /** When that was read. */
  readonly checkedAt: number;
}

/** Returns what the platform shows without a request: accounts that this plan creates have no leaders. */
function knownList(
  { slot, entry }: Pick<Wish, 'slot' | 'entry'>,
  { index }: Pick<PlanWork, 'index'>,
): ShownLeaders | undefined {
  if (!index.has(slot, mark.seen)) return { shown: none, checkedAt: 0 };
  const { shown, checkedAt = 0 } = entry?.leaders ?? {};
  return shown && { shown, checkedAt };
}

/** Returns what the ledger has of a person whose list is not known and not asked for. */
function keptOf({ wish, entry }: Wish, now: number): LedgerLeaders {
  const { waits: before, ...known } = entry?.leaders ?? unread;
  const waits = waitsAfter(wish.waits, before, now);
  return { ...known, ...(waits.length === 0 ? {} : { waits }) };
}

function caseOf(
  { person, wish, entry, shown, checkedAt, now }: Wish & ShownLeaders & { readonly now: number },
  { policy, mapping }: Pick<SyncSettings, 'policy' | 'mapping'>,
): LeaderCase {
  const takeOver = takeOverOf(mapping);
  const known = entry?.leaders;
  const waits = waitsAfter(wish.waits, known?.waits, now);
  const { identification } = person;
  return { identification, wanted: wish.wanted, known, shown, checkedAt, takeOver, policy, waits };
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

function isOurs(entry: LedgerEntry | undefined, sync: string): entry is LedgerEntry {
  return entry?.owner === sync && entry.removed === undefined;
}

function everyLed({ index }: PlanWork): readonly number[] {
  const isMeant = (slot: number): boolean =>
    index.has(slot, mark.leadable | mark.inSource | mark.active) && !index.hasAny(slot, mark.bystander | mark.conflict);
  return Array.from({ length: index.size }, (_, slot) => slot).filter(isMeant);
}

interface Wish {
  readonly slot: number;
  readonly person: Person;
  readonly wish: ResolvedWish;
  readonly entry: LedgerEntry | undefined;
}

interface WishesJob extends Pick<PlanWork, 'sync' | 'index'> {
  readonly slots: readonly number[];
  readonly isFull: boolean;
}

/** Yields what the source wants of each person's leaders, with the person's ledger entry. */
async function* wishes(job: WishesJob, io: EngineIo): AsyncGenerator<Wish, void> {
  const { sync, index, isFull } = job;
  for (const some of chunk(job.slots, peopleAtOnce)) {
    const people = some.flatMap((slot) => {
      const person = index.person(slot);
      return person.kind === 'person' && person.leaders !== undefined ? [{ slot, person }] : [];
    });
    const names = people.flatMap(({ person }) => [person.identification, ...namesIn(person)]);
    const ledger = await io.store.ledger.getMany(sync.settings.connection, [...new Set(names)]);
    const resolve = (reference: LeaderReference) => resolveReference(reference, { index, isFull }, ledger);
    for (const { slot, person } of people) {
      yield { slot, person, wish: resolveWish(person, resolve), entry: ledger.get(person.identification) };
    }
    await nextTurn();
  }
}

function namesIn({ leaders = {} }: Person): readonly string[] {
  const { main, secondary } = leaders;
  const all = [...(main === undefined || main === 'none' ? [] : [main]), ...(secondary?.references ?? [])];
  return all.flatMap(({ by, value }) => (by === 'identification' ? [value] : []));
}

/** As in `Decided`. */
interface Count extends Pick<Decided, 'differing'> {
  hasApprovals: boolean;
  rejected: number;
  leftOut: number;
  /** The ledger cannot keep what waits for a person whose account this plan creates. The next read shows the person. */
  needsFull: boolean;
  /** Lists in a row that could not be read. */
  unclear: number;
}

interface SomePeople {
  readonly slots: readonly number[];
  readonly survey: Survey;
  readonly count: Count;
}

/** Reads the lists that lack of some people, and decides. */
async function decideSome(work: PlanWork, { slots, survey, count }: SomePeople, io: EngineIo): Promise<void> {
  const { sync, index } = work;
  const { find } = work.findings;
  const now = io.clock.now();
  const proposed: Proposed[] = [];
  const entries: LedgerEntry[] = [];
  const job = { ...work, slots, isFull: survey.isFull };
  const found = await Array.fromAsync(wishes(job, io));
  const wished = found.map((one) => (survey.cycles.has(one.slot) ? withoutMain(one) : one));
  const toList = wished.filter((one) => {
    return survey.rolling.has(one.slot) || (isStated(one.wish.wanted) && knownList(one, work) === undefined);
  });
  const lists = await readLists(toList, { ...work, count });
  const all = await withNames(wished, lists, { ...work, io });
  for (const one of all) {
    const { slot, wish, entry } = one;
    const { identification } = one.person;
    const list = lists.get(slot);
    if (list?.found === 'unclear') {
      find({ code: 'leaders-unclear', identification, message: `no leader is changed: ${list.reason}` });
      if (isOurs(entry, sync.settings.name) && entry.leaders?.shown !== undefined) entries.push(withoutList(entry));
      continue;
    }
    const shown = list === undefined ? knownList(one, work) : { shown: list.leaders, checkedAt: now };
    const decision = shown && decideLeaders(caseOf({ ...one, ...shown, now }, sync.settings));
    if (decision?.byHand !== undefined) {
      const message = `the main leader ${decision.byHand} was set by hand and stays. To replace leaders that were set by hand, set takeOver: true in mapping.manager`;
      find({ code: 'leader-by-hand', identification, message });
    }
    const isOpen = wish.trouble !== undefined || wish.waits.length > 0 || survey.cycles.has(slot);
    if (!isOpen) index.set(slot, mark.led);
    if (decision?.change !== undefined) {
      const change = withPerson(decision.change, one.person);
      proposed.push({ ...markLeaders(work, { change, person: one.person }), ...given({ known: entry?.leaders }) });
    }
    if (!isOurs(entry, sync.settings.name)) {
      count.needsFull ||= wish.waits.length > 0;
      continue;
    }
    // Until the change is applied, what is ours stays. What was listed is kept, so that a held change costs no further list.
    const { byHand: _, ...kept } = keptOf(one, now);
    const { byHand } = decision?.known ?? {};
    const open = { ...kept, ...shown, ...given({ byHand }) };
    const leaders = decision === undefined || decision.change !== undefined ? open : decision.known;
    if (list !== undefined || !isSameKnown(leaders, entry.leaders)) entries.push({ ...entry, leaders });
  }
  await storeChanges(work, { proposed, count }, io);
  await work.recorder.ledger(entries);
}

/** Finds forgotten leaders of ours again in the lists that were read. The ledger has only pseudonyms of them. */
async function withNames(
  people: readonly Wish[],
  lists: ReadonlyMap<number, LeadersLookup>,
  { sync, io }: Pick<PlanWork, 'sync'> & { readonly io: EngineIo },
): Promise<readonly Wish[]> {
  const listed = people.flatMap(({ slot, entry }) => {
    const list = lists.get(slot);
    return list?.found === 'complete' && hasPseudonym(entry?.leaders)
      ? leadersNamed({ ...unread, shown: list.leaders })
      : [];
  });
  if (listed.length === 0) return people;
  const names = new Map<string, string>();
  for (const [name, { pseudonym }] of await io.store.ledger.getMany(sync.settings.connection, [...new Set(listed)])) {
    if (pseudonym !== undefined) names.set(pseudonym, name);
  }
  return people.map((one) => {
    if (one.entry?.leaders === undefined) return one;
    const leaders = renameLeaders(one.entry.leaders, (name) => names.get(name) ?? name);
    return { ...one, entry: { ...one.entry, leaders } };
  });
}

function hasPseudonym(known: LedgerLeaders = unread): boolean {
  return leadersNamed(known).some((name) => name.startsWith(pseudonymPrefix));
}

/** Adds who the person is: an operator who decides about a held change sees a name and an area. */
function withPerson(change: Proposal, { fields: { firstName, lastName, email, area } }: Person): Proposal {
  const { before } = change;
  if (before === undefined) return change;
  const fields = { ...given({ firstName, lastName, email, area }), ...before.fields };
  return { ...change, before: { ...before, fields } };
}

/** Returns the wish of a person in a circle: the main leader stays. */
function withoutMain(one: Wish): Wish {
  return { ...one, wish: { ...one.wish, wanted: { ...one.wish.wanted, main: { says: 'keep' } } } };
}

const listsAtOnce = 50;
const none: Leaders = { main: undefined, secondary: [] };

/** Reads the lists of leaders, by slot. */
async function readLists(
  people: readonly Wish[],
  { sync, signal, count }: Pick<PlanWork, 'sync' | 'signal'> & { readonly count: Count },
): Promise<ReadonlyMap<number, LeadersLookup>> {
  const lists = new Map<number, LeadersLookup>();
  for (const some of chunk(people, listsAtOnce)) {
    const isHopeless = count.unclear >= listsAtOnce;
    const read = some.map(({ person }): Promise<LeadersLookup> | LeadersLookup =>
      isHopeless ? notRead : sync.platform.leaders(person.identification, signal),
    );
    for (const [i, list] of (await Promise.all(read)).entries()) {
      count.unclear = list.found === 'unclear' ? count.unclear + 1 : 0;
      lists.set((some[i] as Wish).slot, list);
    }
  }
  return lists;
}

/** A platform without lists of leaders is not asked once for each person. */
const notRead: LeadersLookup = {
  found: 'unclear',
  reason: `none of the last ${listsAtOnce} lists could be read, so this one was not requested`,
};

/** Applies the standing decisions about each person, and stores the changes. */
async function storeChanges(
  work: PlanWork,
  { proposed, count }: { readonly proposed: readonly Proposed[]; readonly count: Count },
  io: EngineIo,
): Promise<void> {
  const { changes, hasApprovals, rejected, leftOut, differing } = await settleChanges(
    work,
    { proposed, isFull: true },
    io,
  );
  count.hasApprovals ||= hasApprovals;
  count.rejected += rejected;
  count.leftOut += leftOut;
  addDiffering(count.differing, differing);
  await work.recorder.changes(changes);
}
