import { givenWords } from '../../core/guard/approvals.ts';
import { classNoun } from '../../core/guard/guard.ts';
import { type ChangeClass, changeClasses } from '../../core/plan/change.ts';
import { ageOf, countOf, firstOf, formatMinute } from '../../core/run/formats.ts';
import type { AlertProblem } from '../../ports/alerts.ts';
import type { OpenHolds } from '../../ports/decisions.ts';
import type { SyncStanding } from '../../ports/reports.ts';
import type { Run, Store } from '../../ports/store.ts';
import type { WatchedLeavers } from './judge-leavers.ts';

/** The facts of a sync that alerts use. */
export interface WatchedSync {
  readonly name: string;
  readonly connection: string;
  readonly leavers?: WatchedLeavers;
  /** The minimum instant of the last success; undefined: no success is expected now. */
  readonly staleBefore: (now: number) => number | undefined;
}

/** What one evaluation of a sync knows. */
export interface SyncFacts {
  readonly sync: WatchedSync;
  readonly store: Store;
  readonly now: number;
  /** The run that has just ended. */
  readonly run: Run | undefined;
  /** Since when this store knows the sync. */
  readonly firstSeenAt: number;
  /** The minimum instant of the last success; undefined: no success is expected now. */
  readonly staleBefore: number | undefined;
  readonly last: SyncStanding | undefined;
  readonly holds: OpenHolds;
  /** Whether it was said that changes or a read wait. */
  readonly isHeldKnown: boolean;
  /** People whose accounts miss the target soon, or have missed it. */
  readonly leaversAtRisk: number;
  /** The run in progress. */
  readonly underWay: Run | undefined;
  /** Whether a success may be late: the sync cannot run now, or is still catching up. */
  readonly isExcused: boolean;
  /** Whether failed runs are an open critical problem of the whole sync. */
  readonly isFailing: boolean;
}

const shownPeople = 5;

/**
 * Returns whether changes wait for approval. Without a run that has just ended, only the end of waiting can be noticed,
 * because a current run may be about to hold changes.
 */
export async function judgeHeld({
  sync: { name: sync },
  run,
  store,
  now,
  holds: { holds, changes, byClass },
  isHeldKnown,
}: Pick<SyncFacts, 'run' | 'store' | 'now' | 'holds' | 'isHeldKnown'> & {
  readonly sync: Pick<WatchedSync, 'name'>;
}): Promise<AlertProblem | 'well' | undefined> {
  if (holds.length === 0) {
    if (isDoubted(run)) return doubtedRead(run);
    // A doubted read has no holds. Only the next run can show that it is over.
    return run === undefined && isHeldKnown && (await isNewestDoubted(sync, store)) ? undefined : 'well';
  }
  if (run === undefined || run.scope.kind !== 'all') return undefined;
  const ends = Math.min(...holds.map(({ expiresAt }) => expiresAt));
  const given = await store.decisions.given([sync], now);
  const held = await store.plans.page(run.id, { limit: shownPeople, states: ['held'] });
  const { create, update, enable, disable, remove } = run.counts;
  const planned = create + update + enable + disable + remove;
  return {
    topic: 'held',
    code: 'changes-held',
    severity: 'warning',
    key: `held ${[...holds.map((hold) => hold.class), ...(isDoubted(run) ? ['read'] : [])].toSorted().join()}`,
    title: `${heldWords(byClass)} ${changes === 1 ? 'waits' : 'wait'} for approval`,
    figures: [
      ...heldClasses(byClass).map(([one, count]) => [`${classNoun[one]}s`, count] as const),
      ['Approve until', formatMinute(ends)],
    ],
    from: Math.min(...holds.map(({ heldAt }) => heldAt)),
    summary: `${countOf(changes, 'change waits', 'changes wait')} for approval until ${formatMinute(ends)}`,
    details: [
      ...(run.plan?.doubt === undefined ? [] : [run.plan.doubt]),
      ...holds.map(({ reason }) => reason),
      ...given.map(({ approvals: { of, given: some }, changes: count }) =>
        givenWords(
          count,
          of,
          some.map(({ by }) => by),
        ),
      ),
      ...firstOf(
        held.map(({ identification, kind }) => `${identification}: ${kind}`),
        run.counts.held,
      ),
    ],
    unaffected: planned === run.counts.held ? `The run ${run.id} had nothing else to change.` : continued(run),
    action: commands(
      [`rollcall holds --sync ${sync}`, 'who waits, and the newest run'],
      [`rollcall approve ${run.id}`, 'this run or a later one that holds the same changes'],
      [`rollcall reject ${run.id}`],
    ),
  };
}

/** `22 disables and 1 e-mail change`: the number and the class come first. A change can be in two classes. */
function heldWords(byClass: HeldByClass): string {
  return heldClasses(byClass)
    .map(([one, count]) => countOf(count, classNoun[one]))
    .join(' and ');
}

type HeldByClass = Readonly<Partial<Record<ChangeClass, number>>>;

function heldClasses(byClass: HeldByClass): readonly (readonly [ChangeClass, number])[] {
  return changeClasses.map((one) => [one, byClass[one] ?? 0] as const).filter(([, count]) => count > 0);
}

/** Returns whether a full read lacks enabled users whose sync is not configured: they would stay enabled for ever. */
export function judgeOrphans({ sync, run }: Pick<SyncFacts, 'sync' | 'run'>): AlertProblem | 'well' | undefined {
  if (run?.read?.kind !== 'full' || run.scope.kind !== 'all') return undefined;
  const owners = Object.entries(run.plan?.orphans ?? {});
  if (owners.length === 0) return run.outcome === 'failed' ? undefined : 'well';
  const users = owners.reduce((sum, [, count]) => sum + count, 0);
  const names = owners.map(([owner]) => owner);
  return {
    topic: 'orphans',
    code: 'users-orphaned',
    severity: 'warning',
    key: `orphans ${names.toSorted().join()}`,
    summary: `${countOf(users, 'enabled user is', 'enabled users are')} not in HR and ${users === 1 ? 'belongs' : 'belong'} to ${names.length === 1 ? 'a sync that is' : 'syncs that are'} not configured: ${names.join(', ')}`,
    figures: owners,
    details: owners.map(([owner, count]) => `${owner}: ${countOf(count, 'user')}`),
    unaffected: 'The users of configured syncs are not affected.',
    action: commands(
      ...names.map(
        (owner) => [`rollcall adopt ${sync.name} --from ${owner}`, 'the next run decides about them'] as const,
      ),
    ),
  };
}

function isDoubted(run: Run | undefined): run is Run {
  // A run that ends as partial offers its read for approval as well.
  const isEnded = run?.outcome === 'held' || run?.outcome === 'partial';
  return isEnded && run.plan?.isReadDoubted === true;
}

/** Undefined when nothing was applied. */
function continued({ id, counts: { applied } }: Run): string | undefined {
  if (applied === 0) return undefined;
  return `All other changes continued: ${countOf(applied, 'change')} of the run ${id} ${applied === 1 ? 'was' : 'were'} applied.`;
}

function doubtedRead(run: Run): AlertProblem {
  return {
    topic: 'held',
    code: 'read-doubted',
    severity: 'warning',
    key: run.plan?.doubt === undefined ? 'held read' : 'held read blocked',
    summary: `The source of run ${run.id} looks wrong: an operator must check it`,
    details: [run.plan?.doubt ?? run.reason ?? 'far fewer rows than before, or an emptied field'],
    unaffected: continued(run),
    action: commands([`rollcall show ${run.id}`], [`rollcall approve ${run.id}`, 'if the source is right']),
  };
}

async function isNewestDoubted(sync: string, store: Store): Promise<boolean> {
  const [newest] = await store.alerts.endedRuns(undefined, 1, sync);
  const run = newest && (await store.runs.get(newest.id));
  return isDoubted(run);
}

/** Returns whether the last success is recent enough. Only this check notices runs that never start. */
export function judgeFreshness(facts: SyncFacts): AlertProblem | 'well' | undefined {
  const { sync, now, firstSeenAt, isExcused, isFailing, staleBefore, last, underWay } = facts;
  if (staleBefore === undefined || last === undefined) return undefined;
  const { successAt } = last;
  if ((successAt ?? firstSeenAt) >= staleBefore) return 'well';
  // Runs that fail explain why none succeeds.
  if (isExcused || isFailing) return undefined;
  const expected = `a success was expected after ${formatMinute(staleBefore)}`;
  const summary =
    successAt === undefined
      ? `No run has ever succeeded; ${expected}`
      : `No run succeeded for ${ageOf(now - successAt)}: the last success was ${formatMinute(successAt)}; ${expected}`;
  return {
    topic: 'freshness',
    code: successAt === undefined ? 'never-succeeded' : 'sync-late',
    severity: 'critical',
    key: 'stale',
    ...(successAt === undefined ? {} : { title: `no success for ${ageOf(now - successAt)}` }),
    from: successAt ?? firstSeenAt,
    summary,
    details: [whatWasTried(last, underWay)],
    unaffected: 'Delivered changes stay in effect. A late sync disables no user.',
    action: `rollcall runs ${sync.name}`,
  };
}

function whatWasTried({ endedAt, successAt }: SyncStanding, underWay: Run | undefined): string {
  if (underWay !== undefined) {
    return `A run has been in progress since ${formatMinute(underWay.startedAt)}. To see its progress: rollcall show ${underWay.id}`;
  }
  if (endedAt !== undefined && endedAt !== successAt) {
    return `The last run ended ${formatMinute(endedAt)} without success.`;
  }
  return 'No run has started since then. Check that the schedule had a slot in that time, and that "rollcall start" is running (with Redis: a scheduler).';
}

/** Renders one command a line, with its reason as a comment of the shell, so that each line can be copied. */
function commands(...lines: readonly (readonly [command: string, why?: string])[]): string {
  return lines.map(([command, why]) => (why === undefined ? command : `${command}  # ${why}`)).join('\n');
}
