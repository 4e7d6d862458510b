import { otherZeros, zerosAdvice } from '../../core/guard/damage.ts';
import type { User } from '../../core/person/user.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { Spool } from '../../ports/spool.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { Reading } from '../read/choose-read.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';
import { type Candidates, readKept } from './kept-users.ts';

export interface LostZerosJob {
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
 * Finds people of the source without an account whose identification differs by leading zeros only from a user of ours
 * whom the source does not name. It is probably the same person, so neither is changed. Two people who are both in the
 * source, or who both have an account, are two people.
 */
export async function findLostZeros(job: LostZerosJob, io: EngineIo): Promise<void> {
  findByUser(job);
  if (job.isFocused || job.reading.kind !== 'full') await findByPerson(job, io);
}

/** Begins with the users of ours that are missing in the source: few, while the source is as it was. */
function findByUser({ index, spool, candidates, sync, find }: LostZerosJob): void {
  for (const [at, slot] of candidates.slots.entries()) {
    if (!index.has(slot, mark.ours) || index.has(slot, mark.inSource)) continue;
    const user = readKept(spool, candidates.places[at] as number);
    if (typeof user === 'string') continue;
    for (const form of otherZeros(user.identification, index.zeroWidths)) {
      const twin = index.find(form);
      if (twin.slot === -1 || !twin.isExact || !isNew(index, twin.slot)) continue;
      const isAside = index.has(twin.slot, mark.bystander) && index.has(slot, mark.bystander);
      if (!isAside && !index.has(twin.slot, mark.conflict)) report({ person: twin.slot, user }, { index, sync, find });
      index.set(twin.slot, mark.conflict);
      index.set(slot, mark.conflict);
    }
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
      return { slot, identification, forms: otherZeros(identification) };
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

function isNew(index: PeopleIndex, slot: number): boolean {
  return index.has(slot, mark.inSource) && !index.has(slot, mark.seen);
}

function isInSource(index: PeopleIndex, identification: string): boolean {
  const { slot, isExact } = index.find(identification);
  return slot !== -1 && isExact && index.has(slot, mark.inSource);
}

function report(
  { person: slot, user }: { readonly person: number; readonly user: User },
  { index, sync, find }: Pick<LostZerosJob, 'index' | 'sync' | 'find'>,
): void {
  const person = index.person(slot);
  const { identification } = person;
  const at = 'at' in person ? person.at : 'no record';
  const other = user.identification;
  const message =
    `${identification} (${at}) and platform user ${other}, which the source does not name, differ only by leading zeros: ` +
    `neither is changed. ${zerosAdvice}. ` +
    `"rollcall adopt ${sync.settings.name} ${identification}" accepts the new identification`;
  find({ code: 'rename-conflict', identification, message, other, account: user });
  find({ code: 'rename-conflict', identification: other, message });
}
