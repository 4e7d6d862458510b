import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { intoPages, packRoster, rosterWidth as width } from '../../core/plan/roster.ts';
import type { MissingProof } from '../../core/plan/snapshot.ts';
import type { DirectoryEnd, DirectoryPage, DirectoryRow } from '../../ports/reads.ts';
import type { OwnedRun, ReadRecord } from '../../ports/store.ts';
import { type OtherAccounts, shownAs } from '../compare/other-accounts.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';

/** People per page. A change of one person writes one page. */
const perPage = 128;
const pagesAtOnce = 32;
const pagesInTurn = 4;

/** Who is in the source and on the platform. */
export interface KnownPeople {
  readonly index: PeopleIndex;
  /** Accounts that no record of the source names. */
  readonly others: OtherAccounts;
  /** Salt of the hashes in the index and in the roster that is made from it. */
  readonly salt: string;
}

export interface DirectoryToWrite {
  readonly people: Pick<KnownPeople, 'index' | 'others'>;
  readonly sync: string;
  readonly proof: MissingProof;
}

/**
 * Stores who the people of an accepted, complete full read are, for searches by name, but for the end of the directory,
 * which it returns. Reads from the spool only those of pages that changed since the read before.
 */
export async function writeDirectory(
  owned: OwnedRun,
  { people, sync, proof }: DirectoryToWrite,
  io: EngineIo,
): Promise<DirectoryEnd> {
  const { directories } = io.store;
  const known = await directories.digests(sync);
  const source = people.index.directoryEntries();
  const accounts = people.others.entries();
  const entries = new Int32Array(source.length + accounts.length);
  entries.set(source);
  // The fourth number tells an account by its sign.
  for (let i = 0; i < accounts.length; i += 1) {
    const number = accounts[i] as number;
    entries[source.length + i] = i % width === width - 1 ? -1 - number : number;
  }
  await nextTurn();
  const pages = intoPages(entries, perPage);
  let changed: DirectoryPage[] = [];
  for (const [page, numbers] of pages.entries()) {
    const order = inOrder(numbers);
    const digest = digestOf(numbers, order);
    if (known.get(page) === digest) continue;
    changed.push({ page, digest, rows: order.map((at) => rowOf(numbers[at + width - 1] as number, people)) });
    // The spool is read without a pause, so other work of the process runs before and after.
    if (changed.length % pagesInTurn === 0) await nextTurn();
    if (changed.length < pagesAtOnce) continue;
    await directories.write(owned, sync, changed);
    changed = [];
    await nextTurn();
  }
  const { id: run } = owned.run;
  const header = { sync, run, at: proof.readAt, people: entries.length / width, pages: pages.length };
  return { header, pages: changed };
}

/** Returns where each entry begins, in order of their keys: a source may give its records in any order. */
function inOrder(numbers: Int32Array): readonly number[] {
  const starts = Array.from({ length: numbers.length / width }, (_, i) => i * width);
  const at = (i: number): number => numbers[i] as number;
  return starts.sort((a, b) => at(a) - at(b) || at(a + 1) - at(b + 1) || at(a + 2) - at(b + 2));
}

function digestOf(numbers: Int32Array, order: readonly number[]): string {
  const hashed = new Int32Array(order.length * 3);
  for (const [i, at] of order.entries()) {
    for (let part = 0; part < 3; part += 1) hashed[i * 3 + part] = numbers[at + part] as number;
  }
  return createHash('sha256').update(hashed).digest('base64');
}

function rowOf(reference: number, { index, others }: DirectoryToWrite['people']): DirectoryRow {
  if (reference < 0) return others.row(-1 - reference);
  const person = index.person(reference);
  const isOnPlatform = index.has(reference, mark.seen);
  const { identification } = person;
  const isEnabled = index.has(reference, mark.enabled);
  const stranger = index.has(reference, mark.stranger) ? ({ isStranger: true } as const) : {};
  const plain = { identification, side: 'source', isOnPlatform, isEnabled, ...stranger } as const;
  if (person.kind !== 'person') return { ...plain, name: '', email: '', standing: 'unusable' };
  return { ...plain, ...shownAs(person.fields), standing: person.isInScope ? person.standing : 'out-of-scope' };
}

interface RosterToWrite {
  readonly people: Pick<KnownPeople, 'index' | 'salt'>;
  readonly sync: Sync;
  /** Rows of the read. */
  readonly rows: number;
  /** Proof of the read, because hand-overs rely on who is absent from a roster. */
  readonly proof: MissingProof;
  readonly read: ReadRecord;
  readonly directory: DirectoryEnd;
}

/**
 * Stores an accepted, complete full read, and what it showed of each person, for runs and syncs that do not read that
 * person.
 */
export async function writeRoster(
  owned: OwnedRun,
  { people: { index, salt }, sync, rows, proof, read, directory }: RosterToWrite,
  io: EngineIo,
): Promise<void> {
  // With a million people each part takes tens of milliseconds, so other work of the process runs in between.
  const people = packRoster('people', index.rosterEntries('people'));
  await nextTurn();
  const emails = packRoster('emails', index.rosterEntries('emails'));
  await nextTurn();
  const header = {
    sync: sync.settings.name,
    run: owned.run.id,
    at: proof.readAt,
    fingerprint: sync.fingerprint,
    salt,
    rows,
    pages: { people: people.length, emails: emails.length },
  };
  await io.store.rosters.put(owned, header, [...people, ...emails], { read, directory });
}

/** Stores a full read that a guard doubts: of its people, only those of whom the roster says something else. */
export async function writeDoubted(
  owned: OwnedRun,
  { index, salt }: Pick<KnownPeople, 'index' | 'salt'>,
  read: ReadRecord,
  io: EngineIo,
): Promise<void> {
  const people = packRoster('people', index.rosterEntries('people'));
  const { sync, run } = read;
  await io.store.rosters.doubt(owned, { sync, run, salt, read, pages: { people: people.length, emails: 1 } }, people);
}
