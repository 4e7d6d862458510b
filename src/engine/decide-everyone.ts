import { setImmediate as nextTurn } from 'node:timers/promises';
import { routeOf } from '../core/batch.ts';
import type { BlockedPerson } from '../core/blocked.ts';
import { type Change, type ChangeDraft, sealChange } from '../core/change.ts';
import { episodeOf } from '../core/episode.ts';
import type { Finding } from '../core/finding.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { Person, RejectedPerson } from '../core/person.ts';
import { type Case, type Decision, decide, type SourceSays } from '../core/plan.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { User } from '../core/user.ts';
import type { Spool } from '../ports/spool.ts';
import { type Candidates, type KeptUser, readKept } from './compare-platform.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { mark, type PeopleIndex } from './people-index.ts';
import type { Absent } from './person-text.ts';
import { blockedPerson, sayOf } from './source-says.ts';

export interface DecideJob {
  readonly sync: Sync;
  readonly snapshot: Snapshot;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly candidates: Candidates;
  /** Bystanders are skipped, and every other slot is decided. */
  readonly isFocused: boolean;
  /** Identifications with a change whose fate is not known yet: nothing goes to them. */
  readonly blocked: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

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
export async function decideEveryone(job: DecideJob, sink: DecisionSink, io: EngineIo): Promise<void> {
  const { index, candidates } = job;
  let pending: { slot: number; place: number | undefined }[] = [];
  let decided = 0;
  const flush = async (): Promise<void> => {
    job.signal.throwIfAborted();
    await decideSome(job, pending, sink, io);
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
}

async function decideSome(
  job: DecideJob,
  slots: readonly { readonly slot: number; readonly place: number | undefined }[],
  sink: DecisionSink,
  io: EngineIo,
): Promise<void> {
  const { index, sync, spool } = job;
  const people = slots.map(({ slot, place }) => {
    const person = index.person(slot);
    return { slot, person, user: place === undefined ? undefined : userOf(readKept(spool, place), person) };
  });
  const known = people.filter(({ slot }) => index.has(slot, mark.inLedger));
  const ledger = await io.store.ledger.getMany(
    sync.settings.connection,
    known.map(({ person }) => person.identification),
  );
  const highestCustomField = sync.dialect.customFieldLimit.direct;
  const proposed: Proposal[] = [];
  const entries: { entry: LedgerEntry; isMiss: boolean }[] = [];
  for (const { slot, person, user } of people) {
    const { identification } = person;
    const entry = ledger.get(identification);
    const owner = entry === undefined || io.syncs.has(entry.owner) ? entry : { ...entry, owner: sync.settings.name };
    const isConflict = index.has(slot, mark.conflict);
    const subject: Case = {
      identification,
      source: isConflict ? conflict : sayOf(present(person), job.snapshot, job.blocked.has(identification)),
      user,
      ledger: owner,
    };
    const decision = decide(subject, sync.settings, io.clock.now());
    sink.decided?.(subject, decision);
    if (decision.finding !== undefined && !isConflict) sink.find(decision.finding);
    const blocked = blockedPerson(person, subject.source, decision, owner !== undefined);
    if (blocked !== undefined && !index.has(slot, mark.undated)) sink.blocked?.(blocked);
    const { change } = decision;
    if (change !== undefined) {
      if (
        routeOf(change, { delivery: sync.settings.delivery, isSmallAndDirect: false, highestCustomField }) === 'none'
      ) {
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

const conflict: SourceSays = { says: 'unusable', code: 'duplicate-key', reason: 'reported where it was found' };

function isActive({ says }: SourceSays): boolean {
  return says === 'active';
}

function isMiss({ rule }: Decision): boolean {
  return rule === 'missing-counted' || rule === 'missing-disable';
}

function present(person: Person | RejectedPerson | Absent): Person | RejectedPerson | undefined {
  return person.kind === 'absent' ? undefined : person;
}

/** Completes a user that was equal in every readable field, as far as the truth table looks at it. */
function userOf(kept: KeptUser, person: Person | RejectedPerson | Absent): User {
  if (typeof kept !== 'string') return kept;
  const fields = person.kind === 'person' ? person.fields : {};
  return { id: kept, identification: person.identification, enabled: true, fields, unreadable: [] };
}

function notDeliverable(identification: string, kind: string, delivery: string): Finding {
  const message = `a ${kind} cannot go by delivery: ${delivery}, and is left undone: use delivery: csv or auto`;
  return { code: 'not-deliverable', identification, message };
}
