import { numberDamage, otherForms } from '../../core/guard/damage.ts';
import { openBudget } from '../../core/person/field-rule.ts';
import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import type { Mapped, Person } from '../../core/person/person.ts';
import { countingRecord } from '../../core/person/prefer.ts';
import type { User } from '../../core/person/user.ts';
import { likenessKey } from '../../core/plan/neighbors.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf, shellWord } from '../../core/run/formats.ts';
import type { Spool } from '../../ports/runtime.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { pointRequest, type Reading } from '../read/choose-read.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';
import { type Candidates, readKept } from './kept-users.ts';

export interface ConfirmJob {
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
export async function confirmGone(job: ConfirmJob, io: EngineIo): Promise<number> {
  const { index, candidates, find } = job;
  const gone = candidates.slots.filter((slot, at) => isAtStake(slot, candidates.places[at] as number, job));
  if (gone.length === 0) return 0;
  const names = gone.map((slot) => index.person(slot).identification);
  const looked = await lookUp(names, job, io);
  let left = 0;
  for (const [at, slot] of gone.entries()) {
    const identification = names[at] ?? '';
    const why = looked.gap ?? doubtAbout(looked.records.get(identification.toLowerCase()), identification);
    if (why === undefined) continue;
    left += 1;
    index.set(slot, mark.conflict);
    const message = `the delta read reported the person as gone, but a second lookup did not confirm this: the source ${why}. The user is not changed, and later runs check again`;
    find({ code: 'gone-unconfirmed', identification, message });
  }
  return left;
}

/** Returns whether the delta would cause a change to the person's account. */
function isAtStake(slot: number, place: number, { sync, index, spool }: ConfirmJob): boolean {
  const { outOfScope, remove } = sync.settings;
  if (index.has(slot, mark.conflict)) return false;
  const isGone = index.has(slot, mark.outOfScope) ? outOfScope === 'disable' : index.has(slot, mark.leaver);
  if (!isGone) return false;
  if (remove !== 'never') return true;
  const user = readKept(spool, place);
  return typeof user === 'string' || user.enabled;
}

type Known = Exclude<Mapped, { kind: 'unreadable' }>;

interface LookedUp {
  /** By identification, case-insensitive. */
  readonly records: ReadonlyMap<string, readonly Known[]>;
  /** Why the read allows no conclusion. */
  readonly gap: string | undefined;
}

async function lookUp(names: readonly string[], { sync, signal }: ConfirmJob, io: EngineIo): Promise<LookedUp> {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const records = new Map<string, Known[]>();
  const now = io.clock.now();
  const budget = openBudget(signal);
  const sourceIo = { clock: io.clock, logger: io.logger, signal, previous: undefined };
  const reading = sync.source.read(pointRequest(names, sync), sourceIo);
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) {
        return { records, gap: next.value.complete ? undefined : 'did not answer the lookup completely' };
      }
      const page = await Promise.all(next.value.records.map((record) => sync.mapping.map(record, now, budget)));
      signal.throwIfAborted();
      for (const mapped of page) {
        if (mapped.kind === 'unreadable') continue;
        const key = mapped.identification.toLowerCase();
        if (wanted.has(key)) records.set(key, [...(records.get(key) ?? []), mapped]);
      }
    }
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

/**
 * Returns the reason not to change the person's account; undefined when the source confirms that the person is gone.
 */
function doubtAbout(records: readonly Known[] | undefined, name: string): string | undefined {
  const [first, ...others] = records ?? [];
  if (first === undefined) return 'does not know the person';
  if ([first, ...others].some(({ identification }) => identification !== name)) {
    return others.length > 0
      ? `has ${countOf(others.length + 1, 'record')} of the person`
      : 'has the person with another spelling of the identification';
  }
  const counts = countingRecord([first, ...others]);
  if (counts !== undefined) return isGone(counts) ? undefined : 'no longer reports the person as gone';
  return others.length > 0
    ? `has ${countOf(others.length + 1, 'record')} of the person, which contradict each other`
    : 'has a record that cannot be used';
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
  let newPeople: ReadonlyMap<string, readonly number[]> | undefined;
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
    for (const form of otherForms(user.identification, index.zeroWidths)) {
      const twin = index.find(form);
      if (twin.slot !== -1 && twin.isExact && isNew(index, twin.slot)) pair(twin.slot, slot, user);
    }
    const likeness = likenessKey(onlyMapped(user.fields, sync));
    if (likeness === undefined || index.has(slot, mark.conflict)) continue;
    newPeople ??= newByLikeness(index);
    for (const person of newPeople.get(likeness) ?? []) pair(person, slot, user);
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

/** The people without an account who should have one, by what they would keep under another identification. */
function newByLikeness(index: PeopleIndex): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (let slot = 0; slot < index.size; slot += 1) {
    if (!isNew(index, slot) || !index.has(slot, mark.active)) continue;
    const person = index.person(slot);
    const likeness = person.kind === 'person' ? likenessKey(person.fields) : undefined;
    if (likeness !== undefined) found.set(likeness, [...(found.get(likeness) ?? []), slot]);
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
