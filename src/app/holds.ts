import { whoWords } from '../core/guard/approvals.ts';
import { normalText } from '../core/person/text.ts';
import { type ChangeClass, type ChangeKind, partOf } from '../core/plan/change.ts';
import {
  type DecidedFields,
  decisionAbout,
  fieldsApproved,
  fieldsDecided,
  rejectionsAgainst,
} from '../core/plan/decision.ts';
import { undoneHash } from '../core/plan/undo.ts';
import { notFound, usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { ChangeState } from '../core/run/run.ts';
import type { GivenInSync } from '../ports/decisions.ts';
import { undoneBy } from '../ports/runs.ts';
import type { DecidedChange, DecisionRecord, PlannedChange, Run, Store } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { changesOf } from '../run/plan-changes.ts';
import type { ClosedHold, DoubtedRead, HoldsReport, OpenHold, PartApproval } from '../views/holds.ts';
import type { AppIo } from './app-io.ts';
import { hashesOfNewer } from './changes/search-changes.ts';
import { asStored, storedNames } from './find-named.ts';

export interface HoldsQuery {
  readonly sync?: string;
  /** Any of these. */
  readonly syncs?: readonly string[];
  /** Maximum number of people per hold. */
  readonly limit: number;
}

/**
 * Lists the changes that wait for approval in all configured syncs, or in one, across all runs. Throws `USAGE` for an
 * unknown sync.
 */
export async function findHolds({ engine: io }: AppIo, { sync, syncs, limit }: HoldsQuery): Promise<HoldsReport> {
  const names = sync === undefined ? storedNames(io.syncs) : [asStored(io, sync).sync.settings.name];
  const holds: OpenHold[] = [];
  const reads: DoubtedRead[] = [];
  for (const name of names.filter((one) => syncs?.includes(one) !== false)) {
    holds.push(...(await holdsOf(name, limit, io)));
    const [newest] = await io.store.runs.list({ sync: name, limit: 1 });
    if (newest === undefined || !(await isReadWaiting(newest, io.store))) continue;
    reads.push({ sync: name, run: newest.id, reason: newest.reason, startedAt: newest.startedAt });
  }
  return { holds, reads };
}

/**
 * Returns whether a guard doubts the read of the run, and neither this read nor a later one was accepted or doubted: a
 * later doubted read is accepted by approving its own run.
 */
export async function isReadWaiting({ id, sync, startedAt, plan }: Run, store: Store): Promise<boolean> {
  if (plan?.isReadDoubted !== true) return false;
  const [newest] = await store.runs.list({ sync, limit: 1 });
  if (newest !== undefined && newest.id !== id && newest.plan?.isReadDoubted === true) return false;
  const last = await store.reads.last(sync);
  return last === undefined || last.at < startedAt;
}

/** Returns the approvals that waiting changes of the sync have, where they need more. */
export async function partlyApproved(
  sync: string,
  { store, clock, approvals }: Pick<EngineIo, 'store' | 'clock' | 'approvals'>,
): Promise<readonly PartApproval[]> {
  if (approvals === undefined) return [];
  return (await store.decisions.given([sync], clock.now())).map(toPartApproval);
}

export function toPartApproval({ approvals: { class: of, ...found }, changes }: GivenInSync): PartApproval {
  return { class: of, changes, of: found.of, by: found.given.map(whoWords) };
}

export interface ClosedHoldsQuery extends HoldsQuery {
  /** Id of the last hold of the page before. */
  readonly after?: string;
}

/** Lists holds that no longer wait, newest first, each with who decided and why. Throws `NOT_FOUND` for an unknown hold. */
export async function findClosedHolds(
  { engine: io }: AppIo,
  { sync, syncs: seen, limit, after: last }: ClosedHoldsQuery,
): Promise<readonly ClosedHold[]> {
  const { store, clock } = io;
  const syncs = [...io.syncs.keys()].filter((one) => (sync ?? one) === one && seen?.includes(one) !== false);
  const after = last === undefined ? undefined : await store.reports.hold(last);
  if (last !== undefined && after === undefined) {
    throw notFound(`there is no hold ${last}`);
  }
  const found = syncs.length === 0 ? [] : await store.reports.closedHolds({ syncs, limit, ...given({ after }) });
  const closed: ClosedHold[] = [];
  for (const hold of found) {
    const ends = await store.reports.heldEnds(hold.run, hold.sync, clock.now());
    closed.push({ ...hold, count: hold.size, ends: ends.filter(({ classes }) => classes.includes(hold.class)) });
  }
  return closed;
}

async function holdsOf(sync: string, limit: number, io: EngineIo): Promise<OpenHold[]> {
  const now = io.clock.now();
  // A run about a few people holds some of them again. Each person is listed in the hold of the newest run.
  const newestFirst = (await io.store.holds.listOpen(sync)).toSorted((a, b) => b.expiresAt - a.expiresAt);
  const runOf = new Map<string, string>();
  const found: OpenHold[] = [];
  const partly = await partlyApproved(sync, io);
  for (const hold of newestFirst) {
    const run = await io.store.runs.get(hold.run);
    if (run === undefined) continue;
    const isApprovable = hold.expiresAt > now;
    let waiting = 0;
    const changes: PlannedChange[] = [];
    for await (const { change, state } of heldChanges(run, io)) {
      const isWaiting = state === 'open' || (state === 'past' && !isApprovable && change.state === 'held');
      if (!isWaiting || !change.classes.includes(hold.class)) continue;
      if ((runOf.get(change.hash) ?? run.id) !== run.id) continue;
      runOf.set(change.hash, run.id);
      waiting += 1;
      if (changes.length < limit) changes.push(change);
    }
    const budget = run.plan?.budgetWithHeld;
    const approvals = partly.filter((one) => one.class === hold.class);
    if (waiting > 0) found.push({ hold, isApprovable, waiting, budget, approvals, changes });
  }
  return found.reverse();
}

/** Selects held changes of a run for an approval or rejection. An absent field selects all of them. */
export interface ChangeSelection {
  readonly only?: readonly ChangeClass[];
  /** Identifications to leave out. */
  readonly except?: readonly string[];
  /** Identifications to select. All others are left out. */
  readonly ids?: readonly string[];
}

/**
 * The current decision about a held change. `past`: its approval time is over, its reason has ended, or a later run
 * delivers it.
 */
type HeldState = 'open' | 'approved' | 'rejected' | 'past';

interface HeldChange {
  readonly change: PlannedChange;
  readonly state: HeldState;
  readonly decision: DecisionRecord | undefined;
  /** What a verdict is about, if that is not the change itself. */
  readonly name?: DecidedChange;
}

const readAtOnce = 500;

/**
 * Yields the changes that guards held in the run, and those it dropped because an operator had rejected them. Adds the
 * current decision to each. Also yields what later runs must not do again, for an undo.
 */
async function* heldChanges(run: Run, io: EngineIo): AsyncGenerator<HeldChange, void> {
  const now = io.clock.now();
  let page: PlannedChange[] = [];
  const states: ChangeState[] = ['held', 'dropped'];
  if (undoneBy(run.scope) !== undefined) states.push('applied', 'unverified', 'failed');
  for await (const change of changesOf(run.id, io, { states })) {
    if (change.state === 'dropped' && !change.isRejected) continue;
    if (change.state !== 'dropped' && change.state !== 'held' && change.notAgain === undefined) continue;
    page.push(change);
    if (page.length < readAtOnce) continue;
    yield* judged(run, page, now, io);
    page = [];
  }
  yield* judged(run, page, now, io);
}

async function* judged(
  run: Run,
  page: readonly PlannedChange[],
  now: number,
  io: EngineIo,
): AsyncGenerator<HeldChange, void> {
  if (page.length === 0) return;
  const names = page.map(({ identification }) => identification);
  const known = await io.store.decisions.ofMany(run.sync, names);
  const shownLater = await changesOfLaterRead(run, page, io);
  for (const change of page) {
    const records = known.get(change.identification) ?? [];
    if (change.state !== 'held' && change.state !== 'dropped') {
      const undone = records.find(({ hash }) => hash === undoneHash(change.hash));
      if (undone !== undefined) yield { change, decision: undone, state: stateOf(undone, now), name: undone };
      continue;
    }
    // A change that carries a rejected field waits for a reopening, whatever else it carries.
    const [against] = rejectionsAgainst({ rule: change.rule, fields: fieldsApproved(change) }, records);
    const about = decisionAbout(change, records) ?? against;
    const state = stateOf(about, now);
    const decision = state === 'open' ? against : about;
    const later = shownLater.get(laterKey(change));
    // An operator who reopens what an old run shows would let go what a later run plans now with other values.
    const isOutdated = state === 'rejected' && later !== undefined && later !== change.hash;
    yield { change, decision, state: isOutdated ? 'past' : state };
  }
}

/** Returns the hashes of these people's changes in the last accepted full read, if it is newer, by identification. */
async function changesOfLaterRead(
  { sync, startedAt }: Run,
  page: readonly PlannedChange[],
  { store }: EngineIo,
): Promise<ReadonlyMap<string, string>> {
  const dropped = page.filter(({ isRejected }) => isRejected).map(({ identification }) => identification);
  const last = dropped.length === 0 ? undefined : await store.reads.last(sync);
  const isLater = last !== undefined && last.at > startedAt;
  const found = isLater ? await store.plans.getMany(last.run, dropped, 'all') : [];
  return new Map(found.map((change) => [laterKey(change), change.hash]));
}

function laterKey(change: PlannedChange): string {
  return `${partOf(change)} ${change.identification}`;
}

function stateOf(decision: DecisionRecord | undefined, now: number): HeldState {
  if (decision === undefined) return 'past';
  const { state, run, endedAt, expiresAt = Number.POSITIVE_INFINITY } = decision;
  if (state === 'approved' && run !== undefined) return 'approved';
  if (endedAt !== undefined || (state === 'approved' && expiresAt <= now)) return 'past';
  return state === 'open' && expiresAt <= now ? 'past' : state;
}

/** What a verdict needs of a held change. A run may hold a million, so the changes themselves are not kept. */
export interface HeldName extends DecidedChange {
  readonly kind: ChangeKind;
  readonly classes: readonly ChangeClass[];
  readonly state: HeldState;
  /** The current decision; for an open change, the rejection of a value that it carries. */
  readonly decision: DecisionRecord | undefined;
  readonly approves: DecidedFields;
}

export interface SelectedChanges {
  /** Whether the selection leaves nothing out. */
  readonly isWhole: boolean;
  readonly byState: Readonly<Record<HeldState, readonly HeldName[]>>;
  /** Open changes that the selection leaves out. */
  readonly leftOut: readonly HeldName[];
}

/**
 * Returns the selected held changes of a run. Throws `USAGE` when the selection names people for whom the run holds no
 * change, because a misspelled exception would approve a person.
 */
export async function selectHeld(run: Run, selection: ChangeSelection, io: EngineIo): Promise<SelectedChanges> {
  const { only } = selection;
  const except = selection.except && new Set(selection.except.map(normalText));
  const ids = selection.ids && new Set(selection.ids.map(normalText));
  const unseen = { except: new Set(except), ids: new Set(ids) };
  const byState: Record<HeldState, HeldName[]> = { open: [], approved: [], rejected: [], past: [] };
  const leftOut: HeldName[] = [];
  for await (const held of heldChanges(run, io)) {
    const { identification, classes } = held.change;
    unseen.except.delete(identification);
    unseen.ids.delete(identification);
    const isSelected =
      (only === undefined || classes.some((name) => only.includes(name))) &&
      except?.has(identification) !== true &&
      ids?.has(identification) !== false;
    if (isSelected) byState[held.state].push(nameOf(held, only));
    else if (held.state === 'open') leftOut.push(nameOf(held, undefined));
  }
  for (const key of ['except', 'ids'] as const) refuseUnseen(run, key, [...unseen[key]]);
  const isWhole = only === undefined && except === undefined && ids === undefined;
  if (ids !== undefined) return { isWhole, byState, leftOut };
  const own = await ownOf(run, { open: byState.open, leftOut }, io);
  return { isWhole, byState: { ...byState, open: own.open }, leftOut: own.leftOut };
}

/**
 * Leaves out the changes that a newer run holds as well: they are decided there, together with those that it alone holds.
 * If the run has no others, a decision about it is one about exactly what it shows.
 */
async function ownOf(
  run: Run,
  names: Readonly<Record<'open' | 'leftOut', readonly HeldName[]>>,
  io: EngineIo,
): Promise<typeof names> {
  const holds = await io.store.holds.ofRun(run.id);
  const expiresAt = Math.max(run.startedAt, ...holds.map((hold) => hold.expiresAt));
  const newer = await hashesOfNewer({ sync: run.sync, run: run.id, expiresAt }, io);
  const open = names.open.filter(({ hash }) => !newer.has(hash));
  if (open.length === 0) return names;
  return { open, leftOut: names.leftOut.filter(({ hash }) => !newer.has(hash)) };
}

function nameOf({ change, state, decision, name }: HeldChange, only: readonly ChangeClass[] | undefined): HeldName {
  const approves = name?.fields ?? fieldsApproved(change);
  const { kind, classes } = change;
  return { ...(name ?? decidedChange(change, only)), kind, classes, approves, state, decision };
}

/** Returns what a decision of these classes of the change is about; `undefined`: of all of them. */
export function decidedChange(change: PlannedChange, only: readonly ChangeClass[] | undefined): DecidedChange {
  const { identification, rule, episode, hash } = change;
  return { identification, rule, episode, hash, fields: fieldsDecided(change, only) };
}

/** Maximum number of unknown identifications in a message. */
const namedPeople = 5;

function refuseUnseen(run: Run, key: string, unseen: readonly string[]): void {
  if (unseen.length === 0) return;
  const named = unseen.slice(0, namedPeople).join(', ');
  const more = unseen.length > namedPeople ? `, and ${unseen.length - namedPeople} more` : '';
  const message = `${key} names people without a held change in run ${run.id}: ${named}${more}. "rollcall show ${run.id} --held" lists the held changes`;
  throw usageError(message);
}
