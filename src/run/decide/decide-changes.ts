import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlockedPerson } from '../../core/guard/blocked.ts';
import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import { episodeOf, type Proposal, sealChange } from '../../core/plan/change.ts';
import { type DecisionRecord, isUndoRule, settleDecisions } from '../../core/plan/decision.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { MissingWait } from '../../core/plan/ledger-steps.ts';
import type { Case, Decision, Rule, SourceSays } from '../../core/plan/plan.ts';
import { nextTryAt, refusalReason } from '../../core/plan/refused-create.ts';
import { clearingWrites } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { undoneBy } from '../../ports/runs.ts';
import type { NewChange, OwnedUser } from '../../ports/store.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import { type ExpectedHandOvers, isDecidedByOperator } from '../compare/expected-hand-overs.ts';
import { openNeighbors } from '../compare/neighbors.ts';
import { findTakenOver, Inheritance } from '../compare/report-hand-overs.ts';
import { countEdited } from '../edit.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { countQuiet, mark, noQuiet, type QuietCounts } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';
import { accessTrouble, blockedPerson } from '../read/source-says.ts';
import { decideEdit, type EditedChange, takenByEdit } from './decide-edit.ts';
import { type DecidedSlot, type DecideJob, decideSlots, type SlotToDecide, whyNotSent } from './decide-slots.ts';
import { type EmailMoves, orderClaims } from './order-claims.ts';
import { decideBy } from './undo.ts';

/** The result of the third step. The changes are stored but not guarded yet. */
export interface Decided {
  /** Number of changes that repeat a change whose outcome stayed unknown. */
  readonly repeated: number;
  /** People who keep or lack access because of trouble with their records. */
  readonly access: { readonly keep: number; readonly lack: number };
  /** Positions in the spool of ledger entries that count an absence. A guard may still stop them. */
  readonly misses: readonly number[];
  /** Enabled users whose absence is counted and not long enough yet, and when the first of them is disabled. */
  readonly missing: { readonly count: number; readonly wait: MissingWait | undefined };
  /** The next read must be full, because a delta would not show the identity problems that were found. */
  readonly needsFull: boolean;
  /** People who wait for an e-mail that does not become free in this plan, or for the next try of a refused create. */
  readonly postponed: number;
  /** People of the source for whom a decision was made, and who need no change. */
  readonly quiet: Readonly<QuietCounts>;
  /** Changes that are left out because another sync is expected to take the users over. */
  readonly expected: ExpectedHandOvers;
  /** Planned changes that go after another one: identification to the one that they wait for. */
  readonly waits: ReadonlyMap<string, string>;
  /** Changes that an operator rejected, and changes that were left out of a decision. */
  readonly rejected: number;
  readonly leftOut: number;
  /** Whether one of the people has an approval that no run used up. */
  readonly hasApprovals: boolean;
  /** People whose new e-mail was rejected, and is taken out of their change. */
  readonly keptEmails: ReadonlySet<string>;
  /** People whose changes an undo leaves as they are, fully or in part. */
  readonly notUndone: number;
  /** Edits on the platform that stay until the source's value changes. */
  readonly respectedEdits: number;
}

/** Applies the truth table to every person who needs a decision, and stores the changes. */
export async function decideChanges(
  work: PlanWork,
  { read, compared }: { readonly read: PlanRead; readonly compared: PlanCompared },
  io: EngineIo,
): Promise<Decided> {
  const { recorder, sync, spool, index, signal } = work;
  const { find, identities } = work.findings;
  const { candidates, claims, holders, unresolved, asked, standing } = compared;
  const { blocked } = unresolved;
  await recorder.begin();
  const tally = openTally(work, unresolved.released);
  const isFocused = read.focus !== undefined;
  const { snapshot } = read;
  const neighbors = openNeighbors(sync, io);
  const decide = decideBy(work, { isComplete: snapshot.leavers !== undefined, former: compared.former }, io);
  const people = { index, spool, candidates, claims, holders, neighbors, asked, blocked, standing, decide };
  const mayCreatesWait = work.isRetry !== true && work.scope.kind === 'all' && undoneBy(work.scope) === undefined;
  const job = { sync, snapshot, isFocused, mayCreatesWait, ...people, ...given({ edit: work.edit }), signal };
  const { postponed, quiet } = await decideEveryone(job, tally.sink, io);
  const isDelta = read.reading.kind === 'delta';
  const needsFull = identities.notKept > 0 || (isDelta && identities.found > 0);
  if (needsFull && isDelta) {
    find({
      code: 'source-note',
      message: 'two records claim the same user (see the next findings): the next run reads all employees',
    });
  }
  const { waitingCreates, ...counted } = tally.all();
  return { ...counted, needsFull, postponed: postponed + waitingCreates, quiet };
}

/** Counts what is decided, and passes the changes and entries on to the recorder. `released`: see `Unresolved`. */
function openTally({ recorder, spool, findings: { find }, blocked }: PlanWork, released: ReadonlySet<string>) {
  const misses: number[] = [];
  const expected: number[] = [];
  const waits = new Map<string, string>();
  const keptEmails = new Set<string>();
  const access = { keep: 0, lack: 0 };
  const counts = { repeated: 0, rejected: 0, leftOut: 0, notUndone: 0, respectedEdits: 0, waitingCreates: 0 };
  let missing: Decided['missing'] = { count: 0, wait: undefined };
  let hasApprovals = false;
  const sink: DecisionSink = {
    find,
    blocked: blocked.add,
    access: (trouble) => {
      access[trouble] += 1;
    },
    waits: () => {
      counts.waitingCreates += 1;
    },
    changes: async (changes) => {
      for (const { identification, kind, waitsFor, verdict, without = [] } of changes) {
        if (released.has(identification) && verdict?.state !== 'dropped') {
          counts.repeated += 1;
          const message = `${kind} is sent again: the outcome of an earlier one stayed unknown`;
          find({ code: 'repeated', identification, message });
        }
        if (waitsFor !== undefined) waits.set(identification, waitsFor);
        if (verdict?.state === 'dropped') counts.rejected += 1;
        if (verdict?.state === 'held') counts.leftOut += 1;
        if (without.includes('email')) keptEmails.add(identification);
      }
      await recorder.changes(changes);
    },
    decided: (subject, decision) => {
      recorder.watcher.decided(subject, decision);
      const { rule, wait, finding, kept = {} } = decision;
      if (finding?.code === 'not-undone') counts.notUndone += 1;
      counts.respectedEdits += Object.values(kept).filter((write) => write === 'keepLocalEdits').length;
      if (rule !== 'missing-counted') return;
      const isEarlier = wait !== undefined && wait.from < (missing.wait?.from ?? Number.POSITIVE_INFINITY);
      missing = { count: missing.count + 1, wait: isEarlier ? wait : missing.wait };
    },
    decisions: (known) => {
      hasApprovals ||= known.some(({ state, endedAt }) => state === 'approved' && endedAt === undefined);
    },
    takeOver: recorder.takeOver,
    expected: async (changes) => {
      recorder.watcher.expected(changes);
      for (const change of changes) expected.push(spool.append(JSON.stringify(change)));
    },
    ledger: async (entries) => {
      for (const { entry, isMiss } of entries) if (isMiss) misses.push(spool.append(JSON.stringify(entry)));
      const adopted = entries.filter(({ isMiss }) => !isMiss).map(({ entry }): LedgerEntry => entry);
      await recorder.ledger(adopted);
    },
  };
  const all = () => ({
    ...counts,
    access,
    misses,
    missing,
    expected: { places: expected },
    waits,
    hasApprovals,
    keptEmails,
  });
  return { sink, all };
}

/** Where decisions go, a bounded number at a time. */
interface DecisionSink {
  changes(changes: readonly NewChange[]): Promise<void>;
  /** `isMiss`: counts an absence, which a guard may still stop. */
  ledger(entries: readonly { readonly entry: LedgerEntry; readonly isMiss: boolean }[]): Promise<void>;
  find(finding: Finding): void;
  /** Called with every decision, also those without a change. */
  decided(subject: Case, decision: Decision<string>): void;
  /** Called with what was decided before about people with a change. */
  decisions(known: readonly DecisionRecord[]): void;
  /**
   * Makes users ours that belonged to another sync, and returns who was taken over. The changes of the others are left
   * out.
   */
  takeOver(users: readonly OwnedUser[]): Promise<ReadonlySet<string>>;
  /** Gets the changes that are left out because another sync is expected to take the users over. */
  expected(changes: readonly NewChange[]): Promise<void>;
  /** Called for each person of the source for whom the source's own data leaves nothing to decide. */
  blocked(person: BlockedPerson): void;
  /** Called for each person whose create waits for its next try. */
  waits(): void;
  /** Called for each person who keeps or lacks access because of trouble with the record. */
  access(trouble: 'keep' | 'lack'): void;
}

/** Small enough that other work of this process soon runs, even if every case becomes a change. */
const chunkSize = 500;

/** Applies the truth table to every open case. Only this function fetches people from the spool. */
export async function decideEveryone(
  job: DecideJob,
  sink: DecisionSink,
  io: EngineIo,
): Promise<{ readonly postponed: number; readonly quiet: Readonly<QuietCounts> }> {
  const { index, candidates } = job;
  const moves = await orderClaims(job, sink.find, io);
  let pending: SlotToDecide[] = [];
  let decided = 0;
  const quiet = { ...noQuiet };
  const inheritance = new Inheritance(job.sync.settings.name);
  const flush = async (): Promise<void> => {
    job.signal.throwIfAborted();
    await decideSome({ ...job, moves, inheritance, quiet }, pending, sink, io);
    decided += pending.length;
    pending = [];
    io.progress({ step: 'planning', decided, total: candidates.slots.length });
    await nextTurn();
  };
  for (let i = 0; i < candidates.slots.length; i += 1) {
    pending.push({ slot: candidates.slots[i] as number, place: candidates.places[i] as number });
    if (pending.length >= chunkSize) await flush();
  }
  for (let slot = 0; slot < index.size; slot += 1) {
    if (index.has(slot, mark.seen) || index.has(slot, mark.bystander)) continue;
    if (!job.isFocused && index.has(slot, mark.leaver) && !index.has(slot, mark.inLedger)) {
      if (!index.has(slot, mark.conflict)) countQuiet(quiet, index, slot);
      continue;
    }
    pending.push({ slot, place: undefined });
    if (pending.length >= chunkSize) await flush();
  }
  if (pending.length > 0) await flush();
  for (const finding of inheritance.findings()) sink.find(finding);
  return { postponed: moves.postponed, quiet };
}

/** Decides about these people, and counts those of the source who need no change. */
async function decideSome(
  job: DecideJob & { readonly moves: EmailMoves; readonly inheritance: Inheritance; readonly quiet: QuietCounts },
  slots: readonly SlotToDecide[],
  sink: DecisionSink,
  io: EngineIo,
): Promise<void> {
  const { index, sync, inheritance, quiet } = job;
  const proposed: Proposed[] = [];
  const expected: Proposed[] = [];
  const entries: { entry: LedgerEntry; isMiss: boolean }[] = [];
  const all = await decideSlots(job, slots, io);
  const { edit } = job;
  const ofEdit = edit === undefined ? [] : takenByEdit({ ...job, edit }, all, io);
  const deferred = new Map(ofEdit.map(({ subject, decision }) => [subject.identification, decision.takenFrom]));
  const taken = await takeOver(
    all.filter(({ subject }) => !deferred.has(subject.identification)),
    sink,
  );
  const edited = edit === undefined ? undefined : await decideEdit({ ...job, edit }, all, io);
  for (const one of all) {
    const { slot, entry, owner, subject } = one;
    const { identification } = subject;
    const former = deferred.get(identification);
    if (one.decision.takenFrom !== undefined && former === undefined && !taken.has(identification)) continue;
    const decision = withMoves(one.decision, slot, job.moves);
    const { change } = decision;
    sink.decided(subject, decision);
    reportTakeOver({ ...one, decision }, former, job, sink);
    const isBlocked = reportTrouble({ ...one, decision }, job, sink);
    if (change === undefined && !isBlocked && index.has(slot, mark.inSource)) countQuiet(quiet, index, slot);
    if (isPrevented(decision)) index.set(slot, mark.prevented);
    if (isLeadable(decision)) index.set(slot, mark.leadable);
    const unsendable = change && whyNotSent(change, sync);
    const hidden = owner?.hidden ?? {};
    const { rule } = decision;
    if (unsendable !== undefined) {
      index.set(slot, mark.prevented);
      index.clear(slot, mark.leadable);
      sink.find({ code: 'not-deliverable', identification, message: unsendable });
    } else if (change !== undefined) {
      const editedChange = edited?.get(identification);
      proposed.push({ draft: { ...change, rule }, hidden, ...given({ edited: editedChange, held: decision.held }) });
    }
    if (decision.expected !== undefined) expected.push({ draft: { ...decision.expected, rule }, hidden });
    if (owner !== entry && isActive(subject.source)) inheritance.add(entry?.owner ?? '');
    // A user of a sync that is no longer configured becomes ours as soon as the source names the person.
    const inherited = owner !== entry && isActive(subject.source) && change === undefined ? owner : undefined;
    const next = decision.ledger ?? inherited;
    // The store has a newer entry for a user who was taken over just now.
    if (next !== undefined && decision.takenFrom === undefined)
      entries.push({ entry: next, isMiss: isMiss(subject, decision) });
  }
  await sendChanges({ proposed, expected }, job, sink, io);
  if (entries.length > 0) await sink.ledger(entries);
}

/** Reports that a user comes from another sync. `former`: the edit of the configuration that waits takes the user over. */
function reportTakeOver(
  { subject, decision }: DecidedSlot,
  former: string | undefined,
  { edit, spool }: DecideJob,
  sink: DecisionSink,
): void {
  const { identification, neighbors } = subject;
  const finding = neighbors?.release && findTakenOver(subject, neighbors.release);
  if (former !== undefined) {
    edit?.tally.takeOvers.push(spool.append(JSON.stringify({ identification, owner: former, finding })));
  } else if (decision.takenFrom !== undefined && finding !== undefined) sink.find(finding);
}

/** Reports what is wrong with the person's record. Returns whether nothing can be decided because of it. */
function reportTrouble(
  { slot, person, owner, subject, decision }: DecidedSlot,
  { index, moves }: DecideJob & { readonly moves: EmailMoves },
  sink: DecisionSink,
): boolean {
  const isOfUndo = isUndoRule(decision.rule);
  const isUndated = index.has(slot, mark.undated);
  if (decision.finding !== undefined && (!index.has(slot, mark.conflict) || isOfUndo)) sink.find(decision.finding);
  const isLeft = index.has(slot, mark.left);
  const blocked = isLeft ? undefined : blockedPerson(person, subject.source, decision, owner !== undefined);
  if (blocked !== undefined && !isUndated) sink.blocked(blocked);
  const isMeant = (blocked !== undefined && !moves.passing.has(slot)) || isUndated;
  const isCertain = !index.hasAny(slot, mark.tied | mark.unsure);
  const access = isMeant && !isOfUndo ? accessTrouble(person, subject, decision, isCertain) : undefined;
  if (access !== undefined) sink.access(access);
  return blocked !== undefined || isUndated || isUnresolved(subject.source);
}

function withMoves<Name extends string>(decision: Decision<Name>, slot: number, moves: EmailMoves): Decision<Name> {
  const { change } = decision;
  return change === undefined ? decision : { ...decision, change: { ...change, ...moves.of(slot, change) } };
}

interface Proposed {
  readonly draft: Proposal;
  /** What the ledger knows of fields that the platform does not show. */
  readonly hidden: FieldValues;
  readonly edited?: EditedChange;
  /** Why it needs approval, however few such changes there are. */
  readonly held?: string;
}

async function takeOver(all: readonly DecidedSlot[], sink: DecisionSink): Promise<ReadonlySet<string>> {
  const users = all.flatMap(({ subject: { identification }, decision: { takenFrom } }) =>
    takenFrom === undefined ? [] : [{ identification, owner: takenFrom }],
  );
  return users.length === 0 ? new Set() : sink.takeOver(users);
}

/** Applies the standing decisions about each person, and gives each change the episode of its rule, and its hash. */
async function sendChanges(
  { proposed, expected }: { readonly proposed: readonly Proposed[]; readonly expected: readonly Proposed[] },
  job: DecideJob,
  sink: DecisionSink,
  io: EngineIo,
): Promise<void> {
  const { sync, edit, spool, snapshot, isFocused } = job;
  const { settings, dialect, mapping } = sync;
  const all = [...proposed, ...expected];
  if (all.length === 0) return;
  const known = await io.store.decisions.ofMany(
    settings.name,
    all.map(({ draft }) => draft.identification),
  );
  sink.decisions([...known.values()].flat());
  const decisionsOf = ({ identification }: Pick<Proposal, 'identification'>) => known.get(identification) ?? [];
  const { byFile, byCall } = clearingWrites(settings, dialect);
  const carried: readonly FieldName[] = byFile || byCall ? mapping.fields : [];
  const isSendable = (draft: Proposal): boolean => whyNotSent(draft, sync) === undefined;
  const now = io.clock.now();
  const seal = (one: Proposed): NewChange => {
    const decisions = decisionsOf(one.draft);
    const settling = { known: decisions, carried, hidden: one.hidden, isSendable };
    const { draft, ...settled } = settleDecisions(one.draft, settling);
    const change = { ...sealChange({ ...draft, episode: episodeOf(draft.rule, decisions) }), ...settled };
    if (one.held === undefined || isDecidedByOperator(change, decisions, now)) return change;
    return { ...change, verdict: { state: 'held', reason: one.held } };
  };
  const isHeldBefore = (snapshot.kind !== 'full' || isFocused) && edit?.measured?.isHeld === true;
  const changes = proposed.map((one) => {
    const { draft, edited } = one;
    if (edit === undefined || edited === undefined) return seal(one);
    const { parts, classes, reason, instead } = edited;
    const early = instead && seal({ ...one, draft: { ...draft, ...instead } });
    // A person who comes while the edit waits gets what the earlier configuration gives.
    if (early !== undefined && isHeldBefore) return early;
    const change = seal({ ...one, draft: { ...draft, classes, reason } });
    const { without = [], verdict } = change;
    const left = parts.filter((part) => !without.some((field) => field === part));
    if (verdict?.state === 'dropped' || left.length < parts.length) edit.tally.rejected += 1;
    if (verdict?.state === 'dropped') return change;
    if (left.length === 0) return { ...change, classes: change.classes.filter((name) => name !== 'configuration') };
    if (early === undefined) countEdited(edit, change, left);
    else countEdited(edit, change, left, { place: spool.append(JSON.stringify(early)), classes: early.classes });
    return change;
  });
  const leftOut: NewChange[] = [];
  for (const change of expected.map(seal)) {
    (isDecidedByOperator(change, decisionsOf(change), now) ? changes : leftOut).push(change);
  }
  const due = job.mayCreatesWait ? await withoutWaiting(changes, sync, sink, io) : changes;
  if (due.length > 0) await sink.changes(due);
  if (leftOut.length > 0) await sink.expected(leftOut);
}

/** Leaves out the creates that the platform refused before, and whose next try is not due. Reports each. */
async function withoutWaiting(
  changes: readonly NewChange[],
  { settings: { name } }: Sync,
  sink: DecisionSink,
  io: EngineIo,
): Promise<readonly NewChange[]> {
  const creates = changes.filter(({ kind, waitsFor, verdict }) => {
    return kind === 'create' && waitsFor === undefined && verdict === undefined;
  });
  if (creates.length === 0) return changes;
  const names = creates.map(({ identification }) => identification);
  const refused = await io.store.plans.refusedCreates(name, names);
  const now = io.clock.now();
  return changes.filter((change) => {
    const { identification, hash } = change;
    const past = creates.includes(change) ? refused.get(identification)?.find((one) => one.hash === hash) : undefined;
    if (past === undefined || now >= nextTryAt(past)) return true;
    const last = `the last try was at ${formatInstant(past.lastAt)}`;
    const message = `${refusalReason('create', `the platform refused to create this user ${countOf(past.tries, 'time')}; ${last}`)}. Next try: ${formatInstant(nextTryAt(past))}, or when the row changes`;
    sink.find({ code: 'create-waits', identification, message });
    sink.waits();
    return false;
  });
}

/** Rules by which something else than the source prevents the change that the source asks for. */
const preventing: ReadonlySet<string> = new Set<Rule>([
  'owned-by-other',
  'active-blacklisted',
  'create-refused',
  'enable-refused',
  'active-foreign-disable',
  // The disable is not due yet. It stays undone while the person is missing.
  'missing-counted',
]);

/** Returns whether the account is ours and enabled once the plan is done. A user who is taken over just now is not. */
function isLeadable({ change, rule, takenFrom }: Decision<string>): boolean {
  if (takenFrom !== undefined) return false;
  return (
    rule === 'active-equal' || (['create', 'update', 'enable'].includes(change?.kind ?? '') && rule !== 'leaver-parked')
  );
}

function isPrevented({ change, forbidden, rule }: Decision<string>): boolean {
  return forbidden !== undefined || (change === undefined && preventing.has(rule));
}

function isActive({ says }: SourceSays): boolean {
  return says === 'active';
}

function isUnresolved(source: SourceSays): boolean {
  return source.says === 'unusable' && source.code === 'unresolved';
}

function isMiss({ source }: Case, { rule }: Decision<string>): boolean {
  if (rule === 'hand-over-expected') return source.says === 'missing';
  return rule === 'missing-counted' || rule === 'missing-disable';
}
