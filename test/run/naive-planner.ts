import { type FieldValues, fieldTable, type User } from '../../src/core/person/fields.ts';
import type { CompiledMapping } from '../../src/core/person/mapping.ts';
import type { Mapped, Person, RejectedPerson, SourceRecord } from '../../src/core/person/person.ts';
import { type Change, sealChange } from '../../src/core/plan/change.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { takenOver } from '../../src/core/plan/ledger-steps.ts';
import { claimOf, type Neighbors, releaseOf, trustRoster } from '../../src/core/plan/neighbors.ts';
import { type Case, type Decision, decide, type SourceSays } from '../../src/core/plan/plan.ts';
import type { Roster, RosterStanding } from '../../src/core/plan/roster.ts';
import { certifySnapshot, type ReadEnd } from '../../src/core/plan/snapshot.ts';
import type { AccountDecision } from '../../src/core/plan/standing.ts';
import type { SyncSettings } from '../../src/core/run/settings.ts';
import { sayOf } from '../../src/run/read/source-says.ts';

/** Everything that a plan is made of, as whole records. */
export interface World {
  readonly records: readonly SourceRecord[];
  readonly end: ReadEnd;
  readonly users: readonly User[];
  /** In order of identification. */
  readonly ledger: readonly LedgerEntry[];
  /** The accounts that a person decided to disable. */
  readonly toDisable?: readonly AccountDecision[];
  /** What the last accepted full read of the sync `other` showed, and how old it is. */
  readonly others?: { readonly standings: ReadonlyMap<string, RosterStanding>; readonly ageMs: number };
}

export interface NaivePlan {
  readonly changes: readonly Change[];
  /** The whole ledger afterwards, by identification. */
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
}

interface Somebody {
  readonly identification: string;
  readonly person: Person | RejectedPerson | undefined;
}

/** Plans with maps of whole records and one call of `decide` per person: what the index must come to, without it. */
export async function planNaively(
  world: World,
  mapping: CompiledMapping,
  settings: SyncSettings,
  facts: { readonly now: number; readonly syncs: ReadonlySet<string> },
): Promise<NaivePlan> {
  const mapped = await Promise.all(world.records.map((record) => mapping.map(record, facts.now)));
  const unreadable = mapped.filter(({ kind }) => kind === 'unreadable').length;
  const shared = sharedNames(mapped);
  const read = { kind: 'full', end: world.end, unreadable, shared, readAt: facts.now, runAt: undefined } as const;
  const snapshot = certifySnapshot(read);
  const named = oneOfSeveral(mapped.filter((one) => one.kind !== 'unreadable'));
  const everybody = withAbsent(named, world, settings.name);
  const { conflicts, claims } = findConflicts(named, everybody, world.users, settings);
  addRenamed(conflicts, everybody, world.users, settings);
  const ledger = new Map(world.ledger.map((entry) => [entry.identification, entry]));
  /** Where the account of a leaver goes whose e-mail an employee without a conflict wants. */
  const parkingOf = (key: string) => {
    const [claimant] = [...claims].find(([wanting, holder]) => holder === key && !conflicts.has(wanting)) ?? [];
    const somebody = everybody.get(key);
    if (claimant === undefined || somebody === undefined || !isLeaver(somebody.person)) return undefined;
    const email = settings.parkEmail?.replace('{identification}', somebody.identification);
    const isWanted = wishesOf(everybody).some((wish) => wish.email === email?.toLowerCase());
    return email === undefined || isWanted
      ? undefined
      : { email, why: `left, and ${everybody.get(claimant)?.identification} needs the e-mail` };
  };
  const decideOne = ([key, { identification, person }]: [string, Somebody]) => {
    const known = ledger.get(identification);
    const isLeftBehind = known !== undefined && !facts.syncs.has(known.owner);
    const taken = { from: known?.owner ?? '', at: facts.now };
    const entry = isLeftBehind ? { ...known, owner: settings.name, taken } : known;
    const source: SourceSays = conflicts.has(key)
      ? { says: 'unusable', code: 'duplicate-key', reason: 'a conflict' }
      : sayOf(person, snapshot);
    const user = world.users.find((one) => one.identification === identification);
    const toDisable = world.toDisable?.find((one) => one.identification === identification);
    const asOurs = toDisable && { ...bareEntry, identification, owner: settings.name };
    const neighbors = neighborsOf({ world, settings, source, entry: entry ?? asOurs });
    const parking = parkingOf(key);
    const subject = {
      identification,
      source,
      user,
      ledger: entry,
      ...(neighbors === undefined ? {} : { neighbors }),
      ...(parking === undefined ? {} : { parking }),
      ...(toDisable === undefined ? {} : { toDisable }),
    };
    const decision = decide(subject, settings, facts.now);
    const wrong = wronglyWritten(decision, subject, settings);
    if (wrong.length > 0) throw new Error(`${identification}: ${wrong.join(', ')} against the rule of the field`);
    const isDecided = mustDisable(subject, settings);
    if (isDecided !== (decision.rule === 'missing-decided' && decision.change?.kind === 'disable')) {
      throw new Error(
        `${identification}: the decision to disable the account ${isDecided ? 'was ignored' : 'must not act'}`,
      );
    }
    return { decision, source, user, entry, isLeftBehind };
  };
  const moves = (key: string): boolean => {
    const somebody = everybody.get(key);
    if (somebody === undefined) return false;
    const { decision, user } = decideOne([key, somebody]);
    const email = decision.change?.changed.includes('email') === true ? decision.change.after.email : undefined;
    return email !== undefined && email.toLowerCase() !== user?.fields.email?.toLowerCase();
  };
  // Names of one letter each are those of two people when they differ.
  const isStranger = (key: string): boolean => {
    const { identification, person } = everybody.get(key) ?? {};
    const user = world.users.find((one) => one.identification === identification);
    return user !== undefined && person?.kind === 'person' && nameOf(person.fields) !== nameOf(user.fields);
  };
  addWaiting(conflicts, claims, { moves, isStranger });
  const changes: Change[] = [];
  for (const [key, somebody] of everybody) {
    const { identification } = somebody;
    const { decision, source, entry, isLeftBehind } = decideOne([key, somebody]);
    if (decision.change !== undefined) {
      changes.push(sealChange({ ...decision.change, rule: decision.rule, episode: '0' }));
    }
    const inherited = isLeftBehind && source.says === 'active' && decision.change === undefined ? entry : undefined;
    const isTaken = decision.takenFrom !== undefined && entry !== undefined;
    const next = isTaken ? takenOver(entry, settings.name, facts.now) : (decision.ledger ?? inherited);
    if (next !== undefined) ledger.set(identification, next);
  }
  return { changes, ledger };
}

const bareEntry = { hidden: {}, quirks: {}, unverified: 0 } as const;

/** Returns whether a person's decision disables the account: enabled, the one decided about, and no one's by any proof. */
function mustDisable(
  { source, user, ledger, toDisable, neighbors, identification }: Case,
  rules: SyncSettings,
): boolean {
  if (toDisable === undefined || source.says !== 'missing') return false;
  const isAnother = ledger?.accountId !== undefined && user !== undefined && ledger.accountId !== user.id;
  const isOwned = ledger !== undefined && ledger.removed === undefined && !isAnother;
  const mayDisable = rules.policy === 'sync' && !rules.protected.includes(identification);
  const isIt = user?.enabled === true && user.id === toDisable.accountId;
  return isIt && mayDisable && !isOwned && neighbors?.claim === undefined;
}

/** Returns the fields that a change writes, or leaves out, against what their `write` or `keepLocalEdits` says. */
function wronglyWritten({ change }: Decision, { source, user, ledger }: Case, { mapping }: SyncSettings): string[] {
  if (source.says !== 'active' || user === undefined || (change?.kind !== 'update' && change?.kind !== 'enable'))
    return [];
  const isAnother = ledger?.accountId !== undefined && ledger.accountId !== user.id;
  const known = isAnother || ledger?.removed !== undefined ? undefined : ledger;
  return fieldTable.flatMap(({ name, isReadable }) => {
    const { [name]: hr } = source.person.fields;
    const write = mapping.fields[name]?.write;
    if (hr === undefined || write === undefined) return [];
    const isSeen = isReadable && !user.unreadable.includes(name);
    const here = isSeen ? (user.fields[name] ?? '') : isReadable ? 'unreadable' : known?.hidden[name];
    const before = known?.hidden[name];
    const isTriedAgain = !isSeen && before === hr && [1, 2].includes(known?.unverified ?? 0);
    const same = (one: string | undefined) => (name === 'email' ? one?.toLowerCase() === hr.toLowerCase() : one === hr);
    const mayWrite = {
      onCreate: false,
      ifEmpty: (here ?? '') === '' || isTriedAgain,
      keepLocalEdits: before === undefined ? isSeen && here === '' : !same(before) || isTriedAgain,
    }[write];
    const isWritten = change.changed.includes(name);
    const isDue = mayWrite && !(isSeen ? same(here) : before === hr && !isTriedAgain);
    const isCarried = change.after[name] !== undefined && !isWritten;
    const mayBeAssumed = !isSeen && before === undefined;
    return isCarried || (isWritten && !isDue) || (isDue && !isWritten && !mayBeAssumed) ? [name] : [];
  });
}

/** Leaves one record of each person of whom `scope` tells which one counts; all of a person of whom it does not. */
function oneOfSeveral(named: readonly (Person | RejectedPerson)[]): readonly (Person | RejectedPerson)[] {
  return [...Map.groupBy(named, ({ identification }) => identification).values()].flatMap((records) => {
    const people = records.filter((record) => record.kind === 'person');
    const [inside = [], outside = []] = [true, false].map((is) => people.filter(({ isInScope }) => isInScope === is));
    const [only] = inside;
    const isOne = inside.every(({ standing }) => standing === 'leaver') || new Set(inside.map(whatIsSaid)).size < 2;
    if (records.length === 1 || people.length < records.length || !isOne) return records;
    if (only === undefined) return records.slice(0, 1);
    if (only.standing !== 'leaver') return [only];
    if (outside.some(({ standing }) => standing === 'active'))
      return [{ ...only, isInScope: false, standing: 'active' }];
    return outside.some(({ standing }) => standing === 'unknown') ? records : [only];
  });
}

function whatIsSaid({ at: _, standingReason: __, ...said }: Person): string {
  return JSON.stringify(said);
}

/** What the roster of the sync `other` says about a person of the ledger, looked up in a map. */
function neighborsOf(facts: {
  readonly world: World;
  readonly settings: SyncSettings;
  readonly source: SourceSays;
  readonly entry: LedgerEntry | undefined;
}): Neighbors | undefined {
  const { world, settings, source, entry } = facts;
  if (world.others === undefined || entry === undefined || entry.removed !== undefined) return undefined;
  const { standings, ageMs } = world.others;
  const roster = trustRoster({ sync: 'other', at: -ageMs, fingerprint: 'f' } as Roster, {
    fingerprint: 'f',
    maxAgeMs: settings.handOver.maxAgeMs,
    now: 0,
  });
  if (roster === undefined) return undefined;
  const entries = [...standings].flatMap(([name, standing]) => {
    const isSame = name.toLowerCase() === entry.identification.toLowerCase();
    return isSame ? [{ standing, isExact: name === entry.identification }] : [];
  });
  if (entry.owner === 'other' && source.says === 'active') {
    const release = releaseOf(roster, entries);
    return release && { release };
  }
  const isGone = source.says === 'missing' || source.says === 'out-of-scope';
  const claim = isGone && entry.owner === settings.name ? claimOf(roster, entries, []) : undefined;
  // A sync that may not enable is expected to take nobody over; here both have one policy.
  return claim === undefined || settings.policy === 'create-only' ? undefined : { claim };
}

/**
 * The people of the source, the first record of each, those of ours whom it does not name, and the accounts to disable; by
 * key without case.
 */
function withAbsent(
  named: readonly (Person | RejectedPerson)[],
  { ledger, toDisable = [] }: World,
  sync: string,
): Map<string, Somebody> {
  const everybody = new Map<string, Somebody>();
  for (const person of named) {
    const { identification } = person;
    const key = identification.toLowerCase();
    if (!everybody.has(key)) everybody.set(key, { identification, person });
  }
  for (const { identification } of toDisable) {
    const key = identification.toLowerCase();
    if (!everybody.has(key)) everybody.set(key, { identification, person: undefined });
  }
  for (const { identification, owner, removed } of ledger) {
    const key = identification.toLowerCase();
    if (owner !== sync || removed !== undefined || everybody.has(key)) continue;
    everybody.set(key, { identification, person: undefined });
  }
  return everybody;
}

/** Design, "Matching": whom two records, two users or an e-mail make ambiguous. */
function findConflicts(
  named: readonly (Person | RejectedPerson)[],
  everybody: ReadonlyMap<string, Somebody>,
  users: readonly User[],
  settings: SyncSettings,
): { readonly conflicts: Set<string>; readonly claims: Map<string, string> } {
  const conflicts = new Set<string>();
  const claims = new Map<string, string>();
  for (const [i, { identification }] of named.entries()) {
    const key = identification.toLowerCase();
    if (named.some((other, j) => j !== i && other.identification.toLowerCase() === key)) conflicts.add(key);
  }
  for (const { identification } of users) {
    const key = identification.toLowerCase();
    if (everybody.has(key) && everybody.get(key)?.identification !== identification) conflicts.add(key);
    if (users.filter((other) => other.identification === identification).length > 1) conflicts.add(key);
  }
  if (!settings.match.includes('email')) return { conflicts, claims };
  const wishes = wishesOf(everybody);
  for (const { key, email } of wishes) {
    if (wishes.some((other) => other.key !== key && other.email === email)) conflicts.add(key);
  }
  for (const user of users) {
    const key = user.identification.toLowerCase();
    const wish = wishes.find(({ email }) => email === user.fields.email?.toLowerCase());
    if (wish === undefined || wish.key === key) continue;
    const owner = everybody.get(key);
    const isHeld =
      (isActive(owner?.person) && owner.person.isInScope) ||
      (settings.parkEmail !== undefined && isParkable(everybody.get(wish.key)?.person, owner?.person, user));
    const known = claims.get(wish.key);
    const isTaken = [...claims].some(([other, holder]) => holder === key && other !== wish.key);
    if (isHeld && !isTaken && (known === undefined || known === key)) {
      claims.set(wish.key, key);
      continue;
    }
    conflicts.add(wish.key);
    if (owner === undefined) continue;
    if (owner.person === undefined || isConversion(everybody.get(wish.key)?.person, owner.person, user))
      conflicts.add(key);
  }
  return { conflicts, claims };
}

/**
 * A user of ours in no record or of a leaver, and a new employee of the same first name, birth date and first day: perhaps
 * one person.
 */
function addRenamed(
  conflicts: Set<string>,
  everybody: ReadonlyMap<string, Somebody>,
  users: readonly User[],
  { mapping }: SyncSettings,
): void {
  const isMapped = ([name]: readonly [string, unknown]) => Object.hasOwn(mapping.fields, name);
  for (const { identification, fields, enabled } of users) {
    const key = identification.toLowerCase();
    const gone = everybody.get(key);
    const mayLeave = isLeaver(gone?.person) && gone.person.isInScope && enabled && !conflicts.has(key);
    const left = mayLeave ? gone?.person : undefined;
    const likeness = datesOf(
      Object.fromEntries(
        Object.entries({ ...fields, ...(left?.kind === 'person' ? left.fields : {}) }).filter(isMapped),
      ),
    );
    const isGone = gone?.identification === identification && (gone.person === undefined || left !== undefined);
    if (!isGone || likeness === undefined) continue;
    for (const [other, { identification: name, person }] of everybody) {
      const isNew = isActive(person) && !users.some((user) => user.identification === name);
      if (isNew && datesOf(person.fields) === likeness) conflicts.add(other).add(key);
    }
  }
}

/** The first name, birth date and first day; without a birth date, the whole name and the first day. */
function datesOf({ firstName, lastName, birthDate, orgEntryDate }: FieldValues): string | undefined {
  if (firstName && birthDate) return `${firstName}, ${birthDate}, ${orgEntryDate ?? ''}`.toLowerCase();
  return firstName && lastName && orgEntryDate ? `${firstName} ${lastName}, ${orgEntryDate}`.toLowerCase() : undefined;
}

function nameOf({ firstName = '', lastName = '' }: FieldValues): string {
  return `${firstName} ${lastName}`.toLowerCase();
}

function isOnePerson(one: FieldValues, other: FieldValues): boolean {
  return (one.birthDate && one.birthDate === other.birthDate) || nameOf(one) === nameOf(other);
}

/** The e-mails of active employees in scope. */
function wishesOf(everybody: ReadonlyMap<string, Somebody>): { readonly key: string; readonly email: string }[] {
  return [...everybody].flatMap(([key, { person }]) => {
    const email = isActive(person) && person.isInScope ? person.fields.email : undefined;
    return email === undefined || email === '' ? [] : [{ key, email: email.toLowerCase() }];
  });
}

/** A leaver in scope who looks like the person who wants their e-mail. */
function isConversion(claimant: Somebody['person'], owner: Person | RejectedPerson, user: User): boolean {
  if (claimant?.kind !== 'person' || owner.kind !== 'person') return false;
  const isLeaving = owner.standing === 'leaver' && owner.isInScope && user.enabled;
  return isLeaving && isOnePerson(claimant.fields, { ...user.fields, ...owner.fields });
}

/** A leaver in scope whose account, once disabled, may give its e-mail to an employee who is another person. */
function isParkable(claimant: Somebody['person'], owner: Somebody['person'], user: User): boolean {
  if (!isLeaver(owner) || !owner.isInScope) return false;
  return !(claimant?.kind === 'person' && isOnePerson(claimant.fields, { ...user.fields, ...owner.fields }));
}

function isLeaver(person: Person | RejectedPerson | undefined): person is Person {
  return person?.kind === 'person' && person.standing === 'leaver';
}

function isActive(person: Person | RejectedPerson | undefined): person is Person {
  return person?.kind === 'person' && person.standing === 'active';
}

/** Who wants the e-mail of an active employee waits unless that one's own change gives it up, and so do all of a circle. */
function addWaiting(
  conflicts: Set<string>,
  claims: ReadonlyMap<string, string>,
  { moves, isStranger }: Readonly<Record<'moves' | 'isStranger', (key: string) => boolean>>,
): void {
  const stuck = new Set<string>();
  for (let isNew = true; isNew; ) {
    const isFree = (key: string): boolean => !stuck.has(key) && moves(key);
    const waiting = [...claims].filter(([key, holder]) => !conflicts.has(key) && !stuck.has(key) && !isFree(holder));
    for (const [key] of waiting) stuck.add(key);
    isNew = waiting.length > 0;
  }
  for (const key of stuck) if (!isStranger(key)) conflicts.add(key);
  for (const [key] of claims) {
    const members = [key];
    let at: string | undefined = claims.get(key);
    for (; at !== undefined && at !== key && members.length < claims.size; at = claims.get(at)) members.push(at);
    if (at === key && !members.every(isStranger)) conflicts.add(key);
  }
}

/** Number of identifications under which two people with unlike names, and unlike e-mails or family names, work here. */
function sharedNames(mapped: readonly Mapped[]): number {
  const people = mapped.filter((one): one is Person => one.kind === 'person');
  const active = people.filter(({ standing }) => standing === 'active');
  const unlike = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && a.toLowerCase() !== b.toLowerCase();
  const isShared = (one: Person): boolean =>
    active.some(({ identification, fields: { firstName, lastName, email } }) => {
      const isUnlike = unlike(email, one.fields.email) || unlike(lastName, one.fields.lastName);
      return identification === one.identification && unlike(firstName, one.fields.firstName) && isUnlike;
    });
  return new Set(active.filter(isShared).map(({ identification }) => identification)).size;
}
