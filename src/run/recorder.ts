import type { GuardVerdict } from '../core/guard/guard.ts';
import type { CorrectionsFound, LeaderTroubles } from '../core/person/corrections.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { Mapped, Person, SourceRecord } from '../core/person/person.ts';
import type { Change } from '../core/plan/change.ts';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import type { Case, Decision } from '../core/plan/plan.ts';
import type { MissingProof, Snapshot } from '../core/plan/snapshot.ts';
import type { Finding } from '../core/run/finding.ts';
import type { LeaverUpdate } from '../ports/leavers.ts';
import type { MeasuredConfiguration } from '../ports/reads.ts';
import { leaversKey } from '../ports/runs.ts';
import type { Spool } from '../ports/runtime.ts';
import type { Aside, Batch, NewChange, OwnedRun, OwnedUser, ReadRecord, SomeChanges } from '../ports/store.ts';
import { noOtherAccounts, type OtherAccounts, openOtherAccounts } from './compare/other-accounts.ts';
import { blockedUsers, resolveUnresolved, type Unresolved } from './compare/unresolved.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';
import type { PeopleIndex } from './read/people-index.ts';
import { openCorrections } from './record/corrections.ts';
import { type DecisionGrounds, recordDecisions } from './record/record-decisions.ts';
import { type KnownPeople, writeDirectory, writeDoubted, writeRoster } from './record/write-people.ts';
import { requestRun } from './request-run.ts';

/**
 * Where a plan goes. The steps of a plan are the same for a run, for a plan that is only shown and for the explanation
 * of one person: they tell a recorder what they found, and the recorder decides what of it lasts.
 *
 *                      recordRun                  showPlan              explainWith
 *   earlier outcomes   settled by another lookup  seen as they are      seen as they are
 *   changes, digest    stored                     stored                told to the watcher
 *   approvals          used up                    left as they are      –
 *   users taken over   stored at once             as if stored          as if stored
 *   ledger, read,      stored                     –                     –
 *   people, decisions,
 *   run of leavers,
 *   statements
 */
export interface Recorder {
  /** Id under which the changes are stored. */
  readonly planId: string;
  /** When the run or the plan began (epoch ms). */
  readonly startedAt: number;
  /** Users who came to the sync from then on were taken over by an interrupted attempt of the run (epoch ms). */
  readonly attemptedSince: number;
  readonly watcher: Watcher;
  /** Returns the users of these batches of ended runs whose outcome is not known. */
  unresolved(batches: readonly Batch[]): Promise<Unresolved>;
  /** Opens the list of accounts that no record of the source names. */
  openOthers(spool: Spool, salt: string, mapped: readonly FieldName[]): OtherAccounts;
  /** Begins a plan that has no changes yet. Throws as `changes` does. */
  begin(): Promise<void>;
  /** The first changes begin the plan. Throws `LEASE_LOST` or `CONFLICT` when another worker continues the run. */
  changes(changes: readonly NewChange[]): Promise<void>;
  /** Makes users ours that belonged to another sync, and returns who was taken over. */
  takeOver(users: readonly OwnedUser[]): Promise<ReadonlySet<string>>;
  ledger(entries: readonly LedgerEntry[]): Promise<void>;
  /** Marks the changes that operators approved. */
  applyApprovals(): Promise<void>;
  /** Holds the changes of the classes and fields that the guards stop. */
  hold(verdict: Pick<GuardVerdict, 'holds' | 'fields'>): Promise<void>;
  /** Holds the changes of these people in the class, except approved ones. Returns how many. */
  holdSome(some: SomeChanges, reason: string): Promise<number>;
  setAside(names: readonly string[], aside: Aside): Promise<void>;
  /** Replaces held changes that no one approved by others of the same people. Returns how many. */
  replaceHeld(changes: readonly NewChange[]): Promise<number>;
  /** Stores the sync's configuration as the baseline, or as what an edit was measured with. */
  configuration(found: ConfigurationFound): Promise<void>;
  /** Stores a full read. `proof`: it was accepted and complete, so it also tells who the people are. */
  read(read: ReadFound, people: KnownPeople, proof: MissingProof | undefined): Promise<void>;
  decisions(grounds: DecisionGrounds): Promise<void>;
  /**
   * Requests a run about these leavers alone. With none, takes back what an earlier attempt of the run requested.
   */
  leavers(identifications: readonly string[], because: string): Promise<void>;
  /** Stores what a read states of leavers, where the plan ended before it was stored. */
  stated(update: LeaverUpdate): Promise<void>;
  seal(digest: string): Promise<void>;
  /** Returns what HR has to correct; undefined where it is not stored, or the read was not of everyone. */
  corrections(index: PeopleIndex, snapshot: Snapshot): CorrectionsFound | undefined;
}

type ReadFound = Omit<ReadRecord, 'sync' | 'run' | 'isAccepted'>;

/** What an accepted full run found about the sync's configuration. */
export type ConfigurationFound =
  | { readonly kind: 'accepted' }
  | ({ readonly kind: 'measured' } & Pick<MeasuredConfiguration, 'isOpen' | 'isHeld'>);

/** Looks on while a plan is made. */
export interface Watcher {
  /** Called for every source record after mapping. */
  record(record: SourceRecord, mapped: Mapped): void;
  /** Called when the source was read. `failure`: why no plan can be made from it. */
  read(read: { readonly snapshot: Snapshot; readonly failure: string | undefined }): void;
  finding(finding: Finding): void;
  /** Called with what each person whose account is in order wants of leaders. */
  led(person: Person, wish: LeaderTroubles): void;
  decided(subject: Case, decision: Decision<string>): void;
  changes(changes: readonly Change[]): void;
  /** Called with changes that are left out because another sync is expected to take the users over. */
  expected(changes: readonly Change[]): void;
}

const nobody: Watcher = { record() {}, read() {}, finding() {}, led() {}, decided() {}, changes() {}, expected() {} };

/** Records the plan of a run. What it stores is stored under the lease of the run. */
export function recordRun(context: RunContext, io: EngineIo): Recorder {
  const { owned, sync } = context;
  const { store, clock } = io;
  const { id, startedAt } = owned.run;
  const { name, delivery } = sync.settings;
  const plan = storedPlan({ planId: id, owned, run: id }, sync, io);
  const corrections = openCorrections(sync);
  return {
    ...plan,
    startedAt,
    attemptedSince: startedAt,
    watcher: { ...nobody, ...corrections.watcher },
    corrections(index, snapshot) {
      const found = corrections.found(index, snapshot);
      return found && { ...found, at: startedAt };
    },
    unresolved: (batches) => resolveUnresolved(context, batches, io),
    openOthers: openOtherAccounts,
    async takeOver(users) {
      const taken = await store.ledger.takeOver(owned, users, clock.now());
      io.checkpoint('ledger-written');
      return taken;
    },
    async ledger(entries) {
      // Outbox delivery writes no ledger entries, because another system delivers the file.
      if (delivery !== 'outbox' && entries.length > 0) await store.ledger.put(owned, entries);
    },
    async read(found, people, proof) {
      const read = { ...found, sync: name, run: id, isAccepted: proof !== undefined };
      if (proof === undefined) return writeDoubted(owned, people, read, io);
      const directory = await writeDirectory(owned, { people, sync: name, proof }, io);
      await writeRoster(owned, { people, sync, rows: read.rows, proof, read, directory }, io);
    },
    configuration(found) {
      const current = { ...sync.configuration, at: clock.now() };
      if (found.kind === 'accepted') return store.baselines.accept(owned, current);
      const { isOpen, isHeld } = found;
      return store.baselines.measure(owned, { ...current, run: id, isOpen, isHeld });
    },
    decisions: (grounds) => recordDecisions(owned, grounds, io),
    async leavers(identifications, because) {
      const key = leaversKey(id);
      if (identifications.length > 0) {
        const scope = { kind: 'users', identifications, leavers: { run: id, because } } as const;
        await requestRun({ sync: name, kind: 'leavers', scope, key }, io);
      } else if (owned.run.problem !== undefined) {
        const earlier = await store.triggers.find(key);
        if (earlier !== undefined) await store.triggers.cancel(earlier.trigger.id);
      }
    },
    async stated(leavers) {
      if (!context.signal.aborted) await store.runs.update(owned, {}, { leavers });
    },
    // The digest seals the plan when the run stores it, together with all that delivery needs.
    async seal() {},
  };
}

/** Records a plan that is only shown: its changes are stored, and nothing else. */
export function showPlan(planId: string, sync: Sync, io: EngineIo): Recorder {
  return { ...withoutEffect(sync, io), ...storedPlan({ planId, owned: undefined, run: undefined }, sync, io) };
}

/** Tells a watcher what a plan would be, and stores nothing. */
export function explainWith(watcher: Watcher, sync: Sync, io: EngineIo): Recorder {
  return {
    ...withoutEffect(sync, io),
    planId: '',
    watcher,
    async begin() {},
    changes: async (changes) => watcher.changes(changes),
    async applyApprovals() {},
    async hold() {},
    holdSome: async () => 0,
    replaceHeld: async () => 0,
    async setAside() {},
    async seal() {},
  };
}

type StoredPlan = Pick<
  Recorder,
  'planId' | 'begin' | 'changes' | 'applyApprovals' | 'hold' | 'holdSome' | 'replaceHeld' | 'setAside' | 'seal'
>;

interface PlanPlace {
  readonly planId: string;
  /** Undefined for a plan that is only shown, as the store wants it. */
  readonly owned: OwnedRun | undefined;
  readonly run: string | undefined;
}

function storedPlan(
  { planId, owned, run }: PlanPlace,
  { settings, configuration }: Sync,
  { store, clock }: EngineIo,
): StoredPlan {
  const { plans } = store;
  const { name: sync } = settings;
  let hasBegun = false;
  const begin = async (first: readonly NewChange[]): Promise<void> => {
    const header = { id: planId, sync, run, madeAt: clock.now(), configuration: configuration.fingerprint };
    await plans.begin(owned, header, first);
    hasBegun = true;
  };
  return {
    planId,
    begin: async () => (hasBegun ? undefined : begin([])),
    changes: (changes) => (hasBegun ? plans.add(owned, planId, changes) : begin(changes)),
    async applyApprovals() {
      await plans.applyApprovals(owned, planId, sync, clock.now());
    },
    async hold({ holds, fields }) {
      for (const { class: held, reason } of holds) await plans.hold(owned, planId, [held], reason);
      for (const { field, reason } of fields) await plans.holdFields(owned, planId, [field], reason);
    },
    holdSome: (some, reason) => plans.holdSome(owned, planId, some, reason),
    replaceHeld: (changes) => plans.replaceHeld(owned, planId, changes),
    setAside: (names, aside) => plans.setAside(owned, planId, names, aside),
    seal: (digest) => plans.seal(owned, planId, digest),
  };
}

type Effects = Omit<Recorder, keyof StoredPlan>;

function withoutEffect(sync: Sync, io: EngineIo): Effects {
  return {
    startedAt: io.clock.now(),
    attemptedSince: Number.POSITIVE_INFINITY,
    watcher: nobody,
    unresolved: (batches) => blockedUsers(sync, batches, io),
    openOthers: noOtherAccounts,
    takeOver: async (users) => new Set(users.map(({ identification }) => identification)),
    async ledger() {},
    async configuration() {},
    async read() {},
    async decisions() {},
    async leavers() {},
    async stated() {},
    corrections: () => undefined,
  };
}
