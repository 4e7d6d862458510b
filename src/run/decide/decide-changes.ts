import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChangedColumns, openChangedColumns } from '../../core/guard/changed-columns.ts';
import type { ChangeClass } from '../../core/plan/change.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { MissingWait } from '../../core/plan/ledger-steps.ts';
import { nextTryAt, refusalReason } from '../../core/plan/refused-create.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { leaversOf, undoneBy } from '../../ports/runs.ts';
import type { NewChange, OwnedUser } from '../../ports/store.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { ExpectedHandOvers } from '../compare/expected-hand-overs.ts';
import { type NeighborReader, openNeighbors } from '../compare/neighbors.ts';
import { findTakenOver, Inheritance } from '../compare/report-hand-overs.ts';
import { addDiffering, type Differing, noDiffering } from '../edit.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import { countQuiet, noQuiet, type QuietCounts } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';
import { type DecidedSlot, type DecideJob, decideSlots, type SlotToDecide } from './decide-slots.ts';
import { type AccountEffects, type Effects, effectsOf } from './effects.ts';
import { orderClaims } from './order-claims.ts';
import { settleChanges } from './settle-changes.ts';
import { openStrangers } from './strangers.ts';
import { decideBy } from './undo.ts';

/** The result of the third step. The changes are stored but not guarded yet. */
export interface Decided {
  /** Number of changes that repeat a change whose outcome stayed unknown. */
  repeated: number;
  /** People who keep or lack access until HR corrects their records. */
  readonly access: { keep: number; lack: number };
  /** Positions in the spool of ledger entries that count an absence. A guard may still stop them. */
  readonly misses: number[];
  /** Enabled users whose absence is counted and not long enough yet, and when the first of them is disabled. */
  readonly missing: { count: number; wait: MissingWait | undefined };
  /** The next read must be full, because a delta would not show the identity problems that were found. */
  needsFull: boolean;
  /** People who wait for an e-mail that does not become free in this plan. */
  postponed: number;
  /** People who wait for the next try of a create that had no effect. */
  createsWait: number;
  /** People of the source for whom a decision was made, and who need no change. */
  readonly quiet: QuietCounts;
  /** Changes that are left out because another sync is expected to take the users over. */
  readonly expected: ExpectedHandOvers;
  /** Planned changes that go after another one: identification to the one that they wait for. */
  readonly waits: Map<string, string>;
  /** Changes that an operator rejected, those of them that an undo rejected, and what was left out of a decision. */
  rejected: number;
  undone: number;
  leftOut: number;
  /** Whether one of the people has an approval that no run used up. */
  hasApprovals: boolean;
  /** People whose new e-mail was rejected, and is taken out of their change. */
  readonly keptEmails: Set<string>;
  /** People whose changes an undo leaves as they are, fully or in part. */
  notUndone: number;
  /** Edits on the platform that stay until the source's value changes. */
  respectedEdits: number;
  /** The classes of the stored changes. */
  readonly classes: Set<ChangeClass>;
  /** What is of the class `configuration`. */
  readonly differing: Differing;
  /** The columns of which values change. */
  readonly changed: ChangedColumns;
  /** The first identifications whose records are about other people than their accounts. */
  strangers: readonly string[];
  /** Positions in the spool of changes that are made while that class is held. */
  readonly instead: number[];
  /** Positions in the spool of users whom the class takes over: see `TakenLater`. */
  readonly takenLater: number[];
}

/** A user who becomes ours with the change, or once the class `configuration` passes, and how that is reported. */
export interface TakenLater extends OwnedUser {
  readonly finding: Finding | undefined;
}

function nothingDecided(): Decided {
  return {
    ...{
      repeated: 0,
      rejected: 0,
      undone: 0,
      leftOut: 0,
      notUndone: 0,
      respectedEdits: 0,
      postponed: 0,
      createsWait: 0,
    },
    ...{ needsFull: false, hasApprovals: false },
    access: { keep: 0, lack: 0 },
    ...{ misses: [], instead: [], takenLater: [], expected: { places: [] } },
    missing: { count: 0, wait: undefined },
    quiet: { ...noQuiet },
    waits: new Map(),
    keptEmails: new Set(),
    classes: new Set(),
    differing: noDiffering(),
    changed: openChangedColumns(),
    strangers: [],
  };
}

/** Small enough that other work of this process soon runs, even if every case becomes a change. */
const chunkSize = 500;

/**
 * Applies the truth table to every person who needs a decision, and stores the changes: decides some people, lists what
 * that asks for (`effectsOf`), and does it.
 */
export async function decideChanges(
  work: PlanWork,
  { read, compared }: { readonly read: PlanRead; readonly compared: PlanCompared },
  io: EngineIo,
  neighbors: NeighborReader = openNeighbors(work.sync, io),
): Promise<Decided> {
  const { recorder, sync, spool, index, signal } = work;
  const { find, identities } = work.findings;
  const { snapshot } = read;
  const { candidates, claims, holders, unresolved, asked, standing, former } = compared;
  const { blocked, released } = unresolved;
  const isFocused = read.focus !== undefined;
  const decide = decideBy(work, { isComplete: snapshot.leavers !== undefined, former }, io);
  const strangers = undoneBy(work.scope) === undefined ? openStrangers(work, standing, io) : undefined;
  const people = {
    index,
    spool,
    candidates,
    claims,
    holders,
    neighbors,
    asked,
    blocked,
    standing,
    decide,
    isLeaversOnly: leaversOf(work.scope) !== undefined,
    ...given({ strangers }),
  };
  const job = { sync, snapshot, isFocused, ...people, signal };
  const moves = await orderClaims(job, find, io);
  const decided = nothingDecided();
  decided.postponed = moves.postponed;
  const inheritance = new Inheritance(sync.settings.name);
  let done = 0;
  for (const slots of slotsToDecide(job, decided.quiet)) {
    signal.throwIfAborted();
    const all = await takeOver(work, { all: await decideSlots(job, slots, io), decided });
    const effects = all.map((one) => effectsOf(one, { index, sync, moves }));
    for (const one of effects) countOne(work, one, { decided, inheritance });
    await applyEffects(work, { effects, decided, released, isFull: snapshot.kind === 'full' && !isFocused }, io);
    done += slots.length;
    io.progress({ step: 'planning', decided: done, total: candidates.slots.length });
    await nextTurn();
  }
  await recorder.begin();
  for (const finding of inheritance.findings()) find(finding);
  strangers?.tell(find);
  decided.strangers = strangers?.examples() ?? [];
  const isDelta = read.reading.kind === 'delta';
  decided.needsFull = identities.notKept > 0 || (isDelta && identities.found > 0);
  if (decided.needsFull && isDelta) {
    find({
      code: 'source-note',
      message: 'two records claim the same user (see the next findings): the next run reads all employees',
    });
  }
  return decided;
}

/**
 * Yields the open cases, some at a time: the candidates, those who are active first, then each person whom the platform has
 * not shown. Whether a leaver goes can depend on all records of people who are active: see `Strangers`.
 */
function* slotsToDecide(
  { index, candidates, isFocused }: Pick<DecideJob, 'index' | 'candidates' | 'isFocused'>,
  quiet: QuietCounts,
): Generator<readonly SlotToDecide[], void> {
  let pending: SlotToDecide[] = [];
  for (const one of everyOpen({ index, candidates, isFocused }, quiet)) {
    pending.push(one);
    if (pending.length < chunkSize) continue;
    yield pending;
    pending = [];
  }
  if (pending.length > 0) yield pending;
}

function* everyOpen(
  { index, candidates: { slots, places }, isFocused }: Pick<DecideJob, 'index' | 'candidates' | 'isFocused'>,
  quiet: QuietCounts,
): Generator<SlotToDecide, void> {
  for (const isFirst of [true, false]) {
    for (const [i, slot] of slots.entries()) {
      if (index.has(slot, mark.active) === isFirst) yield { slot, place: places[i] as number };
    }
  }
  for (let slot = 0; slot < index.size; slot += 1) {
    if (index.has(slot, mark.seen) || index.has(slot, mark.bystander)) continue;
    if (isFocused || !index.has(slot, mark.leaver) || index.has(slot, mark.inLedger)) yield { slot, place: undefined };
    else if (!index.has(slot, mark.conflict)) countQuiet(quiet, index, slot);
  }
}

/**
 * Makes users ours that belonged to another sync, and reports each. Leaves out those whom another one took meanwhile.
 * Users of the class `configuration` come later.
 */
async function takeOver(
  { recorder, spool, findings }: PlanWork,
  { all, decided }: { readonly all: readonly DecidedSlot[]; readonly decided: Decided },
): Promise<readonly DecidedSlot[]> {
  const coming = all.flatMap(({ subject: { identification, neighbors }, decision: { takenFrom: owner, marked } }) => {
    if (owner === undefined) return [];
    const finding = neighbors?.release && findTakenOver({ identification }, neighbors.release);
    return [{ identification, owner, finding, isLater: marked?.takesOver === true }];
  });
  if (coming.length === 0) return all;
  const now = coming.filter(({ isLater }) => !isLater);
  const users = now.map(({ identification, owner }) => ({ identification, owner }));
  const taken = users.length === 0 ? new Set<string>() : await recorder.takeOver(users);
  for (const { identification, finding } of now) {
    if (finding !== undefined && taken.has(identification)) findings.find(finding);
  }
  for (const { isLater, ...user } of coming) {
    if (isLater) decided.takenLater.push(spool.append(JSON.stringify(user satisfies TakenLater)));
  }
  const lost = new Set(users.flatMap(({ identification }) => (taken.has(identification) ? [] : [identification])));
  return all.filter(({ subject }) => !lost.has(subject.identification));
}

/** Counts what is decided about one person's account. */
function countOne(
  { recorder, index, blocked }: PlanWork,
  one: AccountEffects,
  { decided, inheritance }: { readonly decided: Decided; readonly inheritance: Inheritance },
): void {
  const { slot, subject, decision } = one;
  recorder.watcher.decided(subject, decision);
  if (one.blocked !== undefined) blocked.add(one.blocked);
  if (one.access !== undefined) decided.access[one.access] += 1;
  if (one.isQuiet) countQuiet(decided.quiet, index, slot);
  if (one.inheritedFrom !== undefined) inheritance.add(one.inheritedFrom);
  const { rule, wait, finding, kept = {}, change, marked, held } = decision;
  // An edit of the configuration, and another person, have holds of their own.
  if (change?.kind === 'update' && marked === undefined && held === undefined) {
    const { fields = {}, hidden = {} } = change.before ?? {};
    decided.changed.see({ ...fields, ...hidden }, change.after);
  }
  if (finding?.code === 'not-undone') decided.notUndone += 1;
  decided.respectedEdits += Object.values(kept).filter((write) => write === 'keepLocalEdits').length;
  if (rule !== 'missing-counted') return;
  const { missing } = decided;
  missing.count += 1;
  if (wait !== undefined && wait.from < (missing.wait?.from ?? Number.POSITIVE_INFINITY)) missing.wait = wait;
}

interface EffectsToApply {
  readonly effects: readonly Effects[];
  readonly decided: Decided;
  /** See `Unresolved`. */
  readonly released?: ReadonlySet<string>;
  readonly isFull: boolean;
}

/** Reports what is decided about some people, marks them for the later steps, and stores changes and ledger entries. */
export async function applyEffects(
  work: PlanWork,
  { effects, decided, released, isFull }: EffectsToApply,
  io: EngineIo,
): Promise<void> {
  const { recorder, spool, findings, index } = work;
  for (const one of effects) {
    for (const finding of one.findings) findings.find(finding);
    index.set(one.slot, one.marks);
  }
  const keep = (value: unknown): number => spool.append(JSON.stringify(value));
  const settled = await settleChanges(work, { proposed: effects.flatMap(({ proposed }) => proposed), isFull }, io);
  const changes = await withoutWaiting(work, settled.changes, io);
  decided.createsWait += settled.changes.length - changes.length;
  decided.rejected += settled.rejected;
  decided.undone += settled.undone;
  decided.leftOut += settled.leftOut;
  decided.hasApprovals ||= settled.hasApprovals;
  decided.instead.push(...settled.instead.map(keep));
  addDiffering(decided.differing, settled.differing);
  for (const { identification, kind, classes, waitsFor, verdict, without = [] } of changes) {
    for (const one of classes) decided.classes.add(one);
    if (released?.has(identification) === true && verdict?.state !== 'dropped') {
      decided.repeated += 1;
      const message = `${kind} is sent again: the outcome of an earlier one stayed unknown`;
      findings.find({ code: 'repeated', identification, message });
    }
    if (waitsFor !== undefined) decided.waits.set(identification, waitsFor);
    if (without.includes('email')) decided.keptEmails.add(identification);
  }
  if (changes.length > 0) await recorder.changes(changes);
  if (settled.expected.length > 0) {
    recorder.watcher.expected(settled.expected);
    decided.expected.places.push(...settled.expected.map(keep));
  }
  const entries = effects.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  decided.misses.push(...entries.filter(({ isMiss }) => isMiss).map(({ entry }) => keep(entry)));
  const learned = entries.filter(({ isMiss }) => !isMiss).map(({ entry }): LedgerEntry => entry);
  if (entries.length > 0) await recorder.ledger(learned);
}

/**
 * Leaves out the creates that had no effect before, and whose next try is not due, except in a run
 * of named people, in a retry and in an undo. Reports each.
 */
async function withoutWaiting(
  { sync, scope, isRetry, findings }: PlanWork,
  changes: readonly NewChange[],
  io: EngineIo,
): Promise<readonly NewChange[]> {
  if (isRetry === true || scope.kind !== 'all' || undoneBy(scope) !== undefined) return changes;
  const creates = changes.filter(({ kind, waitsFor, verdict }) => {
    return kind === 'create' && waitsFor === undefined && verdict === undefined;
  });
  if (creates.length === 0) return changes;
  const names = creates.map(({ identification }) => identification);
  const refused = await io.store.plans.refusedCreates(sync.settings.name, names);
  const now = io.clock.now();
  return changes.filter((change) => {
    const { identification, hash } = change;
    const past = creates.includes(change) ? refused.get(identification)?.find((one) => one.hash === hash) : undefined;
    if (past === undefined || now >= nextTryAt(past)) return true;
    const last = `the last try was at ${formatInstant(past.lastAt)}`;
    const message = `${refusalReason('create', `the platform did not create this user, ${countOf(past.tries, 'time')}; ${last}`)}. Next try: ${formatInstant(nextTryAt(past))}, or when the row changes`;
    findings.find({ code: 'create-waits', identification, message });
    return false;
  });
}
