import type { ErrorCode } from '../../core/run/errors.ts';
import { noPlan } from '../../core/run/facts.ts';
import type { FindingCode } from '../../core/run/finding.ts';
import { countOf, firstOf, formatInstant } from '../../core/run/formats.ts';
import type { AlertProblem, Figures } from '../../ports/alerts.ts';
import { batchTroubles, type Run, type Store, troubleOf } from '../../ports/store.ts';

/** Findings that explain a failure. */
const causes: readonly FindingCode[] = [
  'source-incomplete',
  'row-unreadable',
  'platform-ill',
  'batch-failed',
  'file-status',
  'unresolved',
  'not-deliverable',
];
const searchedFindings = 200;
const searchedFailures = 200;
/** Findings of rows that could not be read or used. */
const rowCodes: readonly FindingCode[] = ['row-unreadable', 'row-rejected'];

/**
 * Returns what an ended run shows about its sync: a problem, `well`, or trouble that ended well. `known`: the open
 * problem of its topic. Undefined when the run shows nothing new:
 * - The operator canceled it and every outcome is known, or this version does not know its outcome.
 * - It held the changes that failed before, so it shows nothing about them.
 * - It was about named people: it ends no problem of others, and does not cover a problem of a whole run. When
 *   some of them are not in the source, or are not undone, and nothing else is wrong, the person who asked has the answer.
 * - The platform or the tokens of its connection ended it, which is reported as a problem of the connection.
 */
export async function judgeRun(
  run: Run,
  store: Store,
  known?: AlertProblem,
): Promise<AlertProblem | 'well' | { readonly over: AlertProblem } | undefined> {
  const isUnknown = run.outcome === 'cancelled' && run.counts.unresolved > 0;
  const isHeld = run.outcome === 'held' && !run.isSuccess;
  if (run.outcome === 'failed' || run.outcome === 'partial' || isHeld || isUnknown) {
    if (run.scope.kind === 'users' && (run.plan?.sourceRows === 0 || lacksOnlyPeople(run))) return undefined;
    if (await isOfConnection(run, store)) return undefined;
    if (run.isSuccess && run.scope.kind === 'users') return undefined;
    const problem = run.outcome === 'failed' ? await failedRun(run, store) : await partialRun(run, store);
    return inScope(problem, run, known);
  }
  if (!run.isSuccess) return undefined;
  if (run.scope.kind === 'users' && !isAbout(run.scope.identifications, known)) return undefined;
  if (await holdsFailed(run, known, store)) return undefined;
  const healed = await judgeHealed(run, store);
  return healed === undefined ? 'well' : { over: healed };
}

/** Returns whether the run is not whole only because some named people are not in the source, or are not undone. */
function lacksOnlyPeople({ outcome, counts, plan = noPlan }: Run): boolean {
  const isTroubled = counts.failed + counts.unresolved + (plan.blocked.unresolved ?? 0) + plan.createsWait > 0;
  const isLacking = plan.unknownPeople + plan.notUndone > 0 && plan.sourceGaps.length === 0;
  return (outcome === 'partial' || outcome === 'held') && isLacking && !isTroubled;
}

/** Returns whether the run held changes that failed in the run of the open problem: those people are not repaired yet. */
async function holdsFailed(run: Run, known: AlertProblem | undefined, store: Store): Promise<boolean> {
  if (run.counts.held === 0 || known?.code !== 'run-partial' || known.run === undefined) return false;
  const failed = await store.plans.page(known.run, { limit: searchedFailures, states: ['failed', 'unresolved'] });
  const names = failed.map(({ identification }) => identification);
  const again = await store.plans.getMany(run.id, names, 'all');
  return again.some(({ state }) => state === 'held');
}

const tokenCodes: readonly ErrorCode[] = ['REAUTH_REQUIRED', 'TOKEN_REVOKED', 'TOKEN_RESTORED', 'TOKEN_UNAVAILABLE'];

/** Returns whether the connection ended the run, and is an open problem of its own. */
async function isOfConnection({ connection, end }: Run, store: Store): Promise<boolean> {
  const failure = end?.failure;
  if (failure === undefined) return false;
  if (tokenCodes.includes(failure)) return hasConnectionProblem(connection, ['token'], store);
  return isPlatformCode(failure) && hasConnectionProblem(connection, ['platform'], store);
}

/** Returns whether an open problem of the connection explains why no run of its syncs succeeds. */
export async function hasConnectionProblem(
  connection: string,
  topics: readonly ('token' | 'platform')[],
  store: Store,
): Promise<boolean> {
  const state = await store.alerts.state({ kind: 'connection', name: connection });
  return topics.some((topic) => state?.problems[topic] !== undefined);
}

/** What a run that has ended shows about the platform of its connection: it failed because of it, or the platform answered. */
export interface PlatformSeen {
  readonly sync: string;
  readonly run: string;
  readonly startedAt: number;
  readonly at: number;
  readonly trouble: { readonly code: PlatformCode; readonly reason: string } | undefined;
}

/** Returns undefined for a run that shows nothing about the platform, for example because its source failed. */
export function platformSeen({
  id,
  sync,
  outcome,
  plan,
  end,
  reason = '',
  startedAt,
  endedAt = 0,
}: Run): PlatformSeen | undefined {
  const failure = end?.failure;
  const seen = { sync, run: id, startedAt, at: endedAt };
  if (outcome === 'failed' && isPlatformCode(failure)) return { ...seen, trouble: { code: failure, reason } };
  return plan?.platformUsers === undefined ? undefined : { ...seen, trouble: undefined };
}

/** What is wrong with a platform when a run ends with the code. */
const platformTroubles = {
  PLATFORM_UNREACHABLE: 'the platform cannot be reached',
  PLATFORM_FAILED: 'the platform answers with errors',
  PLATFORM_BUSY: 'the platform is busy',
  PLATFORM_UNAUTHORIZED: 'the platform refuses the token',
  PLATFORM_FORBIDDEN: 'the platform refuses the calls of Rollcall',
} as const satisfies Partial<Record<ErrorCode, string>>;

type PlatformCode = keyof typeof platformTroubles;

function isPlatformCode(code: ErrorCode | undefined): code is PlatformCode {
  return code !== undefined && Object.hasOwn(platformTroubles, code);
}

const shownSyncs = 5;

/**
 * Returns the one problem of a connection whose platform ended runs, however many syncs it has, and the syncs that it
 * concerns. Any later run that the platform answers ends it. `failing`: the syncs so far.
 */
export function judgePlatform(
  connection: string,
  seen: readonly PlatformSeen[],
  failing: readonly string[],
): { readonly finding: AlertProblem | 'well'; readonly failing: readonly string[] } {
  const inOrder = seen.toSorted((a, b) => a.at - b.at);
  const after = inOrder.slice(inOrder.findLastIndex(({ trouble }) => trouble === undefined) + 1);
  const { trouble } = after.at(-1) ?? {};
  if (trouble === undefined) return { finding: 'well', failing: [] };
  const before = after.length < inOrder.length ? [] : failing;
  const names = [...new Set([...before, ...after.map(({ sync }) => sync)])].toSorted();
  const title = platformTroubles[trouble.code];
  const who = firstOf(names.slice(0, shownSyncs), names.length).join(', ');
  return {
    failing: names,
    finding: {
      topic: 'platform',
      code: 'platform-ends-runs',
      severity: 'critical',
      key: trouble.code,
      title,
      summary: `Runs of ${countOf(names.length, 'sync')} (${who}) failed, because ${title}. The last one: ${trouble.reason}`,
      details: [],
      figures: [['Syncs', names.length]],
      from: Math.min(...after.map(({ startedAt }) => startedAt)),
      unaffected: 'Delivered changes stay in effect. The next runs plan the unsent changes again.',
      action: `rollcall check ${connection}`,
      count: names.length,
    },
  };
}

/**
 * Returns the trouble of a run in progress with its batches, as far as it is not covered by a problem of a whole run.
 */
export async function judgeOpenRun(
  run: Run,
  store: Store,
  known: AlertProblem | undefined,
): Promise<AlertProblem | undefined> {
  const trouble = await judgeFiles(run, store);
  return trouble === undefined ? undefined : inScope(trouble, run, known);
}

/** A problem of named people never replaces one of a whole run, which would then look as if it were over. */
function inScope(problem: AlertProblem, { scope }: Run, known: AlertProblem | undefined): AlertProblem | undefined {
  if (scope.kind === 'all') return problem;
  const isCovered = known !== undefined && known.people === undefined;
  return isCovered ? undefined : { ...problem, people: scope.identifications };
}

function isAbout(identifications: readonly string[], known: AlertProblem | undefined): boolean {
  const people = new Set(identifications);
  return known?.people?.every((one) => people.has(one)) ?? false;
}

/** Returns how a notice names the run: `run R`, `run R about 2 named people`. */
function nameOf({ id, scope }: Run): string {
  if (scope.kind === 'all') return `run ${id}`;
  return `run ${id} about ${countOf(scope.identifications.length, 'named person', 'named people')}`;
}

async function failedRun(run: Run, store: Store): Promise<AlertProblem> {
  const { applied, unresolved } = run.counts;
  const unknown = `${countOf(unresolved, 'change')} unresolved: later runs first check whether it was applied`;
  const parts = [
    applied === 0 ? 'no change is known to be applied' : `${countOf(applied, 'change')} applied before the failure`,
    ...(unresolved > 0 ? [unknown] : []),
  ];
  return {
    topic: 'run',
    code: 'run-failed',
    severity: 'critical',
    key: `failed ${withoutNumbers(run.reason ?? '')}`,
    ...(run.scope.kind === 'all' ? {} : { title: 'the run about named people failed' }),
    figures: figuresOf(run),
    summary: `The ${nameOf(run)} failed: ${run.reason ?? 'the reason is not known'}`,
    details: await causesOf(run, store),
    unaffected: `${sentence(parts.join('; '))} The next run plans the unsent changes again.`,
    action: `rollcall show ${run.id}`,
    run: run.id,
  };
}

async function partialRun(run: Run, store: Store): Promise<AlertProblem> {
  const { applied, failed, unresolved } = run.counts;
  const base = {
    topic: 'run',
    severity: 'warning',
    summary: `The ${nameOf(run)} was ${run.outcome === 'cancelled' ? '' : `${run.outcome}: `}${run.reason ?? 'the reason is not known'}`,
    unaffected:
      applied === 0
        ? undefined
        : `${countOf(applied, 'change')} of this run ${applied === 1 ? 'was' : 'were'} applied.`,
    run: run.id,
    figures: figuresOf(run),
  } as const;
  if (run.isSuccess) return { ...base, ...accessProblem(run) };
  const { sourceGaps, blocked } = run.plan ?? noPlan;
  const isRead = sourceGaps.length === 0;
  const waiting = blocked.unresolved ?? 0;
  if (failed + unresolved === 0 && waiting > 0 && isRead) return { ...base, ...waitingPeople(run, waiting) };
  if (failed + unresolved === 0) {
    const rows = (await store.runs.findings(run.id, searchedFindings)).filter(({ code }) => rowCodes.includes(code));
    const read =
      rows.length === 0 ? 'the source was not read completely' : `${countOf(rows.length, 'row needs', 'rows need')} HR`;
    // Only a read with gaps is incomplete. Otherwise the first reason says what is.
    const what = (isRead ? run.end?.reasons[0] : undefined) ?? read;
    return {
      ...base,
      code: 'run-incomplete',
      key: `partial read${rows.length === 0 ? ` ${withoutNumbers(run.reason ?? '')}` : ' rows'}`,
      title: `${applied} applied, ${what}`,
      details: await causesOf(run, store),
      action: `rollcall show ${run.id} --findings`,
      count: Math.max(1, rows.length),
    };
  }
  const bad = await store.plans.page(run.id, { limit: shownRows, states: ['failed', 'unresolved'] });
  const rows = bad.map(
    ({ identification, stateReason }) => `${identification}: ${stateReason ?? 'the reason is not known'}`,
  );
  const counted = [failed === 0 ? '' : `${failed} failed`, unresolved === 0 ? '' : `${unresolved} unresolved`];
  return {
    ...base,
    code: 'run-partial',
    key: failed === 0 && isRead ? unresolvedKey : `partial ${withoutNumbers(run.reason ?? '')}`,
    title: `${applied} applied, ${counted.filter((part) => part !== '').join(', ')}`,
    details: rows.length > 0 ? firstOf(rows, failed + unresolved) : await causesOf(run, store),
    action: `rollcall show ${run.id} --failed`,
    count: failed + unresolved,
  };
}

function figuresOf({ counts: { applied, failed, unresolved, held } }: Run): Figures {
  const all = { Applied: applied, Failed: failed, Unresolved: unresolved, Held: held };
  return Object.entries(all).filter(([name, count]) => count > 0 || name === 'Applied');
}

/** The key holds no number: people who join the others are no news. */
function accessProblem({ id, plan = noPlan, reason = '' }: Run) {
  return {
    code: 'run-incomplete',
    key: 'access',
    title: 'records in trouble keep people from leaving or starting',
    details: [reason],
    action: `rollcall show ${id} --findings`,
    count: Math.max(1, plan.access.keep + plan.access.lack),
  } as const;
}

const shownRows = 5;

/** Changes with an unknown outcome are one problem in the run that sent them and in those that wait for it. */
const unresolvedKey = 'partial unresolved';

/** The run changed all users except those with a change of an earlier run whose outcome is not known. */
function waitingPeople({ plan, id }: Run, waiting: number) {
  const { runs = [], until } = plan?.waitsFor ?? {};
  const [first] = runs;
  const more = runs.length > 1 ? ` and ${countOf(runs.length - 1, 'other run')}` : '';
  const whose = first === undefined ? 'an earlier change' : `run ${first}${more}`;
  const people = countOf(waiting, 'person waits', 'people wait');
  const end = until === undefined ? 'the outcome is known' : formatInstant(until);
  return {
    code: 'run-partial',
    key: unresolvedKey,
    title: `${people} for the outcome of ${whose}`,
    summary: `${people} for the outcome of ${whose}: each run first checks whether the platform shows their changes`,
    details: [],
    action: `no action is required until ${end}; then see "rollcall show ${first ?? id}"`,
    count: waiting,
  } as const;
}

async function causesOf(run: Run, store: Store): Promise<readonly string[]> {
  const findings = (await store.runs.findings(run.id, searchedFindings)).filter(({ code }) => causes.includes(code));
  const lines = findings.map(({ identification, at, message }) => {
    const where = [identification, at].filter((part) => part !== undefined).join(', ');
    return where === '' ? message : `${where}: ${message}`;
  });
  return firstOf(lines.slice(0, shownRows), lines.length);
}

/** Returns the reason without numbers, and words with numbers (ids, identifications), which differ from run to run. */
function withoutNumbers(reason: string): string {
  return reason.replace(/[^\s,;:()"']*\d[^\s,;:()"']*/g, '#').slice(0, 300);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const kinds = Object.keys(batchTroubles) as readonly (keyof typeof batchTroubles)[];
const shownBatches = 5;

/**
 * Returns the trouble that the run had with its batches so far: failed files, refused uploads, lost answers. Undefined
 * without any. `severity` is a warning: the rows of a failed file are read back, and what is missing goes again in
 * halves; what becomes of a whole run is judged at its end.
 */
async function judgeFiles(run: Run, store: Store): Promise<AlertProblem | undefined> {
  const batches = await store.batches.ofRun(run.id);
  const bad = batches.flatMap((batch) => {
    const trouble = troubleOf(batch);
    return trouble === undefined ? [] : [{ batch, trouble }];
  });
  if (bad.length === 0) return undefined;
  const found = kinds.filter((kind) => bad.some(({ trouble }) => trouble === kind));
  // The rows of a half are counted with the file that was split.
  const rows = bad.filter(({ batch }) => batch.parent === undefined).reduce((sum, { batch }) => sum + batch.size, 0);
  const counted = found.map((kind) => `${bad.filter(({ trouble }) => trouble === kind).length} ${kind}`).join(', ');
  const lines = bad.slice(0, shownBatches).map(({ batch, trouble }) => {
    const halves = batches.filter(({ parent }) => parent === batch.id).length;
    const split = halves === 0 ? '' : `; the missing rows are sent again in ${countOf(halves, 'part')}`;
    return `batch ${batch.number} (${countOf(batch.size, 'row')}): ${batchTroubles[trouble]}${split}`;
  });
  const settled = batches.filter(({ state }) => state === 'settled').length;
  return {
    topic: 'run',
    code: 'files-failed',
    severity: 'warning',
    key: `batches ${found.join()}`,
    title: `${counted} of ${countOf(batches.length, 'batch', 'batches')}`,
    summary: `The run ${run.id} has ${countOf(bad.length, 'batch', 'batches')} with problems (${countOf(rows, 'row')}): ${counted}`,
    details: firstOf(lines, bad.length),
    figures: [
      ['Batches with problems', bad.length],
      ['Rows', rows],
    ],
    unaffected: `The run continues: ${settled} of ${countOf(batches.length, 'batch', 'batches')} ended so far.`,
    action: `rollcall show ${run.id}`,
    count: Math.max(rows, 1),
    run: run.id,
  };
}

/** Returns that the run delivered everything in spite of its trouble; undefined when it had none. */
async function judgeHealed(run: Run, store: Store): Promise<AlertProblem | undefined> {
  const trouble = await judgeFiles(run, store);
  if (trouble === undefined) return undefined;
  const summary = `The run ${run.id} applied all changes in the end. Before that: ${trouble.title}. Their rows were read back or sent again`;
  const { title: _, ...rest } = trouble;
  return { ...rest, code: 'files-recovered', severity: 'info', summary, unaffected: undefined };
}
