import { stringify } from 'csv-stringify/sync';
import { foldText } from '../../core/person/text.ts';
import { type ChangeKind, partOf } from '../../core/plan/change.ts';
import { decisionAbout } from '../../core/plan/decision.ts';
import { countedAs } from '../../core/plan/event.ts';
import { chunk } from '../../core/run/batch.ts';
import { usageError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import { type FoundInRun, factKey, type RecentQuery } from '../../ports/reports.ts';
import type { Batch, DecisionRecord } from '../../ports/store.ts';
import { personOf } from '../../views/changes.ts';
import { type PersonReport, personReportView, type RecentPage, type ReportKind } from '../../views/reports.ts';
import type { AppIo } from '../app-io.ts';
import { storedName } from '../find-named.ts';
import { wordsOf } from './change-index.ts';

const dayMs = 86_400_000;
/** How far back the list of changes goes. */
const listedMs = 30 * dayMs;
/** Changes that one page of a search by text opens at most: their values are sealed. */
const openedAtOnce = 5000;

export interface RecentFilter extends Pick<RecentQuery, 'kind' | 'class' | 'state'> {
  readonly sync?: string;
  readonly syncs?: readonly string[];
  readonly since?: number;
  readonly until?: number;
  /** Words that the person or a value contains. */
  readonly text?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists the changes of the last 30 days in all syncs, those of the newest run first. Throws `USAGE` for a bad cursor. */
export async function findRecentChanges({ engine: io }: AppIo, filter: RecentFilter): Promise<RecentPage> {
  const { sync, syncs: seen, text, limit, cursor, since, until, kind, class: wanted, state } = filter;
  const now = io.clock.now();
  const syncs = [...io.syncs.keys()].filter((name) => (sync ?? name) === name && seen?.includes(name) !== false);
  const words = wordsOf(text);
  const changes: FoundInRun[] = [];
  let after = cursor === undefined ? undefined : positionOf(cursor);
  let opened = 0;
  while (syncs.length > 0) {
    const page = await io.store.reports.recentChanges({
      ...{ syncs, limit: limit + 1, since: Math.max(since ?? 0, now - listedMs), until: until ?? now + 1 },
      ...given({ kind, class: wanted, state, after }),
    });
    for (const one of page.slice(0, limit)) {
      after = positionAt(one);
      opened += 1;
      const { identification, before, after: planned } = one.change;
      const text = [identification, ...Object.values({ ...before?.fields, ...planned })].join('\n');
      if (words.length === 0 || words.every((word) => foldText(text).includes(word))) changes.push(one);
      if (changes.length === limit) break;
    }
    const last = page.at(-1);
    const isSame = last === undefined || positionAt(last).join() === after?.join();
    const isLast = page.length <= limit && (after === undefined || opened === 0 || isSame);
    if (isLast) return { changes, next: undefined };
    if (changes.length === limit || opened >= openedAtOnce) break;
  }
  return { changes, next: after === undefined ? undefined : JSON.stringify(after) };
}

type Position = NonNullable<RecentQuery['after']>;

function positionAt({ at, run, change }: FoundInRun): Position {
  return [at, run, change.identification, partOf(change)];
}

function positionOf(cursor: string): Position {
  try {
    const [at, run, identification, part] = JSON.parse(cursor) as unknown[];
    const texts = [run, identification, part];
    if (typeof at === 'number' && texts.every((one) => typeof one === 'string')) {
      return [at, ...texts] as unknown as Position;
    }
  } catch {
    // Said below.
  }
  throw usageError('the cursor is not valid. Use the cursor of the previous page');
}

const kindsOf: Readonly<Record<ReportKind, readonly ChangeKind[]>> = {
  leavers: ['disable', 'remove'],
  joiners: ['create', 'enable'],
};

export interface ReportQuery {
  readonly kind: ReportKind;
  /** Plain dates, both included, in UTC. */
  readonly from: string;
  readonly to: string;
  readonly sync?: string;
  readonly syncs?: readonly string[];
}

const readAtOnce = 500;

/** Upkeep of an account is no news about its person. A later plan for the same reason changes nothing about what stands. */
function outranks(one: FoundInRun, other: FoundInRun): boolean {
  const isSame = factKey(one.change) === factKey(other.change);
  const rank = ({ event, change: { state } }: FoundInRun): number =>
    event === 'upkeep' ? 0 : isSame && state === 'applied' && event !== 'undone' ? 2 : 1;
  return rank(one) === rank(other) ? one.at > other.at : rank(one) > rank(other);
}

/**
 * Reports who left or joined, each person once with what happened last: when a read first showed it, when the platform showed it, and
 * who approved. Throws `USAGE` for days that do not exist.
 */
export async function reportPeople({ engine: io }: Pick<AppIo, 'engine'>, query: ReportQuery): Promise<PersonReport> {
  const { kind, from, to, sync, syncs: seen } = query;
  const [since, until] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`) + dayMs];
  const odd = [from, to].find((day) => Number.isNaN(Date.parse(`${day}T00:00:00Z`)));
  if (odd !== undefined) throw usageError(`${odd} is not a day. Write it as YYYY-MM-DD, such as 2026-11-30`);
  if (since >= until) throw usageError(`the first day, ${from}, is after the last day, ${to}`);
  const names = [...io.syncs.keys()].filter((name) => (sync ?? name) === name && seen?.includes(name) !== false);
  const syncs = names.map((name) => storedName(name, io.syncs));
  const newest = new Map<string, FoundInRun>();
  for (const one of kindsOf[kind]) {
    for (let after: Position | undefined; ; ) {
      const page =
        syncs.length === 0
          ? []
          : await io.store.reports.recentChanges({
              ...{ syncs, kind: one, since, until, limit: readAtOnce },
              ...given({ after }),
            });
      for (const found of page) {
        const key = `${found.sync} ${found.change.identification}`;
        const known = newest.get(key);
        if (known === undefined || outranks(found, known)) newest.set(key, found);
      }
      const last = page.at(-1);
      if (page.length < readAtOnce || last === undefined) break;
      after = positionAt(last);
    }
  }
  const people: PersonReport['people'][number][] = [];
  for (const [name, ofSync] of Map.groupBy(newest.values(), (found) => found.sync)) {
    const roster = kind === 'leavers' ? await io.store.rosters.open(name) : undefined;
    for (const some of chunk(ofSync, readAtOnce)) {
      const ids = [...new Set(some.map(({ change }) => change.identification))];
      const [said, decided, listed] = await Promise.all([
        io.store.reports.firstSaid(name, ids),
        io.store.decisions.ofMany(name, ids),
        roster?.people(ids),
      ]);
      const used = new Set(some.flatMap(({ change: { batch } }) => batch ?? []));
      const batches = new Map((await io.store.batches.getMany([...used])).map((batch) => [batch.id, batch]));
      for (const found of some) {
        const { identification, batch } = found.change;
        const decision = decisionAbout(found.change, decided.get(identification) ?? []);
        const leaveDate = listed?.get(identification)?.find(({ isExact }) => isExact)?.leaves;
        people.push({
          ...describe(found, said.get(factKey(found.change)) ?? found.at, decision),
          ...sentAs(batches.get(batch ?? '')),
          leaveDate,
        });
      }
    }
  }
  people.sort((a, b) => a.saidAt - b.saidAt || (a.identification < b.identification ? -1 : 1));
  const counts: Record<string, number> = {};
  for (const { countedAs: name } of people) counts[name] = (counts[name] ?? 0) + 1;
  return { kind, from, to, people, counts };
}

function describe(
  { sync, run, at, event, change }: FoundInRun,
  saidAt: number,
  decision: DecisionRecord | undefined,
): Omit<PersonReport['people'][number], 'leaveDate' | 'sentAs' | 'sentAt'> {
  const { identification, after, before } = change;
  const isApproved = decision?.state === 'approved';
  const isKept = decision?.state === 'rejected';
  const { name = '', email = '' } = personOf(change);
  return {
    ...{ sync, identification, name, email, change: change.kind, run, state: change.state, reason: change.reason },
    saidAt: Math.min(at, saidAt),
    hireDate: after.orgEntryDate || before?.fields.orgEntryDate || undefined,
    shownAt: change.appliedAt,
    stateReason: change.stateReason,
    approvedBy: isApproved ? decision.by : undefined,
    approvedAt: isApproved ? decision.at : undefined,
    hash: change.hash,
    keptBy: isKept ? decision.by : undefined,
    keptWhy: isKept ? decision.why : undefined,
    countedAs: countedAs(event, change, decision),
  };
}

function sentAs(batch: Batch | undefined): Pick<PersonReport['people'][number], 'sentAs' | 'sentAt'> {
  if (batch?.sentAt === undefined) return { sentAs: undefined, sentAt: undefined };
  const { kind, fileId, fileName, sentAt } = batch;
  return { sentAs: fileId === undefined ? `${kind} ${fileName ?? batch.id}` : `file ${fileId}`, sentAt };
}

/** Returns the whole days (UTC) before the day of an instant. */
export function daysBefore(at: number, days: number): Pick<ReportQuery, 'from' | 'to'> {
  const dayOf = (back: number): string => new Date(at - back * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return { from: dayOf(days), to: dayOf(1) };
}

/** The columns of the file. Programs may rely on them: new ones are added at the end. */
const columns = [
  ...(['sync', 'identification', 'name', 'email', 'change', 'state', 'saidAt', 'hireDate', 'shownAt'] as const),
  ...(['approvedBy', 'approvedAt', 'reason', 'stateReason', 'run', 'leaveDate'] as const),
  ...(['hash', 'sentAs', 'sentAt', 'keptBy', 'keptWhy', 'countedAs'] as const),
];

/** Yields the report as CSV with a header. An apostrophe protects cells that a spreadsheet would read as formulas. */
export async function* reportCsv(found: PersonReport): AsyncGenerator<string> {
  yield stringify([columns]);
  const rows = personReportView(found).people.map((one) => columns.map((name) => one[name] ?? ''));
  yield stringify(rows, { escape_formulas: true });
}
