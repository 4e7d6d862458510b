import { setImmediate as nextTurn } from 'node:timers/promises';
import { partWords } from '../core/guard/approvals.ts';
import { leaderValues } from '../core/person/leaders.ts';
import { foldText, normalText } from '../core/person/text.ts';
import { type Change, isFreezable } from '../core/plan/change.ts';
import { decisionAbout, isUndoRule, skippedBy } from '../core/plan/decision.ts';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import { waitWords } from '../core/plan/ledger-steps.ts';
import { chunk } from '../core/run/batch.ts';
import { ageOf, formatInstant, frozenReason } from '../core/run/formats.ts';
import { distanceOf } from '../core/run/problem-words.ts';
import type { DirectoryHeader, DirectoryRow } from '../ports/reads.ts';
import type { DecisionRecord, Store } from '../ports/store.ts';
import { readStanding } from '../run/compare/alike.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { type Explained, explain } from '../run/why.ts';
import type { FoundPeople, FoundPerson, PersonTrace, personPastView } from '../views/people.ts';
import { pairFrom, renamesOf, waysOf } from './accounts/decisions.ts';
import type { AppIo, PeopleQuery } from './app-io.ts';
import { wordsOf } from './changes/change-index.ts';
import { asStored, findSync, storedName, storedNames } from './find-named.ts';
import { answerOf, valuesOf } from './person/answer.ts';
import { answerPast, type PastQuestion, tellPast } from './person/past.ts';
import { personSteps } from './person/steps.ts';
import { untilWords } from './syncs.ts';

const shownChanges = 20;

/** Explains what the next full run decides about one person: the rule, its inputs, and what prevents the change. */
export async function tracePerson(
  { engine }: AppIo,
  of: string,
  identification: string,
  signal: AbortSignal,
): Promise<PersonTrace> {
  const { engine: io, sync } = asStored(engine, of);
  const { name, connection } = sync.settings;
  const now = io.clock.now();
  const explanation = await explain(identification, sync, io, signal);
  const { records, subject, change, expected, conflict: _, ...explained } = explanation;
  const { decision, leaders } = explained;
  const traced = await Promise.all(
    records.map(async ({ record }) => ({ record, trace: await sync.mapping.explain(record, now) })),
  );
  const user = subject?.user;
  const lookup =
    user === undefined ? await sync.platform.find(identification, signal) : ({ found: true, user } as const);
  const pair = pairFrom(identification, explanation, await readStanding(sync.settings, io));
  const renames = await renamesOf(identification, connection, io.store);
  const names = [identification, ...renames.map(({ from }) => from)];
  const past = await Promise.all([...new Set(names)].map((one) => io.store.plans.history(name, one, shownChanges)));
  const history = past.flat().toSorted((a, b) => b.at - a.at);
  const [last] = history;
  const batch = last?.batch === undefined ? undefined : await io.store.batches.get(last.batch);
  const decided = change && (await decisionOf(name, change, io));
  const decidedLeaders = leaders && (await decisionOf(name, leaders, io));
  const isExpected = expected !== undefined;
  const input = {
    ...explanation,
    records: traced,
    isExpected,
    decided: change ? decided : decidedLeaders,
    last,
    batch,
  };
  const steps = personSteps(input);
  const ledger = await io.store.ledger.get(connection, identification);
  const { failure, findings } = explained;
  const listed = ledger?.leaders?.shown;
  const shownLeaders = leaders?.before?.fields ?? (listed && leaderValues(listed)) ?? {};
  return {
    identification,
    answer: answerOf(input, steps),
    values: valuesOf({
      records: traced,
      mapping: sync.mapping,
      lookup,
      hidden: ledger?.hidden ?? {},
      leaders: shownLeaders,
    }),
    ...explained,
    records: traced,
    reads: sync.mapping.reads,
    change,
    steps,
    says: subject?.source,
    lookup,
    ledger,
    renames,
    pair: pair === undefined ? null : { ...pair, ways: waysOf(pair) },
    history: history.slice(0, shownChanges),
    next: await nextRun(
      sync,
      { identification, change, decided, leaders, decidedLeaders, decision, expected, failure, findings },
      io,
    ),
  };
}

/** Returns the valid decision of an operator, or of a guard, about the change. */
async function decisionOf(
  sync: string,
  change: Change,
  { store, clock }: EngineIo,
): Promise<DecisionRecord | undefined> {
  const decisions = await store.decisions.of(sync, change.identification);
  const decided = decisionAbout(
    change,
    decisions.filter(({ endedAt }) => endedAt === undefined),
  );
  const isExpired = decided?.expiresAt !== undefined && decided.expiresAt <= clock.now();
  return isExpired ? undefined : decided;
}

interface NextInput extends Pick<Explained, 'change' | 'leaders' | 'decision' | 'expected' | 'failure' | 'findings'> {
  readonly identification: string;
  readonly decided: DecisionRecord | undefined;
  readonly decidedLeaders: DecisionRecord | undefined;
}

/** Says what the next whole run does with the change, and what keeps it from doing it. Guards count only in the run itself. */
async function nextRun(sync: Sync, input: NextInput, io: EngineIo): Promise<string> {
  const { settings } = sync;
  const { identification, change, decided, leaders, decidedLeaders, decision, expected, failure, findings } = input;
  const { store, clock } = io;
  const pause = await store.pauses.get(settings.name, clock.now());
  const paused =
    pause === undefined ? '' : `; the sync is paused by ${pause.by} ${untilWords(pause)}, so no run starts before`;
  if (failure !== undefined) return `the next run fails and changes nothing: ${failure}${paused}`;
  if (change === undefined && expected !== undefined) {
    return `the next run sends no ${expected.kind}, because another sync is expected to take the user over; it holds the ${expected.kind} if there are more such users than guards.handOvers allows${paused}`;
  }
  if (change === undefined && decision?.wait !== undefined) {
    return `the next run counts the absence and changes nothing: the person is ${waitWords(decision.wait)}${paused}`;
  }
  if (decision?.rule === 'owned-by-other') return `${await whoseUser(identification, settings, io)}${paused}`;
  const waits = findings.find(({ code }) => code === 'create-waits');
  if (change === undefined && waits !== undefined) return `the create waits: ${waits.message}${paused}`;
  const frozen = sync.frozenUntil?.(clock.now());
  const all = [
    ...(change === undefined ? [] : [becomesOf(change, decided, frozen, decision?.held)]),
    ...(leaders === undefined ? [] : [becomesOf(leaders, decidedLeaders, frozen)]),
  ];
  if (all.length === 0) return `${await afterUndo(settings.name, identification, store)}${paused}`;
  return `${all.join('; ')}${paused}`;
}

/** Says what the next run does where the planner changes nothing: an undo is a decision, and no plan of a whole run has it. */
async function afterUndo(sync: string, identification: string, { decisions }: Store): Promise<string> {
  const waiting = (await decisions.of(sync, identification)).find(
    ({ rule, run, endedAt, state }) =>
      isUndoRule(rule) && run === undefined && endedAt === undefined && state !== 'rejected',
  );
  if (waiting === undefined) return 'the next run changes nothing for this person';
  return waiting.state === 'approved'
    ? 'the approved undo runs next'
    : 'an undo needs approval, and whole runs change nothing for this person';
}

/** Says what becomes of one change in the next whole run. `held`: why the decision itself holds it. */
function becomesOf(
  change: Change,
  decided: DecisionRecord | undefined,
  frozen: number | undefined,
  held?: string,
): string {
  if (held !== undefined && decided === undefined) {
    return `the next run holds the ${change.kind} until it is approved: ${held}`;
  }
  if (frozen !== undefined && isFreezable(change.kind) && decided?.state !== 'rejected') {
    return `the ${change.kind} ${frozenReason(frozen)}`;
  }
  const by = decided?.by === undefined ? '' : ` by ${decided.by}`;
  switch (decided?.state) {
    case 'rejected': {
      const run = decided.run ?? 'RUN';
      return `the ${change.kind} is ${skippedBy(decided)}. Only "rollcall approve ${run} --reopen" brings it back`;
    }
    case 'approved':
      return `the next run sends the ${change.kind}: it was approved${by}`;
    case 'open': {
      const left = decided.by === undefined ? '' : ` (left out of a decision${by} at ${formatInstant(decided.at)})`;
      const part = decided.given === undefined ? '' : ` (${partWords(decided.given)})`;
      return `the next run holds the ${change.kind} again until it is approved${left}${part}: see "rollcall holds"`;
    }
    default:
      return `the next run sends the ${change.kind}, unless a guard holds it`;
  }
}

/** Says whose user it is, and how old the read of that sync is where its age keeps the user there. */
async function whoseUser(
  identification: string,
  { name, connection, handOver: { maxAgeMs } }: Sync['settings'],
  { store, clock }: EngineIo,
): Promise<string> {
  const owner = (await store.ledger.get(connection, identification))?.owner ?? 'another sync';
  const readAt = (await store.rosters.open(owner))?.at;
  const age = readAt === undefined ? undefined : clock.now() - readAt;
  const said = `the next run changes nothing for this person: the user belongs to sync ${owner}, and only that sync changes it`;
  if (age === undefined) return `${said}. ${owner} has no accepted full read yet, so the user cannot move to ${name}`;
  const last = `${said}. Its last accepted full read is from ${formatInstant(readAt ?? 0)} (${ageOf(age)} ago)`;
  return age <= maxAgeMs
    ? last
    : `${last}, older than handOver.maxAge, so the user does not move to ${name} before ${owner} reads again`;
}

/** Lists what runs did with one person, newest first. With a question, also what the run decided that is meant. */
export async function readHistory(
  app: AppIo,
  sync: string,
  identification: string,
  { limit, ...asked }: PastQuestion & { readonly limit: number },
): Promise<Parameters<typeof personPastView>[0]> {
  const { store, syncs } = app.engine;
  const { name } = findSync(sync, syncs).settings;
  const history = await store.plans.history(name, identification, limit);
  const told = tellPast(await store.rosters.past(name, identification)).slice(0, limit);
  const isAsked = asked.run !== undefined || asked.before !== undefined;
  return { history, told, past: isAsked ? await answerPast(app, sync, identification, asked) : undefined };
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
        const entries = rows.map((row) => {
          const { identification, name, email } = row;
          return { ...row, sync, folded: foldText(`${name}\n${identification}\n${email}`) };
        });
        pages.set(page, { digest, entries });
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

  const names = new Set(storedNames(syncs));

  return async ({ text, spelling, sync: of, syncs: seen, offset, limit }) => {
    const sync = of === undefined ? of : storedName(of, syncs);
    tidy();
    const isSearched = (name: string): boolean =>
      names.has(name) && (sync === undefined || name === sync) && seen?.includes(name) !== false;
    const headers = (await store.directories.list()).filter((one) => isSearched(one.sync));
    const words = wordsOf(text);
    const matches: Entry[] = [];
    const nearest = openNearest(words);
    for (const header of words.length === 0 ? [] : headers) {
      for (const entry of await load(header)) {
        // An account that no record names may be that of another sync.
        if (seen !== undefined && entry.side === 'platform') continue;
        if (words.every((word) => entry.folded.includes(word))) matches.push(entry);
        else if (spelling === 'near' && matches.length === 0) nearest.see(entry);
      }
      await nextTurn();
    }
    const found = matches.length === 0 ? nearest.found() : matches;
    const people = bestFirst(found.sort(byText), foldText(text.trim()));
    const owned = await ownedUsers(normalText(text), people, isSearched, { store, syncs });
    const all = [...owned, ...people];
    const known = new Map(headers.map((header) => [header.sync, header]));
    const shown = all.slice(offset, offset + limit).map((one): FoundPerson => {
      const { sync: of, identification, name, email, side, standing, isOnPlatform } = one;
      return { sync: of, identification, name, email, side, standing, isOnPlatform };
    });
    return {
      people: await asWrittenSince(shown, known, { store, syncs }),
      total: all.length,
      syncs: [...syncs.keys()]
        .filter(isSearched)
        .map((name) => ({ sync: name, readAt: known.get(name)?.at, people: known.get(name)?.people ?? 0 })),
    };
  };
}

/** Collects the people whose words need the fewest steps to be these: at most one in each, in a long word two. */
function openNearest(words: readonly string[]) {
  let fewest = Number.POSITIVE_INFINITY;
  let found: Entry[] = [];
  const stepsTo = (word: string, parts: readonly string[]): number => {
    const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
    const steps = parts.map((part) =>
      Math.abs(part.length - word.length) > most ? Number.POSITIVE_INFINITY : distanceOf(word, part),
    );
    const least = Math.min(...steps);
    return least > most ? Number.POSITIVE_INFINITY : least;
  };
  return {
    see(entry: Entry): void {
      const parts = entry.folded.split(/\s+/);
      const steps = words.reduce((sum, word) => sum + stepsTo(word, parts), 0);
      if (steps < fewest) [fewest, found] = [steps, []];
      if (steps === fewest && steps < Number.POSITIVE_INFINITY) found.push(entry);
    },
    found: () => found,
  };
}

function byText(a: Entry, b: Entry): number {
  if (a.folded !== b.folded) return a.folded < b.folded ? -1 : 1;
  return a.sync < b.sync ? -1 : 1;
}

/** Moves people with this identification to the front, then those whose identification begins so. */
function bestFirst(matches: readonly Entry[], text: string): readonly Entry[] {
  const equal = matches.filter(({ folded }) => folded.includes(`\n${text}\n`));
  const beginning = matches.filter(
    ({ folded, identification }) => folded.includes(`\n${text}`) && foldText(identification).startsWith(text),
  );
  const first = new Set([...equal, ...beginning]);
  return first.size === 0 ? matches : [...first, ...matches.filter((entry) => !first.has(entry))];
}

/**
 * Users with exactly this identification whom a sync owns, and no directory shows: removed ones, and before the first
 * read.
 */
async function ownedUsers(
  identification: string,
  found: readonly FoundPerson[],
  isSearched: (sync: string) => boolean,
  { store, syncs }: Pick<EngineIo, 'store' | 'syncs'>,
): Promise<readonly FoundPerson[]> {
  if (identification === '') return [];
  const owned: FoundPerson[] = [];
  for (const connection of new Set([...syncs.values()].map(({ settings }) => settings.connection))) {
    const entry = await store.ledger.get(connection, identification);
    if (entry === undefined || !isSearched(entry.owner)) continue;
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
