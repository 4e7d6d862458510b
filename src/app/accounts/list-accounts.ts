import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldText } from '../../core/person/text.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { AccountDecision } from '../../core/plan/standing.ts';
import { chunk } from '../../core/run/batch.ts';
import { notFound } from '../../core/run/errors.ts';
import { tellsConflict } from '../../core/run/finding.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { DirectoryRow } from '../../ports/reads.ts';
import { readStanding } from '../../run/compare/alike.ts';
import { isConfiguredOn } from '../../run/compare/neighbors.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import {
  type Account,
  type AccountMatch,
  type AccountState,
  type AccountTab,
  type FoundAccounts,
  matchEvidence,
  tabOf,
} from '../../views/accounts.ts';
import type { AppIo } from '../app-io.ts';
import { wordsOf } from '../changes/change-index.ts';
import { asStored } from '../find-named.ts';

export interface AccountsQuery {
  readonly state?: AccountTab;
  readonly q?: string;
  readonly offset: number;
  readonly limit: number;
  /** Only accounts of these syncs; absent: all. */
  readonly syncs?: readonly string[];
}

/** Lists accounts in order of name, and counts those with the words of `q` by state. */
export async function findAccounts(io: AppIo, of: string, query: AccountsQuery): Promise<FoundAccounts> {
  const { state, q, offset, limit, syncs } = query;
  const list = await openAccounts(io, of);
  const words = wordsOf(q);
  const counts = new Map<AccountTab, number>();
  const end = offset + limit;
  let found = 0;
  let first: (readonly [folded: string, account: Account])[] = [];
  const inOrder = () => first.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, end);
  for await (const { owner, account } of list.each()) {
    const folded = foldText(`${account.name}\n${account.identification}\n${account.email}`);
    if (syncs?.includes(owner ?? '') === false || words.some((word) => !folded.includes(word))) continue;
    const tab = tabOf(account);
    counts.set(tab, (counts.get(tab) ?? 0) + 1);
    if (state !== undefined && tab !== state) continue;
    found += 1;
    first.push([folded, account]);
    // A page needs only these, so a million accounts are never kept.
    if (first.length > 2 * end) first = inOrder();
  }
  const accounts = inOrder().map(([, account]) => account);
  const sums = { found, counts: Object.fromEntries(counts), next: end < found ? end : undefined };
  return { sync: of, readAt: list.readAt, accounts: accounts.slice(offset), ...sums };
}

const pagesAtOnce = 8;
const shownMatches = 3;

/**
 * Opens the list of the accounts, each with the sync that owns it. It reads the store alone: names and states are those of
 * the last accepted full read, what happened since is in the ledger. Throws `NOT_FOUND` before the first such read.
 */
export async function openAccounts({ engine }: AppIo, of: string) {
  const { engine: io, sync } = asStored(engine, of);
  const { name } = sync.settings;
  const header = (await io.store.directories.list()).find((one) => one.sync === name);
  if (header === undefined) {
    const message = `sync ${of} has no accepted full read yet, so its accounts are not known: run "rollcall apply ${of}" first`;
    throw notFound(message);
  }
  const pages = Array.from({ length: header.pages }, (_, page) => page);
  const facts: AccountFacts = {
    sync,
    io,
    readAt: header.at,
    decisions: (await readStanding(sync.settings, io)).accounts,
    conflicts: await conflictsOf(header.run, io),
    matches: await findMatches(sync, pages, io),
  };
  return {
    readAt: header.at,
    async *each() {
      for await (const rows of readPages(name, pages, io)) {
        const names = rows.map(({ identification }) => identification);
        const ledger = await io.store.ledger.getMany(sync.settings.connection, names);
        for (const row of rows) {
          const entry = ledger.get(row.identification);
          const live = entry?.removed === undefined ? entry : undefined;
          if (isThere(row, entry, header.at)) yield { owner: live?.owner, account: accountOf(row, live, facts) };
        }
      }
    },
  };
}

/** Other requests have their turn after each chunk: a large directory takes more than a second to open. */
async function* readPages(sync: string, pages: readonly number[], { store }: EngineIo) {
  for (const some of chunk(pages, pagesAtOnce)) {
    for (const { rows } of await store.directories.read(sync, some)) yield rows;
    await nextTurn();
  }
}

/** Returns whether the person has an account now, as far as the read and the writes since it tell. */
function isThere({ isOnPlatform }: DirectoryRow, entry: LedgerEntry | undefined, readAt: number): boolean {
  if (entry?.removed !== undefined) return isOnPlatform && entry.removed.at < readAt;
  return isOnPlatform || (entry?.writtenAt ?? 0) > readAt;
}

interface AccountFacts {
  readonly sync: Sync;
  readonly io: EngineIo;
  readonly readAt: number;
  readonly decisions: ReadonlyMap<string, AccountDecision>;
  readonly conflicts: ReadonlyMap<string, string>;
  /** People of the source by what an account may have in common with them: see `keysOf`. */
  readonly matches: ReadonlyMap<string, readonly Candidate[]>;
}

type Candidate = Omit<AccountMatch, 'by'> & Pick<DirectoryRow, 'birthDate'>;

function accountOf(row: DirectoryRow, entry: LedgerEntry | undefined, facts: AccountFacts): Account {
  const { identification, name, email, lastUpdate } = row;
  const isUnknown = entry === undefined && row.side === 'platform';
  const matches = isUnknown ? matchesOf(row, facts) : [];
  // What the run reported about the person names the account.
  const ofPerson = matches.map((match) => facts.conflicts.get(match.identification));
  const conflict =
    facts.conflicts.get(identification) ?? ofPerson.find((message) => message?.includes(` ${identification},`));
  const { state, why } = stateOf(row, entry, facts);
  const known = facts.decisions.get(identification);
  const isToldFor = state === 'in-source' || state === 'disabled-by-us';
  const decision = isUnknown || (isToldFor && known?.way === 'disable') ? known : undefined;
  const told = [
    why,
    ...(decision === undefined ? [] : [decisionWords(decision, state)]),
    ...(conflict === undefined ? [] : [conflict]),
  ];
  // What was written since the read is newer.
  const isEnabled = entry?.disabledAt === undefined && (row.isEnabled || (entry?.writtenAt ?? 0) > facts.readAt);
  return {
    ...{ identification, name, email, isEnabled, state, isConflict: conflict !== undefined },
    why: told.join('; '),
    matches,
    ...given({ lastUpdate, decision: decision?.way }),
  };
}

function decisionWords({ way, by, why, until }: AccountDecision, state: AccountState): string {
  const done = way === 'leave' ? 'left it as it is' : 'decided to disable it';
  const end = until === undefined ? '' : ` until ${formatInstant(until)}`;
  const reason = why === undefined ? '' : ` (${why})`;
  const idle = way === 'disable' && state === 'in-source' ? ', which has no effect: HR has the person now' : '';
  return `${by} ${done}${end}${reason}${idle}`;
}

function stateOf(
  { side, standing }: DirectoryRow,
  entry: LedgerEntry | undefined,
  { sync, io }: AccountFacts,
): Pick<Account, 'state' | 'why'> {
  const { name, connection } = sync.settings;
  const hr = side === 'source' ? `HR has the person (${standing})` : 'HR does not name the person';
  if (entry === undefined) {
    return side === 'source'
      ? { state: 'in-source', why: `${hr}, and no sync owns the account yet` }
      : { state: 'unmanaged', why: `${hr}, and no sync owns the account` };
  }
  const { owner, disabledAt, misses } = entry;
  if (owner !== name) {
    return isConfiguredOn(connection, owner, io)
      ? { state: 'other-sync', why: `it belongs to sync ${owner}` }
      : { state: 'orphaned', why: `it belongs to sync ${owner}, which is not configured` };
  }
  if (disabledAt !== undefined) {
    return { state: 'disabled-by-us', why: `Rollcall disabled it at ${formatInstant(disabledAt)}; ${hr}` };
  }
  const missing = misses === undefined ? '' : ` (missing in ${countOf(misses.count, 'read')})`;
  return { state: 'owned', why: `${hr}${missing}, and sync ${name} owns the account` };
}

function matchesOf({ name, email, birthDate }: DirectoryRow, { matches }: AccountFacts): readonly AccountMatch[] {
  const found = new Map<string, AccountMatch>();
  for (const key of keysOf(name, email)) {
    for (const { birthDate: born, ...person } of matches.get(key) ?? []) {
      const isKnown = birthDate !== undefined && born !== undefined;
      const byName = !isKnown ? 'name' : birthDate === born ? 'name-and-birth-date' : 'name-not-birth-date';
      const by = key.startsWith('email ') ? 'email' : found.has(person.identification) ? 'email-and-name' : byName;
      found.set(person.identification, { ...person, by });
    }
  }
  const strength = ({ by }: AccountMatch): number => matchEvidence.indexOf(by);
  return [...found.values()].toSorted((a, b) => strength(a) - strength(b)).slice(0, shownMatches);
}

/** The e-mail comes first. */
function keysOf(name: string, email: string): readonly string[] {
  return [
    ...(email === '' ? [] : [`email ${email.toLowerCase()}`]),
    ...(name.includes(' ') ? [`name ${foldText(name)}`] : []),
  ];
}

/** Finds the people of the source with the e-mail or the whole name of an account that no record names. */
async function findMatches(
  { settings: { name: sync, connection } }: Sync,
  pages: readonly number[],
  io: EngineIo,
): Promise<AccountFacts['matches']> {
  const found = new Map<string, Candidate[]>();
  for await (const rows of readPages(sync, pages, io)) {
    for (const { side, name, email } of rows) {
      if (side === 'platform') for (const key of keysOf(name, email)) found.set(key, []);
    }
  }
  if (found.size === 0) return found;
  for await (const rows of readPages(sync, pages, io)) {
    for (const { side, identification, name, email, standing, isOnPlatform: hasAccount, birthDate } of rows) {
      if (side === 'platform') continue;
      const person = { identification, standing, hasAccount, ...given({ birthDate }) };
      for (const key of keysOf(name, email)) found.get(key)?.push(person);
    }
  }
  // Some got their account after the read.
  const people = [...found.values()].flatMap((some) => some.map(({ identification }) => identification));
  const ledger = await io.store.ledger.getMany(connection, [...new Set(people)]);
  const isOwned = (name: string): boolean => ledger.has(name) && ledger.get(name)?.removed === undefined;
  const withOwned = (one: Candidate) => ({ ...one, hasAccount: one.hasAccount || isOwned(one.identification) });
  return new Map([...found].map(([key, some]) => [key, some.map(withOwned)]));
}

/** Returns what the run that read reported about identities: two records or accounts that may be one person. */
async function conflictsOf(run: string, { store }: EngineIo): Promise<AccountFacts['conflicts']> {
  const found = new Map<string, string>();
  for (const finding of await store.runs.findings(run)) {
    if (!tellsConflict(finding)) continue;
    const { identification, other, message } = finding;
    for (const name of [identification, other]) if (name !== undefined && !found.has(name)) found.set(name, message);
  }
  return found;
}
