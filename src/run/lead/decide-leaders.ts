import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LeaderReference, Person } from '../../core/person/person.ts';
import type { Leaders } from '../../core/person/user.ts';
import { episodeOf, type Proposal, sealChange } from '../../core/plan/change.ts';
import { settleDecisions } from '../../core/plan/decision.ts';
import { decideLeaders, isStated, wantedKey, withoutFields } from '../../core/plan/leaders.ts';
import type { LedgerEntry, LedgerLeaders } from '../../core/plan/ledger.ts';
import { isUndoRule } from '../../core/plan/undo.ts';
import { chunk } from '../../core/run/batch.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import { undoneBy } from '../../ports/runs.ts';
import type { NewChange } from '../../ports/store.ts';
import type { Decided } from '../decide/decide-changes.ts';
import { countEdited, type Edit } from '../edit.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';
import { type Cycles, findCycles } from './cycles.ts';
import { type ResolvedWish, resolveReference, resolveWish } from './resolve.ts';
import { undoLeaders } from './undo-leaders.ts';
import { isSameWaits, openLeftLeaders, waitFindings, waitsAfter } from './waiting.ts';

/** What a plan found about leaders. */
export type LeadersDecided = Pick<Decided, 'hasApprovals' | 'rejected' | 'leftOut'>;

/** Returns what was decided of accounts and of leaders together. */
export function withLeaders(decided: Decided, led: LeadersDecided): Decided {
  return {
    ...decided,
    hasApprovals: decided.hasApprovals || led.hasApprovals,
    rejected: decided.rejected + led.rejected,
    leftOut: decided.leftOut + led.leftOut,
  };
}

/** People whose record and ledger entry are read at once. */
const peopleAtOnce = 500;

/** How many people a full run reads whose leaders are as wanted, the longest unchecked ones first. */
export const rollingCheck = 200;

/**
 * Decides about the leaders of the people whom this read shows, after their accounts were decided. A person whose wish is
 * the one that the ledger settled is not read, but for the rolling check. Changes are stored beside those of the accounts.
 */
export async function decideAllLeaders(work: PlanWork, read: PlanRead, io: EngineIo): Promise<LeadersDecided> {
  const { sync } = work;
  const { leaders } = sync.settings.mapping;
  const count: Count = { hasApprovals: false, rejected: 0, leftOut: 0, unclear: 0 };
  if (undoneBy(work.scope) !== undefined) {
    const changes = await undoLeaders(work, io);
    if (changes.length > 0) await storeChanges(work, { proposals: changes, count }, io);
    return count;
  }
  if (leaders === undefined || sync.settings.delivery === 'outbox') return count;
  const survey = await surveyPeople(work, read, io);
  for (const slots of chunk(survey.toRead, peopleAtOnce)) {
    work.signal.throwIfAborted();
    await decideSome(work, { slots, survey, count }, io);
    await nextTurn();
  }
  for (const finding of survey.cycles.findings()) work.findings.find(finding);
  return count;
}

interface Survey {
  readonly isFull: boolean;
  /** Slots whose list of leaders must be read. */
  readonly toRead: readonly number[];
  readonly cycles: Cycles;
}

/** Resolves the wish of each person, and finds whose list must be read. */
async function surveyPeople(work: PlanWork, read: PlanRead, io: EngineIo): Promise<Survey> {
  const { index, findings, recorder, sync } = work;
  // A manager who is absent from an incomplete read may still work here.
  const isFull = read.snapshot.missing !== undefined;
  const now = io.clock.now();
  const leaderOf = new Int32Array(index.size).fill(-1);
  const left = openLeftLeaders(index);
  const above = new Map<number, string>();
  let entries: LedgerEntry[] = [];
  const flush = async (): Promise<void> => {
    if (entries.length > 0) await recorder.ledger(entries);
    entries = [];
  };
  const toRead: number[] = [];
  const settled: { readonly slot: number; readonly at: number }[] = [];
  for await (const { slot, wish, entry } of wishes(work, everyLed(work), isFull, io)) {
    const { trouble, wanted } = wish;
    const waits = waitsAfter(wish.waits, entry?.leaders?.waits, now);
    const { identification } = index.person(slot);
    if (trouble !== undefined) findings.find({ ...trouble, identification });
    const isExplained = read.focus !== undefined;
    for (const finding of waitFindings({ found: wish.waits, waits }, now, isExplained)) findings.find(finding);
    left.see(identification, wish, entry?.leaders);
    const leader = wanted.main.says === 'leader' ? wanted.main.identification : entry?.leaders?.main;
    if (leader !== undefined && read.snapshot.kind === 'full') leaderOf[slot] = index.find(leader).slot;
    else if (leader !== undefined) above.set(slot, leader);
    const isKnown = entry?.leaders?.wanted === wantedKey(wanted);
    if (isStated(wanted) && !isKnown) {
      toRead.push(slot);
      continue;
    }
    if (trouble === undefined && waits.length === 0) index.set(slot, mark.led);
    if (isStated(wanted)) settled.push({ slot, at: entry?.leaders?.checkedAt ?? 0 });
    if (isOurs(entry, sync.settings.name) && !isSameWaits(waits, entry.leaders?.waits)) {
      entries.push({ ...entry, leaders: { ...(entry.leaders ?? unread), waits } });
      if (entries.length >= peopleAtOnce) await flush();
    }
  }
  await flush();
  for (const finding of left.findings()) findings.find(finding);
  for (const [slot, leader] of above) leaderOf[slot] = await nextRead({ leader, above }, work, io);
  const isRolling = isFull && read.focus === undefined;
  const oldest = settled.sort((one, other) => one.at - other.at).slice(0, isRolling ? rollingCheck : 0);
  return { isFull, toRead: [...toRead, ...oldest.map(({ slot }) => slot)], cycles: findCycles(leaderOf, index) };
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

/** Nothing is known but what waits. */
const unread: LedgerLeaders = { secondary: [], wanted: '', checkedAt: 0 };

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

/** Yields what the source wants of each person's leaders, with the person's ledger entry. */
async function* wishes(
  { sync, index }: Pick<PlanWork, 'sync' | 'index'>,
  slots: readonly number[],
  isFull: boolean,
  io: EngineIo,
): AsyncGenerator<Wish, void> {
  const { connection } = sync.settings;
  for (const some of chunk(slots, peopleAtOnce)) {
    const people = some.flatMap((slot) => {
      const person = index.person(slot);
      return person.kind === 'person' && person.leaders !== undefined ? [{ slot, person }] : [];
    });
    const names = people.flatMap(({ person }) => [person.identification, ...namesIn(person)]);
    const ledger = await io.store.ledger.getMany(connection, [...new Set(names)]);
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
interface Count {
  hasApprovals: boolean;
  rejected: number;
  leftOut: number;
  /** Lists in a row that could not be read. */
  unclear: number;
}

interface SomePeople {
  readonly slots: readonly number[];
  readonly survey: Survey;
  readonly count: Count;
}

/** Reads the lists of some people, and decides. */
async function decideSome(work: PlanWork, { slots, survey, count }: SomePeople, io: EngineIo): Promise<void> {
  const { sync, index, signal } = work;
  const { find } = work.findings;
  const { policy, mapping, name } = sync.settings;
  const { leaders } = mapping;
  const takeOver = {
    main: leaders?.manager?.takeOver === true,
    secondary: leaders?.secondary.some((rule) => rule.takeOver) === true,
  };
  const now = io.clock.now();
  const proposals: Proposal[] = [];
  const entries: LedgerEntry[] = [];
  const all = await Array.fromAsync(wishes(work, slots, survey.isFull, io));
  const lists = await readLists(all, { sync, index, signal, count });
  for (const [i, { slot, person, wish, entry }] of all.entries()) {
    const { identification } = person;
    const list = lists[i] as LeadersLookup;
    if (list.found === 'unclear') {
      find({ code: 'leaders-unclear', identification, message: `no leader is changed: ${list.reason}` });
      continue;
    }
    const wanted = survey.cycles.has(slot) ? { ...wish.wanted, main: { says: 'keep' } as const } : wish.wanted;
    const known = entry?.leaders;
    const waits = waitsAfter(wish.waits, known?.waits, now);
    const facts = { identification, wanted, known, shown: list.leaders, takeOver, policy, waits, now };
    const decision = decideLeaders(facts);
    if (decision.byHand !== undefined) {
      const message = `the main leader ${decision.byHand} was set by hand and stays. To replace leaders that were set by hand, set takeOver: true in mapping.manager`;
      find({ code: 'leader-by-hand', identification, message });
    }
    if (wish.trouble === undefined && waits.length === 0 && !survey.cycles.has(slot)) index.set(slot, mark.led);
    if (decision.change !== undefined) proposals.push(decision.change);
    else if (isOurs(entry, name)) {
      entries.push({ ...entry, leaders: decision.known });
    }
  }
  if (proposals.length > 0) await storeChanges(work, { proposals, count }, io);
  if (entries.length > 0) await work.recorder.ledger(entries);
}

const listsAtOnce = 50;
const none: Leaders = { main: undefined, secondary: [] };

/** Reads the lists of leaders. Accounts that this plan creates have none. */
async function readLists(
  people: readonly Wish[],
  { sync, index, signal, count }: Pick<PlanWork, 'sync' | 'index' | 'signal'> & { readonly count: Count },
): Promise<readonly LeadersLookup[]> {
  const lists: LeadersLookup[] = [];
  for (const some of chunk(people, listsAtOnce)) {
    const isHopeless = count.unclear >= listsAtOnce;
    const read = some.map(({ slot, person }): Promise<LeadersLookup> | LeadersLookup => {
      if (!index.has(slot, mark.seen)) return { found: 'complete', leaders: none };
      return isHopeless ? notRead : sync.platform.leaders(person.identification, signal);
    });
    for (const list of await Promise.all(read)) {
      if (list.found === 'unclear') count.unclear += 1;
      else if (list.leaders !== none) count.unclear = 0;
      lists.push(list);
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
  { sync, recorder, edit }: PlanWork,
  { proposals, count }: { readonly proposals: readonly Proposal[]; readonly count: Count },
  io: EngineIo,
): Promise<void> {
  const names = proposals.map(({ identification }) => identification);
  const known = await io.store.decisions.ofMany(sync.settings.name, names);
  const changes = proposals.map((proposal): NewChange => {
    const decisions = (known.get(proposal.identification) ?? []).filter(
      (one) => isUndoRule(one.rule) === isUndoRule(proposal.rule),
    );
    count.hasApprovals ||= decisions.some(({ state, endedAt }) => state === 'approved' && endedAt === undefined);
    const settling = { known: decisions, carried: [], hidden: {}, isSendable: () => true };
    const { draft, ...settled } = settleDecisions(proposal, settling);
    if (settled.verdict?.state === 'dropped') count.rejected += 1;
    if (settled.verdict?.state === 'held') count.leftOut += 1;
    const kept = withoutFields(draft, settled.without ?? []);
    return { ...sealChange({ ...kept, episode: episodeOf(draft.rule, decisions) }), ...settled };
  });
  const ofEdit = edit === undefined || !isAboutLeaders(edit) ? undefined : edit;
  await recorder.changes(ofEdit === undefined ? changes : changes.map((change) => asEdited(change, ofEdit)));
}

/** Returns whether an edit of the configuration may be why leaders differ. One that no read can compare always may. */
function isAboutLeaders({ keys, people }: Edit): boolean {
  return people === undefined || keys.includes('mapping.manager') || keys.includes('mapping.secondaryLeaders');
}

/** Adds the class of the edit. Leaders are not decided a second time with the earlier configuration. */
function asEdited(change: NewChange, edit: Edit): NewChange {
  if (change.verdict?.state === 'dropped') {
    edit.tally.rejected += 1;
    return change;
  }
  const edited: NewChange = { ...change, classes: [...change.classes, 'configuration'] };
  countEdited(edit, edited, [change.kind]);
  return edited;
}
