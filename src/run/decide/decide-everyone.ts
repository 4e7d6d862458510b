import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlockedPerson } from '../../core/guard/blocked.ts';
import { type Change, type ChangeDraft, episodeOf, sealChange } from '../../core/plan/change.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Case, Decision, SourceSays } from '../../core/plan/plan.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { OwnedUser } from '../../ports/store.ts';
import { isDecidedByOperator } from '../compare/expected-hand-overs.ts';
import type { EngineIo } from '../engine-io.ts';
import { reportFoundParked } from '../prove/report-parked.ts';
import { mark } from '../read/people-index.ts';
import { blockedPerson } from '../read/source-says.ts';
import { findTakenOver, Inheritance } from '../seal/report-hand-overs.ts';
import { type DecidedSlot, type DecideJob, decideSlots, isDeliverable, type SlotToDecide } from './decide-slots.ts';
import { type EmailMoves, orderClaims } from './order-claims.ts';

/** Where decisions go, a bounded number at a time. */
export interface DecisionSink {
  changes(changes: readonly Change[]): Promise<void>;
  /** `isMiss`: counts an absence, which a guard may still stop. */
  ledger(entries: readonly { readonly entry: LedgerEntry; readonly isMiss: boolean }[]): Promise<void>;
  find(finding: Finding): void;
  /** Called with every decision, also those without a change. */
  decided(subject: Case, decision: Decision): void;
  /**
   * Makes users ours that belonged to another sync, and returns who was taken over. The changes of the others are left
   * out.
   */
  takeOver(users: readonly OwnedUser[]): Promise<ReadonlySet<string>>;
  /** Gets the changes that are left out because another sync is expected to take the users over. */
  expected(changes: readonly Change[]): Promise<void>;
  /** Called for each person of the source for whom the source's own data leaves nothing to decide. */
  blocked(person: BlockedPerson): void;
}

/** Small enough that other work of this process soon runs, even if every case becomes a change. */
const chunkSize = 500;

/** Applies the truth table to every open case. Only this function fetches people from the spool. */
export async function decideEveryone(
  job: DecideJob,
  sink: DecisionSink,
  io: EngineIo,
): Promise<{ readonly postponed: number; readonly unchanged: number }> {
  const { index, candidates } = job;
  const moves = await orderClaims(job, sink.find, io);
  let pending: SlotToDecide[] = [];
  let decided = 0;
  let unchanged = 0;
  const inheritance = new Inheritance(job.sync.settings.name);
  const flush = async (): Promise<void> => {
    job.signal.throwIfAborted();
    unchanged += await decideSome({ ...job, moves, inheritance }, pending, sink, io);
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
      if (!index.has(slot, mark.conflict)) unchanged += 1;
      continue;
    }
    pending.push({ slot, place: undefined });
    if (pending.length >= chunkSize) await flush();
  }
  if (pending.length > 0) await flush();
  for (const finding of inheritance.findings()) sink.find(finding);
  return { postponed: moves.postponed, unchanged };
}

/** Returns how many of these people of the source need no change. */
async function decideSome(
  job: DecideJob & { readonly moves: EmailMoves; readonly inheritance: Inheritance },
  slots: readonly SlotToDecide[],
  sink: DecisionSink,
  io: EngineIo,
): Promise<number> {
  const { index, sync, inheritance } = job;
  const proposed: Proposal[] = [];
  const expected: Proposal[] = [];
  const entries: { entry: LedgerEntry; isMiss: boolean }[] = [];
  let unchanged = 0;
  const all = await decideSlots(job, slots, io);
  const taken = await takeOver(all, sink);
  for (const { slot, person, entry, owner, subject, decision: bare } of all) {
    if (bare.takenFrom !== undefined && !taken.has(subject.identification)) continue;
    const decision = withMoves(bare, slot, job.moves);
    const isConflict = index.has(slot, mark.conflict);
    sink.decided(subject, decision);
    const release = subject.neighbors?.release;
    if (decision.takenFrom !== undefined && release !== undefined) sink.find(findTakenOver(subject, release));
    if (decision.finding !== undefined && !isConflict) sink.find(decision.finding);
    const blocked = blockedPerson(person, subject.source, decision, owner !== undefined);
    if (blocked !== undefined && !index.has(slot, mark.undated)) sink.blocked(blocked);
    const parked = reportFoundParked(subject, sync);
    if (parked !== undefined) sink.find(parked);
    const { change } = decision;
    const isBlocked = blocked !== undefined || index.has(slot, mark.undated) || isUnresolved(subject.source);
    if (change === undefined && !isBlocked && index.has(slot, mark.inSource)) unchanged += 1;
    if (change !== undefined) {
      if (!isDeliverable(change, sync)) {
        sink.find(notDeliverable(change.identification, change.kind, sync.settings.delivery));
      } else proposed.push({ ...change, rule: decision.rule });
    }
    if (decision.expected !== undefined) expected.push({ ...decision.expected, rule: decision.rule });
    if (owner !== entry && isActive(subject.source)) inheritance.add(entry?.owner ?? '');
    // A user of a sync that is no longer configured becomes ours as soon as the source names the person.
    const inherited = owner !== entry && isActive(subject.source) && change === undefined ? owner : undefined;
    const next = decision.ledger ?? inherited;
    // The store has a newer entry for a user who was taken over just now.
    if (next !== undefined && decision.takenFrom === undefined)
      entries.push({ entry: next, isMiss: isMiss(subject, decision) });
  }
  await sendChanges({ proposed, expected }, sync.settings.name, sink, io);
  if (entries.length > 0) await sink.ledger(entries);
  return unchanged;
}

function withMoves(decision: Decision, slot: number, moves: EmailMoves): Decision {
  const { change } = decision;
  return change === undefined ? decision : { ...decision, change: { ...change, ...moves.of(slot, change) } };
}

type Proposal = ChangeDraft & Pick<Change, 'rule'>;

async function takeOver(all: readonly DecidedSlot[], sink: DecisionSink): Promise<ReadonlySet<string>> {
  const users = all.flatMap(({ subject: { identification }, decision: { takenFrom } }) =>
    takenFrom === undefined ? [] : [{ identification, owner: takenFrom }],
  );
  return users.length === 0 ? new Set() : sink.takeOver(users);
}

/** Gives each change the episode of its rule, and its hash. */
async function sendChanges(
  { proposed, expected }: { readonly proposed: readonly Proposal[]; readonly expected: readonly Proposal[] },
  sync: string,
  sink: DecisionSink,
  io: EngineIo,
): Promise<void> {
  const all = [...proposed, ...expected];
  if (all.length === 0) return;
  const known = await io.store.decisions.ofMany(
    sync,
    all.map(({ identification }) => identification),
  );
  const seal = (draft: Proposal): Change => {
    const episode = episodeOf(draft.rule, known.get(draft.identification) ?? []);
    return sealChange({ ...draft, episode });
  };
  const now = io.clock.now();
  const changes = proposed.map(seal);
  const leftOut: Change[] = [];
  for (const change of expected.map(seal)) {
    const isDecided = isDecidedByOperator(change, known.get(change.identification) ?? [], now);
    (isDecided ? changes : leftOut).push(change);
  }
  if (changes.length > 0) await sink.changes(changes);
  if (leftOut.length > 0) await sink.expected(leftOut);
}

function isActive({ says }: SourceSays): boolean {
  return says === 'active';
}

function isUnresolved(source: SourceSays): boolean {
  return source.says === 'unusable' && source.code === 'unresolved';
}

function isMiss({ source }: Case, { rule }: Decision): boolean {
  if (rule === 'hand-over-expected') return source.says === 'missing';
  return rule === 'missing-counted' || rule === 'missing-disable';
}

function notDeliverable(identification: string, kind: string, delivery: string): Finding {
  const message = `a ${kind} cannot be delivered with delivery: ${delivery}, so it was not made. Use delivery: csv or auto`;
  return { code: 'not-deliverable', identification, message };
}
