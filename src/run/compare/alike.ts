import { setImmediate as nextTurn } from 'node:timers/promises';
import { isRewritten, otherForms, rewritten, writtenKey } from '../../core/guard/damage.ts';
import type { FieldName, FieldValues, User } from '../../core/person/fields.ts';
import { isEqualPerson, likenessKey, nameKey, tellingFields } from '../../core/person/same-person.ts';
import { openStanding, type Standing } from '../../core/plan/standing.ts';
import { chunk } from '../../core/run/batch.ts';
import { countOf, formatMinute, shellWord } from '../../core/run/formats.ts';
import { chooseForm } from '../../core/setup/forms.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { Reading } from '../read/choose-read.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import { type AskJob, askSource, canLookUp } from './doubtful-people.ts';
import { isEqualUser, readKept } from './kept-users.ts';

/* A person of the source and an account that seem to be one person: see `core/plan/standing.ts`. */

/** Returns what people decided about two of the sync, and about accounts that no sync owns. */
export async function readStanding({ name, connection }: Sync['settings'], io: EngineIo): Promise<Standing> {
  const all = await io.store.standing.list(connection, io.clock.now());
  return openStanding(all.filter(({ sync }) => sync === name));
}

/**
 * Gives the accounts to disable a slot, because no record names them. Only a full read shows that HR has no such person,
 * and one that is about a few people has slots for them.
 */
export function fileAccounts({
  index,
  reading,
  standing,
  isFocused,
}: Pick<AlikeJob, 'index' | 'reading' | 'standing' | 'isFocused'>): void {
  if (reading.kind !== 'full' || isFocused) return;
  for (const name of [...standing.accounts.keys(), ...standing.ofTwo.map(({ other }) => other)]) {
    if (standing.disables(name) && index.find(name).slot === -1) index.name(index.add(name), name);
  }
}

/** The command that decides about the two, for the end of a message. */
export function adoptOf({ settings: { name } }: Sync, identification: string): string {
  return `"rollcall adopt ${name} ${shellWord(identification)}"`;
}

interface AlikeJob extends AskJob {
  readonly reading: Reading;
  /** Some slots are bystanders. */
  readonly isFocused: boolean;
  readonly standing: Standing;
}

/**
 * Leaves people and accounts as they are, as a person decided. Without a record of the person, the decision has no
 * object: the account is decided by its own record.
 */
export function leaveAsDecided({
  index,
  reading,
  standing,
  find,
}: Pick<AlikeJob, 'index' | 'reading' | 'standing' | 'find'>): void {
  for (const { way, identification, other, until = 0, by, why } of standing.ofTwo) {
    if (way !== 'leave') continue;
    const person = slotOf(index, identification);
    const account = slotOf(index, other);
    const isNamed = person !== undefined && index.has(person, mark.inSource);
    if (!isNamed && reading.kind === 'full') continue;
    const worksUnderOwn = account !== undefined && index.has(account, mark.inSource | mark.active);
    const kept = [isNamed ? person : undefined, worksUnderOwn ? undefined : account].filter(
      (slot) => slot !== undefined,
    );
    for (const slot of kept) index.set(slot, mark.conflict | mark.left);
    if (kept.every((slot) => index.has(slot, mark.bystander))) continue;
    const message = `${identification} is left out, and the account of ${other} is kept, until ${formatMinute(until)}. ${by} decided this${why === undefined ? '' : `: ${why}`}`;
    find({ code: 'left-as-decided', identification, message, other });
  }
}

/** A person of a read, and a user who has the same name and dates. */
interface Alike {
  readonly slot: number;
  readonly user: User;
}

/** Watches the users of the platform: leavers, and those who look like a person of a read that does not compare all people. */
export type LikenessWatch = ReturnType<typeof openLikeness>;

/** Where a read compares all people, `findAlike` begins with the users of ours that are missing, and this sees leavers only. */
export function openLikeness(index: PeopleIndex, { mapping }: Sync, comparesAll: boolean) {
  const found: Alike[] = [];
  const leavers: User[] = [];
  let people: SlotsByKey | undefined;
  return {
    /** Called for each user. `slot`: of the user, or -1. */
    see(user: User, slot: number) {
      const isInSource = slot !== -1 && index.has(slot, mark.inSource);
      if (isInSource && user.enabled && index.has(slot, mark.leaver) && !index.has(slot, mark.outOfScope))
        leavers.push(user);
      if (comparesAll || isInSource) return;
      people ??= byLikeness(index, (one) => !index.has(one, mark.bystander));
      if (people.isEmpty()) return;
      for (const one of people.of(likenessKey(onlyMapped(user.fields, mapping.fields))))
        found.push({ slot: one, user });
    },
    /** Returns whether a user can look like the slot's person. */
    seeks(slot: number) {
      const person = comparesAll ? undefined : index.person(slot);
      return person?.kind === 'person' && likenessKey(person.fields) !== undefined;
    },
    found,
    /** Enabled users whose records in scope say that they left. */
    leavers,
  };
}

/**
 * Finds people of the source without an account who are probably a user of ours whom the source does not name: by an
 * identification that is the same but for how it is written, by their name and dates, or by their name and
 * what else is equal. The user may also be a leaver's. Neither is changed. Two who are both active in the source, or who
 * both have an account, are two people.
 */
export async function findAlike(
  job: AlikeJob,
  { found, leavers }: Pick<LikenessWatch, 'found' | 'leavers'>,
  io: EngineIo,
): Promise<void> {
  tellWriting(await findByUser(job, leavers), job);
  if (job.isFocused || job.reading.kind !== 'full') await findByPerson(job, found, io);
}

/**
 * Begins with leavers, and with the users that are missing in the source and are ours, or are to be disabled: few, while
 * the source is as it was.
 */
async function findByUser(job: AlikeJob, leavers: readonly User[]): Promise<Rewritten> {
  const { index, spool, candidates, sync, standing } = job;
  let newPeople: Awaited<ReturnType<typeof openNewPeople>> | undefined;
  const pairs: Rewritten[number][] = [];
  let protectedUsers = 0;
  const protect = async (user: User, absence: string): Promise<void> => {
    newPeople ??= await openNewPeople(index);
    const shown = { ...user, fields: onlyMapped(user.fields, sync.mapping.fields) };
    for (const person of newPeople.like(shown)) {
      protectBoth(person, user, job, absence);
      const { identification: ours } = index.person(person);
      if (isRewritten(ours, user.identification)) pairs.push({ ours, theirs: user.identification });
    }
    protectedUsers += 1;
    if (protectedUsers % perTurn === 0) await nextTurn();
  };
  for (const user of leavers) {
    const { slot } = index.find(user.identification);
    const { fields } = { fields: {}, ...index.person(slot) };
    if (!index.has(slot, mark.conflict)) await protect({ ...user, fields: { ...user.fields, ...fields } }, leaver);
  }
  for (const [at, slot] of candidates.slots.entries()) {
    if (index.has(slot, mark.inSource)) continue;
    if (!index.has(slot, mark.ours) && !standing.disables(index.person(slot).identification)) continue;
    const user = readKept(spool, candidates.places[at] as number);
    if (isEqualUser(user)) continue;
    await protect(user, 'not in the source');
  }
  return pairs;
}

/** Identifications of the source, each with that of an account which differs only in how it is written. */
type Rewritten = readonly { readonly ours: string; readonly theirs: string }[];

/** Fewer identifications have only a finding each. */
const fewestRewritten = 3;

/** Tells once of a column that is written in another way than the accounts, with the expression that undoes it. */
function tellWriting(pairs: Rewritten, { sync: { mapping }, find }: Pick<AlikeJob, 'sync' | 'find'>): void {
  const { identificationField: column } = mapping;
  if (pairs.length < fewestRewritten || column === undefined) return;
  const { form, equal } = chooseForm(pairs);
  if (form.says === '' || equal < pairs.length) return;
  const expression = form.wrap(/^\w+$/.test(column) ? column : `\`${column}\``);
  const message = `${column} is written differently than before in ${countOf(pairs.length, 'row')}. To read it as before (${form.says}), set mapping.identification.expression: ${expression}`;
  find({ code: 'cell-suspect', message });
}

/** People and users who are compared before other work of this process runs. */
const perTurn = 100;

const leaver = 'a leaver';

/**
 * Begins with the people of a read of a few people, in which the users of ours that are missing have no slot. Two whom
 * the last full read both named are two people.
 */
async function findByPerson(job: AlikeJob, alike: readonly Alike[], io: EngineIo): Promise<void> {
  const { index, sync, reading, signal, isFocused } = job;
  const slots = Array.from({ length: index.size }, (_, slot) => slot).filter((slot) => {
    return isNew(index, slot) && !index.has(slot, mark.bystander) && !index.has(slot, mark.conflict);
  });
  const isWhole = isFocused || (reading.kind === 'point' && reading.readsAll);
  const roster = isWhole ? undefined : await io.store.rosters.open(sync.settings.name);
  const { connection, name } = sync.settings;
  for (const some of chunk(slots, peopleAtOnce)) {
    const people = some.map((slot) => {
      const { identification } = index.person(slot);
      const users = alike.filter((one) => one.slot === slot).map(({ user }) => user);
      const forms = [...otherForms(identification), ...users.map((user) => user.identification)];
      return { slot, identification, users, forms };
    });
    const forms = people.flatMap((person) => person.forms);
    if (forms.length === 0) continue;
    const known = await io.store.ledger.getMany(connection, forms);
    const listed = await roster?.people([...people.map(({ identification }) => identification), ...known.keys()]);
    const isListed = (one: string): boolean => listed?.get(one)?.some(({ isExact }) => isExact) === true;
    for (const { slot, identification, users, forms } of people) {
      const isOurs = (form: string): boolean => {
        const entry = known.get(form);
        if (entry?.owner !== name || entry.removed !== undefined || isInSource(index, form)) return false;
        return !(isListed(identification) && isListed(form));
      };
      for (const form of forms.filter(isOurs)) {
        const lookup = await sync.platform.find(form, signal);
        if (lookup.found !== true) continue;
        const isAlike = users.some((user) => user.identification === form);
        if (isAlike && !isWhole && (await worksStill(form, job, io))) continue;
        protectBoth(slot, lookup.user, job, isAlike && !isWhole ? 'not in this read' : 'not in the source');
      }
    }
  }
}

/** Returns whether the source knows the user as an employee too, so that the two are two people. */
async function worksStill(identification: string, job: AlikeJob, io: EngineIo): Promise<boolean> {
  if (!canLookUp(job.sync)) return false;
  const answer = (await askSource([identification], job, io)).answers.get(identification);
  return answer?.kind === 'known' && answer.person.standing === 'active';
}

const peopleAtOnce = 100;

/** From so many people it shows which fields tell them apart. */
const sampled = 300;

/** Finds the new people of a read who may be the user of an account that the read does not name. Reads each of them once. */
async function openNewPeople(
  index: PeopleIndex,
): Promise<{ like(user: Pick<User, 'identification' | 'fields'>): Iterable<number> }> {
  const fieldsOf = (slot: number): FieldValues => ({ fields: {}, ...index.person(slot) }).fields;
  const [byWriting, byLike, byName] = [openSlots(), openSlots(), openSlots()];
  const sample: FieldValues[] = [];
  let people = 0;
  for (let slot = 0; slot < index.size; slot += 1) {
    const isSampled = sample.length < sampled && index.has(slot, mark.inSource | mark.active);
    if (!isSampled && !isNew(index, slot)) continue;
    const { kind, identification, fields } = { fields: {}, ...index.person(slot) };
    if (isSampled) sample.push(fields);
    if (isNew(index, slot)) {
      const isActive = index.has(slot, mark.active);
      byWriting.add(writtenKey(identification) || undefined, slot);
      byLike.add(isActive && kind === 'person' ? likenessKey(fields) : undefined, slot);
      byName.add((isActive && nameKey(fields)) || undefined, slot);
    }
    people += 1;
    if (people % perTurn === 0) await nextTurn();
  }
  const telling = byName.isEmpty() ? new Set<string>() : tellingFields(sample);
  return {
    like({ identification, fields }) {
      const named = byName.of(nameKey(fields));
      return new Set([
        ...byWriting.of(writtenKey(identification)),
        ...byLike.of(likenessKey(fields)),
        ...named.filter((slot) => isEqualPerson(fieldsOf(slot), fields, telling)),
      ]);
    },
  };
}

/** Returns people who should have an account by their likeness. */
function byLikeness(index: PeopleIndex, isMeant: (slot: number) => boolean): SlotsByKey {
  const found = openSlots();
  for (let slot = 0; slot < index.size; slot += 1) {
    const person = index.has(slot, mark.inSource | mark.active) && isMeant(slot) ? index.person(slot) : undefined;
    if (person?.kind === 'person') found.add(likenessKey(person.fields), slot);
  }
  return found;
}

type SlotsByKey = ReturnType<typeof openSlots>;

/** Keeps slots by a key. Undefined is no key. */
function openSlots() {
  const all = new Map<string, number[]>();
  return {
    isEmpty: () => all.size === 0,
    of: (key: string | undefined): readonly number[] => (key === undefined ? [] : (all.get(key) ?? [])),
    add(key: string | undefined, slot: number): void {
      if (key === undefined) return;
      const known = all.get(key);
      if (known === undefined) all.set(key, [slot]);
      else known.push(slot);
    },
  };
}

/** Leaves the fields that the source shows too. */
function onlyMapped(fields: FieldValues, mapped: readonly FieldName[]): FieldValues {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => mapped.includes(name as FieldName)));
}

function isNew(index: PeopleIndex, slot: number): boolean {
  return index.has(slot, mark.inSource) && !index.has(slot, mark.seen);
}

function slotOf(index: PeopleIndex, identification: string): number | undefined {
  const { slot, isExact } = index.find(identification);
  return slot !== -1 && isExact ? slot : undefined;
}

function isInSource(index: PeopleIndex, identification: string): boolean {
  const slot = slotOf(index, identification);
  return slot !== undefined && index.has(slot, mark.inSource);
}

/** The two have one first name, date of birth and first day at work, or one name and other fields. */
const alike = { how: 'look like one person (name, birth date, first day)', advice: 'Correct one identification' };
const resembling = { ...alike, how: 'look like one person (same name and other details)' };

/** Protects the person and the user, and reports them, unless a person decided about them. `absence`: of the user's record. */
function protectBoth(person: number, user: User, { index, sync, find, standing }: AlikeJob, absence: string): void {
  const { identification, ...record } = index.person(person);
  const other = user.identification;
  if (standing.way(identification, other) !== undefined) return;
  const slot = slotOf(index, other);
  const isReported = index.has(person, mark.conflict);
  const isAside = index.has(person, mark.bystander) && slot !== undefined && index.has(slot, mark.bystander);
  index.set(person, mark.conflict);
  if (slot !== undefined) index.set(slot, mark.conflict);
  if (isReported || isAside) return;
  const at = 'at' in record ? record.at : 'no record';
  const key = 'fields' in record ? likenessKey(record.fields) : undefined;
  const isAlike = key !== undefined && key === likenessKey(onlyMapped(user.fields, sync.mapping.fields));
  const { how, advice } = isRewritten(identification, other)
    ? { ...alike, how: rewritten }
    : isAlike
      ? alike
      : resembling;
  const message =
    `${identification} (${at}) and user ${other}, ${absence}, ${how}: neither is changed. ${advice}, or run ` +
    adoptOf(sync, identification);
  const code = absence === leaver ? 'conversion' : 'rename-conflict';
  find({ code, identification, message, other, account: user });
  find({ code, identification: other, message });
}
