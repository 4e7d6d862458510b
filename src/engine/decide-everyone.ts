import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlockedPerson } from '../core/blocked.ts';
import { type Change, type ChangeDraft, sealChange } from '../core/change.ts';
import { episodeOf } from '../core/episode.ts';
import type { Finding } from '../core/finding.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { Case, Decision, SourceSays } from '../core/plan.ts';
import { type DecideJob, decideSlots, isDeliverable, type SlotToDecide } from './decide-slots.ts';
import type { EngineIo } from './engine-io.ts';
import { foundParked } from './left-parked.ts';
import { type EmailMoves, orderClaims } from './order-claims.ts';
import { mark } from './people-index.ts';
import { blockedPerson } from './source-says.ts';

/** Where decisions go, a bounded number at a time. */
export interface DecisionSink {
  changes(changes: readonly Change[]): Promise<void>;
  /** `isMiss`: counts an absence, which a guard may still stop. */
  ledger(entries: readonly { readonly entry: LedgerEntry; readonly isMiss: boolean }[]): Promise<void>;
  find(finding: Finding): void;
  /** Called with every decision, also those without a change. */
  decided?(subject: Case, decision: Decision): void;
  /** Called for each person of the source for whom the source's own data leaves nothing to decide. */
  blocked?(person: BlockedPerson): void;
}

/** So few that even if every case becomes a change, other work of this process soon has its turn. */
const chunkSize = 500;

/** Puts every open case to the truth table. Each person is fetched from the spool only here. */
export async function decideEveryone(
  job: DecideJob,
  sink: DecisionSink,
  io: EngineIo,
): Promise<{ readonly postponed: number }> {
  const { index, candidates } = job;
  const moves = await orderClaims(job, sink.find, io);
  let pending: SlotToDecide[] = [];
  let decided = 0;
  const flush = async (): Promise<void> => {
    job.signal.throwIfAborted();
    await decideSome({ ...job, moves }, pending, sink, io);
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
    if (!job.isFocused && index.has(slot, mark.leaver) && !index.has(slot, mark.inLedger)) continue;
    pending.push({ slot, place: undefined });
    if (pending.length >= chunkSize) await flush();
  }
  if (pending.length > 0) await flush();
  return { postponed: moves.postponed };
}

async function decideSome(
  job: DecideJob & { readonly moves: EmailMoves },
  slots: readonly SlotToDecide[],
  sink: DecisionSink,
  io: EngineIo,
): Promise<void> {
  const { index, sync } = job;
  const proposed: Proposal[] = [];
  const entries: { entry: LedgerEntry; isMiss: boolean }[] = [];
  for (const { slot, person, entry, owner, subject, decision: bare } of await decideSlots(job, slots, io)) {
    const decision = withMoves(bare, slot, job.moves);
    const isConflict = index.has(slot, mark.conflict);
    sink.decided?.(subject, decision);
    if (decision.finding !== undefined && !isConflict) sink.find(decision.finding);
    const blocked = blockedPerson(person, subject.source, decision, owner !== undefined);
    if (blocked !== undefined && !index.has(slot, mark.undated)) sink.blocked?.(blocked);
    const parked = foundParked(subject, sync);
    if (parked !== undefined) sink.find(parked);
    const { change } = decision;
    if (change !== undefined) {
      if (!isDeliverable(change, sync)) {
        sink.find(notDeliverable(change.identification, change.kind, sync.settings.delivery));
      } else proposed.push({ ...change, rule: decision.rule });
    }
    // Whom a sync that is configured no more has left behind becomes ours as soon as the source names them.
    const inherited = owner !== entry && isActive(subject.source) && change === undefined ? owner : undefined;
    const next = decision.ledger ?? inherited;
    if (next !== undefined) entries.push({ entry: next, isMiss: isMiss(decision) });
  }
  if (proposed.length > 0) await sink.changes(await sealAll(proposed, sync.settings.name, io));
  if (entries.length > 0) await sink.ledger(entries);
}

function withMoves(decision: Decision, slot: number, moves: EmailMoves): Decision {
  const { change } = decision;
  return change === undefined ? decision : { ...decision, change: { ...change, ...moves.of(slot, change) } };
}

type Proposal = ChangeDraft & Pick<Change, 'rule'>;

/** Gives each change the episode of its rule, and its hash. */
async function sealAll(proposed: readonly Proposal[], sync: string, io: EngineIo): Promise<readonly Change[]> {
  const known = await io.store.decisions.ofMany(
    sync,
    proposed.map(({ identification }) => identification),
  );
  return proposed.map((draft) => {
    const episode = episodeOf(draft.rule, known.get(draft.identification) ?? []);
    return sealChange({ ...draft, episode });
  });
}

function isActive({ says }: SourceSays): boolean {
  return says === 'active';
}

function isMiss({ rule }: Decision): boolean {
  return rule === 'missing-counted' || rule === 'missing-disable';
}

function notDeliverable(identification: string, kind: string, delivery: string): Finding {
  const message = `a ${kind} cannot go by delivery: ${delivery}, and is left undone: use delivery: csv or auto`;
  return { code: 'not-deliverable', identification, message };
}
