import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldText, normalText } from '../core/person/text.ts';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import { chunk } from '../core/run/batch.ts';
import type { DirectoryHeader, DirectoryRow } from '../ports/reads.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { FoundPeople, FoundPerson } from '../views/people.ts';
import { wordsOf } from './changes/change-index.ts';

export interface PeopleQuery {
  /** Words that identification, name and e-mail contain together, in any order, without case and accents. */
  readonly text: string;
  readonly sync?: string;
  readonly offset: number;
  readonly limit: number;
}

/** A person in memory. Personal data, kept while searches continue. */
interface Entry extends DirectoryRow {
  readonly sync: string;
  /** All that a search looks at, folded: name, identification and e-mail in lines. People are in its order. */
  readonly folded: string;
}

interface Loaded {
  readonly pages: ReadonlyMap<number, { readonly digest: string; readonly entries: readonly Entry[] }>;
  readonly inOrder: readonly Entry[];
  readonly usedAt: number;
}

const pagesAtOnce = 64;
const keptMs = 600_000;

/**
 * Opens searches over the people of all syncs. Their values are sealed in the store, so no database can search them:
 * the pages are opened once, and only those that changed are opened again.
 */
export function openPeopleSearches({ store, syncs, clock }: EngineIo): (query: PeopleQuery) => Promise<FoundPeople> {
  const loaded = new Map<string, Loaded>();

  const load = async ({ sync, pages: count }: DirectoryHeader): Promise<readonly Entry[]> => {
    const now = clock.now();
    const known: Loaded = loaded.get(sync) ?? { pages: new Map(), inOrder: [], usedAt: now };
    const digests = await store.directories.digests(sync);
    const changed = [...digests].filter(([page, digest]) => known.pages.get(page)?.digest !== digest || digest === '');
    const pages = new Map(known.pages);
    for (const page of pages.keys()) if (!digests.has(page) || page >= count) pages.delete(page);
    const numbers = changed.map(([page]) => page);
    for (const some of chunk(numbers, pagesAtOnce)) {
      for (const { page, digest, rows } of await store.directories.read(sync, some)) {
        pages.set(page, { digest, entries: rows.map((row) => toEntry(sync, row)) });
      }
      await nextTurn();
    }
    const isSame = changed.length === 0 && pages.size === known.pages.size;
    const inOrder = isSame ? known.inOrder : [...pages.values()].flatMap(({ entries }) => entries).sort(byText);
    loaded.set(sync, { pages, inOrder, usedAt: now });
    return inOrder;
  };

  /** People who are no longer searched for leave the memory at the next search. */
  const tidy = (): void => {
    const now = clock.now();
    for (const [sync, { usedAt }] of loaded) if (now - usedAt > keptMs) loaded.delete(sync);
  };

  return async ({ text, sync: only, offset, limit }) => {
    tidy();
    const headers = (await store.directories.list()).filter(({ sync }) => syncs.has(sync));
    const words = wordsOf(text);
    const matches: Entry[] = [];
    for (const header of headers) {
      if (words.length === 0 || (only !== undefined && header.sync !== only)) continue;
      for (const entry of await load(header)) {
        if (words.every((word) => entry.folded.includes(word))) matches.push(entry);
      }
      await nextTurn();
    }
    const people = bestFirst(matches.sort(byText), foldText(text.trim()));
    const owned = await ownedUsers(normalText(text), people, only, { store, syncs });
    const all = [...owned, ...people];
    const known = new Map(headers.map((header) => [header.sync, header]));
    const shown = all.slice(offset, offset + limit).map(publicOf);
    return {
      people: await asWrittenSince(shown, known, { store, syncs }),
      total: all.length,
      syncs: [...syncs.keys()]
        .filter((sync) => only === undefined || sync === only)
        .map((sync) => ({ sync, readAt: known.get(sync)?.at, people: known.get(sync)?.people ?? 0 })),
    };
  };
}

function toEntry(sync: string, row: DirectoryRow): Entry {
  const { identification, name, email } = row;
  return { ...row, sync, folded: foldText(`${name}\n${identification}\n${email}`) };
}

function byText(a: Entry, b: Entry): number {
  if (a.folded !== b.folded) return a.folded < b.folded ? -1 : 1;
  return a.sync < b.sync ? -1 : 1;
}

/** Moves people with this identification to the front, then those whose identification begins so. */
function bestFirst(matches: readonly Entry[], text: string): readonly Entry[] {
  const equal = matches.filter(({ folded }) => folded.includes(`\n${text}\n`));
  const beginning = matches.filter((entry) => entry.folded.includes(`\n${text}`) && isBeginning(entry, text));
  const first = new Set([...equal, ...beginning]);
  return first.size === 0 ? matches : [...first, ...matches.filter((entry) => !first.has(entry))];
}

function isBeginning({ identification }: Entry, text: string): boolean {
  return foldText(identification).startsWith(text);
}

/**
 * Users with exactly this identification whom a sync owns, and no directory shows: removed ones, and before the first
 * read.
 */
async function ownedUsers(
  identification: string,
  found: readonly FoundPerson[],
  only: string | undefined,
  { store, syncs }: Pick<EngineIo, 'store' | 'syncs'>,
): Promise<readonly FoundPerson[]> {
  if (identification === '') return [];
  const owned: FoundPerson[] = [];
  for (const connection of new Set([...syncs.values()].map(({ settings }) => settings.connection))) {
    const entry = await store.ledger.get(connection, identification);
    if (entry === undefined || !syncs.has(entry.owner) || (only !== undefined && entry.owner !== only)) continue;
    if (found.some((one) => one.identification === identification && one.sync === entry.owner)) continue;
    const plain = { name: '', email: '', standing: '', isOnPlatform: entry.removed === undefined };
    owned.push({ identification, sync: entry.owner, side: 'ledger', ...plain });
  }
  return owned;
}

/** Corrects who has an account by what was created or removed after the read that the directory shows. */
async function asWrittenSince(
  people: readonly FoundPerson[],
  headers: ReadonlyMap<string, DirectoryHeader>,
  { store, syncs }: Pick<EngineIo, 'store' | 'syncs'>,
): Promise<readonly FoundPerson[]> {
  const connectionOf = (sync: string): string => syncs.get(sync)?.settings.connection ?? '';
  const entries = new Map<string, ReadonlyMap<string, LedgerEntry>>();
  for (const connection of new Set(people.map(({ sync }) => connectionOf(sync)))) {
    const asked = people.filter(({ sync }) => connectionOf(sync) === connection);
    const identifications = [...new Set(asked.map(({ identification }) => identification))];
    entries.set(connection, await store.ledger.getMany(connection, identifications));
  }
  return people.map((person) => {
    const entry = entries.get(connectionOf(person.sync))?.get(person.identification);
    const readAt = headers.get(person.sync)?.at ?? 0;
    if (entry === undefined) return person;
    if (entry.removed !== undefined) return entry.removed.at > readAt ? { ...person, isOnPlatform: false } : person;
    return (entry.writtenAt ?? 0) > readAt ? { ...person, isOnPlatform: true } : person;
  });
}

function publicOf({ sync, identification, name, email, side, standing, isOnPlatform }: FoundPerson): FoundPerson {
  return { sync, identification, name, email, side, standing, isOnPlatform };
}
