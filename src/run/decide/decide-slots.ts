import { parkingAddress } from '../../core/person/cell.ts';
import { fieldTraits, type User } from '../../core/person/fields.ts';
import type { Person, RejectedPerson } from '../../core/person/person.ts';
import type { ChangeDraft } from '../../core/plan/change.ts';
import type { Parking } from '../../core/plan/email-order.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { adopted, leftBehind } from '../../core/plan/ledger-steps.ts';
import type { Case, Decision, PlanRules, Rule, SourceSays } from '../../core/plan/plan.ts';
import type { Snapshot } from '../../core/plan/snapshot.ts';
import type { AccountDecision, PairDecision, Standing } from '../../core/plan/standing.ts';
import type { UndoRule } from '../../core/plan/undo.ts';
import { clearingWrites, routeOf, unknownFields } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import type { Spool } from '../../ports/runtime.ts';
import { rulesOn } from '../clock-span.ts';
import type { EmailClaims } from '../compare/compare-platform.ts';
import { type Candidates, isEqualUser, type KeptUser, readKept } from '../compare/kept-users.ts';
import { isConfiguredOn, type NeighborReader } from '../compare/neighbors.ts';
import type { Unresolved } from '../compare/unresolved.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import type { Absent } from '../read/person-text.ts';
import { sayOf } from '../read/source-says.ts';
import type { Strangers } from './strangers.ts';

export interface DecideJob {
  readonly sync: Sync;
  readonly snapshot: Snapshot;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly candidates: Candidates;
  readonly claims: EmailClaims;
  /** The claimants of `claims`, by the slot of the holder. */
  readonly holders: ReadonlyMap<number, number>;
  readonly neighbors: NeighborReader;
  /** What lookups by id say of people who are missing from the read, by slot. */
  readonly asked: ReadonlyMap<number, SourceSays>;
  /** Bystanders are skipped, and every other slot is decided. */
  readonly isFocused: boolean;
  /** What people decided about pairs, accounts and orphans. */
  readonly standing: Standing;
  /** Identifications with a change whose outcome is not known yet: nothing is sent to them. */
  readonly blocked: Unresolved['blocked'];
  readonly decide: DecideCases;
  /** Nothing but the disable of leavers is decided: see `leaversAlone`. */
  readonly isLeaversOnly?: boolean;
  /** Absent in an undo, which gives back what was. */
  readonly strangers?: Strangers;
  readonly signal: AbortSignal;
}

/** Decides some cases, in their order. */
export type DecideCases = (
  subjects: readonly Case[],
  rules: PlanRules,
) => Promise<readonly Decision<Rule | UndoRule>[]>;

/** A slot, and the place of its user in the spool; undefined when the platform shows none. */
export interface SlotToDecide {
  readonly slot: number;
  readonly place: number | undefined;
}

export interface DecidedSlot {
  readonly slot: number;
  readonly person: Person | RejectedPerson | Absent;
  readonly entry: LedgerEntry | undefined;
  /** The entry, owned by this sync when its own sync is no longer configured. */
  readonly owner: LedgerEntry | undefined;
  readonly subject: Case;
  readonly decision: Decision<Rule | UndoRule>;
}

/** Applies the truth table to some slots. Only this function fetches people from the spool. */
export async function decideSlots(
  job: DecideJob,
  slots: readonly SlotToDecide[],
  io: EngineIo,
): Promise<readonly DecidedSlot[]> {
  const { index, sync, spool } = job;
  // First all people, then all users: both lie in the spool in about this order.
  const read = slots.map(({ slot, place }) => ({ slot, place, person: index.person(slot) }));
  const people = read.map(({ slot, place, person }) => {
    return { slot, person, user: place === undefined ? undefined : userOf(readKept(spool, place), person, index) };
  });
  // The ledger was not recalled for bystanders.
  const known = people.filter(({ slot }) => index.has(slot, mark.inLedger) || index.has(slot, mark.bystander));
  const ledger = await io.store.ledger.getMany(
    sync.settings.connection,
    known.map(({ person }) => person.identification),
  );
  const { name, connection } = sync.settings;
  const bare = people.map(({ slot, person, user }) => {
    const { identification } = person;
    const entry = ledger.get(identification);
    // Only a record of this source takes over what a former sync has left behind.
    const isOwned = entry === undefined || person.kind === 'absent' || isConfiguredOn(connection, entry.owner, io);
    const owner = isOwned ? entry : leftBehind(entry, name, io.clock.now());
    const isConflict = index.has(slot, mark.conflict);
    const wait = job.blocked.get(identification);
    const says = (one: ReturnType<typeof present>) => sayOf(one, job.snapshot, wait, job.asked.get(slot));
    const source = isConflict ? conflict : says(present(person));
    const before = person.kind === 'rejected' ? undefined : person.earlier;
    const earlier = before && { earlier: says(before === 'nobody' ? undefined : before) };
    return { slot, person, entry, owner, subject: { identification, source, ...earlier, user, ledger: owner } };
  });
  const neighbors = await job.neighbors.of(
    bare.flatMap(({ entry, owner, subject: { source, identification } }) => {
      // The account to disable may be that of a person of another sync, which does not own it yet.
      const known = owner ?? (job.standing.disables(identification) ? adopted(name, identification, {}) : undefined);
      return known ? [{ entry: known, says: source.says, isLeftBehind: owner !== entry }] : [];
    }),
  );
  const strangers = await job.strangers?.judge(people);
  const { byFile, byCall } = clearingWrites(sync.settings, sync.dialect);
  const rules = { ...rulesOn(io.clock, sync.settings), carried: byFile || byCall ? sync.mapping.fields : [] };
  // What an outbox exported can have disabled the account: that is no other writer.
  const wasEnabled = (slot: number, account: string): boolean =>
    sync.settings.delivery !== 'outbox' && index.wasEnabled(slot, account);
  const cases = bare.map((one) => {
    const { slot, subject: bareSubject } = one;
    const { user, identification } = bareSubject;
    const stranger = strangers?.get(slot);
    const subject: Case = {
      ...bareSubject,
      ...given({
        neighbors: neighbors.get(identification),
        stranger,
        parking: stranger?.parted === undefined ? leaverParking(slot, job) : partedParking(slot, job),
        replacement: openReplacement(identification, job),
        toDisable: toDisable(identification, job),
      }),
      ...(user !== undefined && wasEnabled(slot, user.id) ? { wasEnabled: true } : {}),
    };
    return { ...one, subject };
  });
  const decisions = await job.decide(
    cases.map(({ subject }) => subject),
    rules,
  );
  const decided = people.map((one, i) => ({ ...one, decision: decisions[i] as (typeof decisions)[number] }));
  const settled = job.strangers?.withDisables(decided) ?? decisions;
  return cases.map((one, i) => {
    const decision = settled[i] as (typeof settled)[number];
    const isLost = index.has(one.slot, mark.lost);
    if (job.isLeaversOnly) return { ...one, decision: onlyLeaving(one.subject, decision) };
    return { ...one, decision: isLost ? asRecreate(decision) : decision };
  });
}

/** Leaves all but the disable of a leaver to a run about everyone. That run also judges who the account's person is. */
function onlyLeaving(
  { identification, stranger }: Case,
  { rule, change, finding, forbidden }: Decision<Rule | UndoRule>,
): Decision<Rule | UndoRule> {
  if (change === undefined) return { rule, ...given({ finding, forbidden }) };
  const isAnother = stranger !== undefined || change.classes.includes('identity');
  if (rule === 'leaver-enabled' && !isAnother) return { rule, change };
  const why = isAnother ? 'the record is about another person than the account' : 'the source no longer says so';
  const message = `not disabled by this run for leavers: ${why}. The next full run decides`;
  return { rule: 'nothing', finding: { code: 'leavers-alone', identification, message } };
}

/** Gives a create the class `recreate`: it is in no other one, but for that of an edit. */
function asRecreate<Made extends { readonly change?: ChangeDraft }>(decision: Made): Made {
  const { change } = decision;
  if (change?.kind !== 'create') return decision;
  const classes = ['recreate' as const, ...change.classes.filter((name) => name === 'configuration')];
  return { ...decision, change: { ...change, classes } };
}

/** Returns the parking of an account that a person took from its record. */
function partedParking(slot: number, { index, sync: { settings } }: DecideJob): Parking | undefined {
  const { parkEmail } = settings;
  const email = parkEmail && parkingAddress(parkEmail, index.person(slot).identification);
  return email === undefined || index.findEmail(email) !== -1
    ? undefined
    : { email, why: 'is not the account of the record' };
}

/** Returns the parking of a leaver whose account has an e-mail that an employee is to get in this plan. */
function leaverParking(slot: number, { index, sync, holders, isFocused }: DecideJob): Parking | undefined {
  const claimant = holders.get(slot);
  const { parkEmail } = sync.settings;
  if (claimant === undefined || parkEmail === undefined || index.has(claimant, mark.conflict)) return undefined;
  // An account without a record has a claimant only if a person decided that the claimant replaces it.
  const isGone = index.has(slot, mark.leaver) || !index.has(slot, mark.inSource);
  // Nothing is planned for bystanders, except where one person alone is explained.
  if (!isGone || (!isFocused && index.has(slot, mark.bystander))) return undefined;
  const email = parkingAddress(parkEmail, index.person(slot).identification);
  if (email === undefined || index.findEmail(email) !== -1) return undefined;
  return { email, why: `left, and ${index.person(claimant).identification} needs the e-mail` };
}

/** Returns the decision to disable the account of this identification. */
function toDisable(name: string, { standing: { accounts } }: DecideJob): AccountDecision | undefined {
  const decision = accounts.get(name);
  return decision?.way === 'disable' ? decision : undefined;
}

/** Returns the decision that one replaces the other, while the person who comes has no account. */
function openReplacement(name: string, { standing, index, snapshot }: DecideJob): PairDecision | undefined {
  return standing.about(name).find(({ way, identification }) => {
    const { slot, isExact } = index.find(identification);
    const isKnown = isExact && index.has(slot, mark.inSource);
    // In another read than a full one, the person may work unseen.
    return way === 'replace' && (isKnown ? !index.has(slot, mark.seen) : snapshot.kind !== 'full');
  });
}

/** Returns why the sync's delivery cannot carry the change; undefined when it can. */
export function whyNotSent(change: ChangeDraft, { settings: { delivery }, dialect }: Sync): string | undefined {
  const facts = { delivery, isSmallAndDirect: false, dialect };
  if (routeOf(change, facts) !== 'none') return undefined;
  // The reason of such a change names people, and a finding does not.
  const reason = change.classes.includes('identity') ? 'it belongs to another person' : change.reason;
  const unknown = unknownFields(change, dialect);
  const isAllowed = { ...facts, dialect: { ...dialect, mayClear: [...dialect.mayClear, ...unknown] } };
  if (routeOf(change, isAllowed) === 'none') {
    return `a ${change.kind} cannot be delivered with delivery: ${delivery}, so it was not made. Use delivery: csv or auto`;
  }
  const cure = unknown.every((name) => fieldTraits(name).isReadable)
    ? 'Correct it on the platform by hand'
    : 'Give the employee a value in the source, set whenEmpty: clear in the mapping, or list the field in dialect.mayClear';
  return `the ${change.kind} was not made (${reason}): it would clear ${unknown.join(', ')}, and neither the platform nor the ledger shows the value. ${cure}`;
}

/** What the source says about people in a conflict. Its finding has the code and the reason. */
export const conflict = {
  says: 'unusable',
  code: 'duplicate-key',
  reason: 'another record or account claims the same person or e-mail',
} as const satisfies SourceSays;

/** Returns the record of a person whom the source shows. */
export function present(person: Person | RejectedPerson | Absent): Person | RejectedPerson | undefined {
  return person.kind === 'absent' ? undefined : person;
}

/** Completes a user that was equal in every readable field, with what the person tells. */
function userOf(kept: KeptUser, person: Person | RejectedPerson | Absent, index: PeopleIndex): User {
  if (!isEqualUser(kept)) return kept;
  const [id, others] = kept;
  const fields = { ...index.shownOf(person.kind === 'person' ? person.fields : {}), ...others.fields };
  return { id, identification: person.identification, enabled: true, unreadable: [], ...others, fields };
}
