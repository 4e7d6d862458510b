import { damageKey, numberDamage, otherForms } from '../../core/guard/damage.ts';
import { openBudget } from '../../core/person/field-rule.ts';
import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import type { Mapped, Person } from '../../core/person/person.ts';
import { countingRecord } from '../../core/person/prefer.ts';
import type { User } from '../../core/person/user.ts';
import { entryOf, type MissingUser, usersAtStake } from '../../core/plan/ledger-steps.ts';
import { likenessKey } from '../../core/plan/neighbors.ts';
import type { SourceSays } from '../../core/plan/plan.ts';
import { absentInLookup, certifySnapshot, type MissingProof, type Snapshot } from '../../core/plan/snapshot.ts';
import { chunk } from '../../core/run/batch.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf, shellWord } from '../../core/run/formats.ts';
import type { Spool } from '../../ports/runtime.ts';
import { rulesOn } from '../clock-span.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { pointRequest, type Reading } from '../read/choose-read.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';
import { sayOf } from '../read/source-says.ts';
import { type Candidates, readKept } from './kept-users.ts';

/** Asks the source again about some people. */
export interface AskJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly candidates: Candidates;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
}

/**
 * Asks the source again about people whom a delta reports as gone. A delta shows only changed records, not all records
 * of a person. A person who was hired again under the same number also has an old record, which may be edited today. A
 * person whom the second lookup does not confirm as gone is not changed, and is reported. Returns the number of such
 * people.
 */
export async function confirmGone(job: AskJob, io: EngineIo): Promise<number> {
  const { index, candidates, find } = job;
  const gone = candidates.slots.filter((slot, at) => isAtStake(slot, candidates.places[at] as number, job));
  const names = gone.map((slot) => index.person(slot).identification);
  const { answers } = await askSource(names, job, io);
  let left = 0;
  for (const [at, slot] of gone.entries()) {
    const identification = names[at] ?? '';
    const answer = answers.get(identification) ?? notAsked;
    if (answer.kind === 'known' && isGone(answer.person)) continue;
    left += 1;
    index.set(slot, mark.conflict);
    const why = answer.kind === 'known' ? 'no longer reports the person as gone' : answer.why;
    const message = `the delta read reported the person as gone, but a second lookup did not confirm this: the source ${why}. The user is not changed, and later runs check again`;
    find({ code: 'gone-unconfirmed', identification, message });
  }
  return left;
}

/** Returns whether the delta would cause a change to the person's account. */
function isAtStake(slot: number, place: number, { sync, index, spool }: AskJob): boolean {
  const { outOfScope, remove } = sync.settings;
  if (index.has(slot, mark.conflict)) return false;
  const isGone = index.has(slot, mark.outOfScope) ? outOfScope === 'disable' : index.has(slot, mark.leaver);
  if (!isGone) return false;
  if (remove !== 'never') return true;
  const user = readKept(spool, place);
  return typeof user === 'string' || user.enabled;
}

/** What lookups show of the people whom a full read lacks. */
export interface AskedAbsent {
  /** What the source says about those whose disable or remove depends on it, by slot. */
  readonly said: ReadonlyMap<number, SourceSays>;
  /** Number of people looked up. */
  readonly asked: number;
}

/** Stops a run from waiting for long for the HR system because of its own doubts. */
const defaultCap = 100;

/**
 * Looks up the people whose absence from a full read may get them disabled or removed, at most as many as
 * `guards.disables.cap`. A full read can lack a person for other reasons: a filter, a permission, a record in motion. Who
 * was not looked up, or without a clear answer, is not missing in this read.
 */
export async function askAbsent(
  job: AskJob,
  { snapshot, blocked }: { readonly snapshot: Snapshot; readonly blocked: ReadonlyMap<string, unknown> },
  io: EngineIo,
): Promise<AskedAbsent> {
  const { sync, find } = job;
  const { missing, leavers } = snapshot;
  const said = new Map<number, SourceSays>();
  if (missing === undefined || leavers === undefined || !canLookUp(sync)) return { said, asked: 0 };
  const absent = (await absentUsers(job, io)).filter(({ identification }) => !blocked.has(identification));
  const atStake = usersAtStake(absent, rulesOn(io.clock, sync.settings), io.clock.now());
  const cap = sync.settings.guards.disables.cap ?? defaultCap;
  const chosen = atStake.slice(0, cap);
  const { answers, lookup, refusal } = await askSource(chosen.map(nameOf), job, io);
  if (refusal !== undefined) {
    const message = `people who are missing cannot be looked up by id, so only full reads count their absence: ${refusal}`;
    find({ code: 'lookup-refused', message });
    return { said, asked: chosen.length };
  }
  for (const { slot, identification } of chosen) {
    const answer = answers.get(identification) ?? notAsked;
    const says = lookup === undefined ? undefined : sayAfter(answer, missing, lookup);
    const reason = 'missing from the full read';
    if (says?.says === 'active' || says?.says === 'nothing') {
      const found = says.says === 'active' ? says.person.standingReason : says.reason;
      const message = `${reason}, but found by a lookup by id: ${found}. The user is not changed, and the count of absences starts again. Check what the full read leaves out: a filter, a permission, or a page`;
      said.set(slot, { says: 'nothing', reason: message, isSeen: true });
      find({ code: 'missing-found', identification, message });
    } else if (says === undefined || says.says === 'unusable') {
      const why = says?.reason ?? (answer.kind === 'known' ? '' : `the source ${answer.why}`);
      const message = `${reason}, and a lookup by id was not clear: ${why}. The absence is not counted, and the user is not changed. Later runs look the person up again`;
      said.set(slot, { says: 'unconfirmed', reason: message });
      find({ code: 'missing-unconfirmed', identification, message });
    } else said.set(slot, says);
  }
  const others = atStake.slice(cap);
  const reason = `missing from the full read, and not looked up by id in this run, which looks up ${cap} people`;
  for (const { slot } of others) said.set(slot, { says: 'unconfirmed', reason });
  if (others.length > 0) {
    const message = `${countOf(others.length, 'person', 'people')} missing from the full read were not looked up by id, because a run looks up at most ${cap} (guards.disables.cap), those nearest to their disable first. Their absence is not counted in this run`;
    find({ code: 'missing-unconfirmed', message });
  }
  return { said, asked: chosen.length };
}

/** Returns what the source says about a missing person after a lookup. Undefined when the answer is not clear. */
function sayAfter(answer: Answer, missing: MissingProof, lookup: Snapshot): SourceSays | undefined {
  if (answer.kind === 'known') return sayOf(answer.person, lookup);
  const proof = answer.kind === 'absent' ? absentInLookup(missing, lookup) : undefined;
  return proof && { says: 'missing', proof };
}

/** Returns whether the source can look people up by the key of the mapping, without reading everyone again. */
function canLookUp({ source, mapping }: Sync): boolean {
  const field = mapping.identificationField;
  return source.capabilities.point && field !== undefined && source.looksUp?.(field) !== false;
}

/** Returns the users of ours on the platform whom no record of the source names. */
async function absentUsers({ sync, index, spool, candidates }: AskJob, io: EngineIo) {
  const places = new Map<number, number>();
  for (const [at, slot] of candidates.slots.entries()) {
    const isAbsent = !index.hasAny(slot, mark.inSource | mark.conflict | mark.bystander);
    if (isAbsent && index.has(slot, mark.ours)) places.set(slot, candidates.places[at] as number);
  }
  const found: (MissingUser & { readonly slot: number })[] = [];
  for (const some of chunk([...places.keys()], peopleAtOnce)) {
    const names = some.map((slot) => index.person(slot).identification);
    const ledger = await io.store.ledger.getMany(sync.settings.connection, names);
    const decisions = await io.store.decisions.ofMany(sync.settings.name, names);
    for (const [at, slot] of some.entries()) {
      const identification = names[at] ?? '';
      const user = readKept(spool, places.get(slot) as number);
      const entry = typeof user === 'string' ? undefined : entryOf(user.id, ledger.get(identification));
      if (typeof user === 'string' || entry === undefined) continue;
      const known = decisions.get(identification)?.find(({ rule, endedAt }) => {
        return endedAt === undefined && (rule === 'missing-disable' || rule === 'missing-remove');
      });
      const decided = known?.state === 'open' ? undefined : known?.state;
      found.push({ slot, identification, isEnabled: user.enabled, entry, decided });
    }
  }
  return found;
}

const notAsked = { kind: 'unclear', why: 'was not asked, because earlier lookups of this run failed' } as const;

function nameOf({ identification }: { readonly identification: string }): string {
  return identification;
}

type Known = Exclude<Mapped, { kind: 'unreadable' }>;

/** What a lookup by id shows of one person. `why` continues "the source". */
type Answer =
  | { readonly kind: 'known'; readonly person: Person }
  | { readonly kind: 'absent' | 'unclear'; readonly why: string };

interface Answers {
  readonly answers: ReadonlyMap<string, Answer>;
  /** What the complete lookups prove. Undefined when none was complete. */
  readonly lookup: Snapshot | undefined;
  /** Why the source refuses every lookup, even of a person whom the full read shows. */
  readonly refusal?: string;
}

/** So many people are looked up by one read: kinds that ask for each by a request of its own read everyone above it. */
const askedAtOnce = 50;
/** After so many failed lookups, the remaining people are not asked: repeated refusals may lock the account. */
const mostFailures = 6;

/**
 * Looks people up by id in the source. A refused lookup is split, so that one person whom the source protects does not
 * hide the others. A source that does not answer is not asked again.
 */
async function askSource(names: readonly string[], job: AskJob, io: EngineIo): Promise<Answers> {
  const answers = new Map<string, Answer>();
  let lookup: Snapshot | undefined;
  let failures = 0;
  const queue = [...chunk(names, askedAtOnce)];
  for (let some = queue.shift(); some !== undefined && failures < mostFailures; some = queue.shift()) {
    try {
      const { records, snapshot } = await lookUp(some, job, io);
      if (snapshot.leavers === undefined && some.length > 1) {
        failures += 1;
        queue.unshift(...chunk(some, Math.ceil(some.length / 2)));
        continue;
      }
      if (snapshot.leavers !== undefined) lookup = snapshot;
      for (const name of some) answers.set(name, answerAbout(records.get(name.toLowerCase()), name, snapshot));
    } catch (error) {
      job.signal.throwIfAborted();
      if (!(error instanceof RollcallError)) throw error;
      failures += 1;
      const isRefused = error.retry === 'never';
      if (error.code === 'SOURCE_REFUSED' && failures === 1 && !(await knowsAnyone(job, io))) {
        return { answers, lookup, refusal: error.message };
      }
      if (isRefused && some.length > 1) queue.unshift(...chunk(some, Math.ceil(some.length / 2)));
      else for (const name of some) answers.set(name, { kind: 'unclear', why: `did not answer: ${error.message}` });
      if (!isRefused) break;
    }
  }
  return { answers, lookup };
}

/** Returns whether the source lets us look up a person whom it has just shown. */
async function knowsAnyone(job: AskJob, io: EngineIo): Promise<boolean> {
  const { index } = job;
  const slots = Array.from({ length: index.size }, (_, slot) => slot);
  const slot = slots.find((one) => index.has(one, mark.inSource | mark.usable) && !index.has(one, mark.conflict));
  if (slot === undefined) return false;
  try {
    await lookUp([index.person(slot).identification], job, io);
    return true;
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof RollcallError && error.code === 'SOURCE_REFUSED') return false;
    if (error instanceof RollcallError) return true;
    throw error;
  }
}

interface LookedUp {
  /** By identification, case-insensitive. */
  readonly records: ReadonlyMap<string, readonly Known[]>;
  readonly snapshot: Snapshot;
}

async function lookUp(names: readonly string[], { sync, signal }: AskJob, io: EngineIo): Promise<LookedUp> {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const records = new Map<string, Known[]>();
  const now = io.clock.now();
  const budget = openBudget(signal);
  let unreadable = 0;
  const sourceIo = { clock: io.clock, logger: io.logger, signal, previous: undefined };
  const reading = sync.source.read(pointRequest(names, sync), sourceIo);
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) {
        const facts = { kind: 'point', end: next.value, unreadable, readAt: now, runAt: undefined } as const;
        return { records, snapshot: certifySnapshot(facts) };
      }
      unreadable += next.value.broken.length;
      const page = await Promise.all(next.value.records.map((record) => sync.mapping.map(record, now, budget)));
      signal.throwIfAborted();
      for (const mapped of page) {
        if (mapped.kind === 'unreadable') {
          unreadable += 1;
          continue;
        }
        const key = mapped.identification.toLowerCase();
        if (wanted.has(key)) records.set(key, [...(records.get(key) ?? []), mapped]);
      }
    }
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

/** Judges the records that a lookup returned for one person. */
function answerAbout(records: readonly Known[] | undefined, name: string, snapshot: Snapshot): Answer {
  if (snapshot.leavers === undefined) return { kind: 'unclear', why: 'did not answer the lookup completely' };
  const [first, ...others] = records ?? [];
  if (first === undefined) {
    // A record without an identification may be about the person.
    return snapshot.gaps.length > 0
      ? { kind: 'unclear', why: 'has a record that cannot be used' }
      : { kind: 'absent', why: 'does not know the person' };
  }
  if ([first, ...others].some(({ identification }) => identification !== name)) {
    const why =
      others.length > 0
        ? `has ${countOf(others.length + 1, 'record')} of the person`
        : 'has the person with another spelling of the identification';
    return { kind: 'unclear', why };
  }
  const person = countingRecord([first, ...others]);
  if (person === undefined) {
    const why =
      others.length > 0
        ? `has ${countOf(others.length + 1, 'record')} of the person, which contradict each other`
        : 'has a record that cannot be used';
    return { kind: 'unclear', why };
  }
  return { kind: 'known', person };
}

function isGone({ standing, isInScope }: Person): boolean {
  return standing === 'leaver' || !isInScope;
}

interface LostZerosJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly candidates: Candidates;
  /** Some slots are bystanders. */
  readonly isFocused: boolean;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
}

/**
 * Finds people of the source without an account who are probably a user of ours whom the source does not name: by an
 * identification that is the same number, or by their name and dates. Neither is changed. Two people who are both in the
 * source, or who both have an account, are two people.
 */
export async function findLostZeros(job: LostZerosJob, io: EngineIo): Promise<void> {
  findByUser(job);
  if (job.isFocused || job.reading.kind !== 'full') await findByPerson(job, io);
}

/** Begins with the users of ours that are missing in the source: few, while the source is as it was. */
function findByUser({ index, spool, candidates, sync, find }: LostZerosJob): void {
  let newPeople: NewPeople | undefined;
  const pair = (person: number, slot: number, user: User): void => {
    const isAside = index.has(person, mark.bystander) && index.has(slot, mark.bystander);
    if (!isAside && !index.has(person, mark.conflict)) report({ person, user }, { index, sync, find });
    index.set(person, mark.conflict);
    index.set(slot, mark.conflict);
  };
  for (const [at, slot] of candidates.slots.entries()) {
    if (!index.has(slot, mark.ours) || index.has(slot, mark.inSource)) continue;
    const user = readKept(spool, candidates.places[at] as number);
    if (typeof user === 'string') continue;
    newPeople ??= findNew(index);
    for (const person of newPeople.byNumber.get(damageKey(user.identification)) ?? []) pair(person, slot, user);
    const likeness = likenessKey(onlyMapped(user.fields, sync));
    if (likeness === undefined || index.has(slot, mark.conflict)) continue;
    for (const person of newPeople.byLikeness.get(likeness) ?? []) pair(person, slot, user);
  }
}

/**
 * Begins with the people of a read of a few people, in which the users of ours that are missing have no slot. A person
 * whom the last full read named is not new.
 */
async function findByPerson({ index, sync, reading, signal, find, isFocused }: LostZerosJob, io: EngineIo) {
  const slots = Array.from({ length: index.size }, (_, slot) => slot).filter((slot) => {
    return isNew(index, slot) && !index.has(slot, mark.bystander) && !index.has(slot, mark.conflict);
  });
  const isWhole = isFocused || (reading.kind === 'point' && reading.readsAll);
  const roster = isWhole ? undefined : await io.store.rosters.open(sync.settings.name);
  const { connection, name } = sync.settings;
  for (const some of chunk(slots, peopleAtOnce)) {
    const people = some.map((slot) => {
      const { identification } = index.person(slot);
      return { slot, identification, forms: otherForms(identification) };
    });
    const forms = people.flatMap((person) => person.forms);
    if (forms.length === 0) continue;
    const known = await io.store.ledger.getMany(connection, forms);
    const listed = await roster?.people(people.map(({ identification }) => identification));
    for (const person of people) {
      const isListed = listed?.get(person.identification)?.some(({ isExact }) => isExact) === true;
      const gone = person.forms.find((form) => {
        const entry = known.get(form);
        return entry?.owner === name && entry.removed === undefined && !isInSource(index, form);
      });
      if (isListed || gone === undefined) continue;
      const lookup = await sync.platform.find(gone, signal);
      if (lookup.found !== true) continue;
      report({ person: person.slot, user: lookup.user }, { index, sync, find });
      index.set(person.slot, mark.conflict);
    }
  }
}

const peopleAtOnce = 100;

/** The people of the source without an account: by their number, and those who should have one by their likeness. */
interface NewPeople {
  readonly byNumber: ReadonlyMap<string, readonly number[]>;
  readonly byLikeness: ReadonlyMap<string, readonly number[]>;
}

function findNew(index: PeopleIndex): NewPeople {
  const found = { byNumber: new Map<string, number[]>(), byLikeness: new Map<string, number[]>() };
  for (let slot = 0; slot < index.size; slot += 1) {
    if (!isNew(index, slot)) continue;
    const person = index.person(slot);
    const add = (map: Map<string, number[]>, key: string) => map.set(key, [...(map.get(key) ?? []), slot]);
    add(found.byNumber, damageKey(person.identification));
    if (person.kind !== 'person' || !index.has(slot, mark.active)) continue;
    const likeness = likenessKey(person.fields);
    if (likeness !== undefined) add(found.byLikeness, likeness);
  }
  return found;
}

/** Leaves the fields that the source shows too. */
function onlyMapped(fields: FieldValues, { mapping }: Sync): FieldValues {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => mapping.fields.includes(name as FieldName)));
}

function isNew(index: PeopleIndex, slot: number): boolean {
  return index.has(slot, mark.inSource) && !index.has(slot, mark.seen);
}

function isInSource(index: PeopleIndex, identification: string): boolean {
  const { slot, isExact } = index.find(identification);
  return slot !== -1 && isExact && index.has(slot, mark.inSource);
}

/** The pair has one first name, date of birth and first day at work. */
const sameAdvice = 'They have the same first name, date of birth and first day at work';

function report(
  { person: slot, user }: { readonly person: number; readonly user: User },
  { index, sync, find }: Pick<LostZerosJob, 'index' | 'sync' | 'find'>,
): void {
  const person = index.person(slot);
  const { identification } = person;
  const at = 'at' in person ? person.at : 'no record';
  const other = user.identification;
  const { how, advice } = numberDamage(identification, other) ?? {
    how: 'look like the same person',
    advice: sameAdvice,
  };
  const message =
    `${identification} (${at}) and platform user ${other}, which the source does not name, ${how}: ` +
    `neither is changed. ${advice}. ` +
    `"rollcall adopt ${sync.settings.name} ${shellWord(identification)}" accepts the new identification`;
  find({ code: 'rename-conflict', identification, message, other, account: user });
  find({ code: 'rename-conflict', identification: other, message });
}
