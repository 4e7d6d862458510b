import type { ErrorCode } from '../../core/run/errors.ts';
import { noPlan } from '../../core/run/facts.ts';
import type { FindingCode } from '../../core/run/finding.ts';
import { countOf, firstOf, formatInstant } from '../../core/run/formats.ts';
import { accessWords } from '../../core/run/report.ts';
import type { AlertProblem, Figures } from '../../ports/alerts.ts';
import type { Run, Store } from '../../ports/store.ts';

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
 * Returns what an ended run shows about its sync: a problem, or `well`. `known`: the open
 * problem of its topic. Undefined when the run shows nothing new:
 * - The operator canceled it and every outcome is known, or this version does not know its outcome.
 * - It held the changes that failed before, so it shows nothing about them.
 * - It was about named people: it ends no problem of others, and does not cover a problem of a whole run. When the
 *   source does not know some of them, or an undo leaves some as they are, and nothing else is wrong, only the person who
 *   made the request gets the answer.
 */
export async function judgeRun(
  run: Run,
  store: Store,
  known?: AlertProblem,
): Promise<AlertProblem | 'well' | undefined> {
  const isUnknown = run.outcome === 'cancelled' && run.counts.unresolved > 0;
  const isHeld = run.outcome === 'held' && !run.isSuccess;
  if (run.outcome === 'failed' || run.outcome === 'partial' || isHeld || isUnknown) {
    if (run.scope.kind === 'users' && (run.plan?.sourceRows === 0 || concernsOnlyTheRequester(run))) return undefined;
    if (run.isSuccess && run.scope.kind === 'users') return undefined;
    const problem = run.outcome === 'failed' ? await failedRun(run, store) : await partialRun(run, store);
    return inScope(problem, run, known);
  }
  if (!run.isSuccess) return undefined;
  if (run.scope.kind === 'users' && !isAbout(run.scope.identifications, known)) return undefined;
  return (await holdsFailed(run, known, store)) ? undefined : 'well';
}

/** Returns whether the run is partial only because of what was requested: nothing failed, waits or was read in part. */
function concernsOnlyTheRequester({ outcome, counts, plan = noPlan }: Run): boolean {
  const waiting = (plan.blocked.unresolved ?? 0) + plan.createsWait;
  const isWhole = counts.failed + counts.unresolved + waiting === 0 && plan.sourceGaps.length === 0;
  return (outcome === 'partial' || outcome === 'held') && isWhole;
}

/** Returns whether the run held changes that failed in the run of the open problem: those people are not repaired yet. */
async function holdsFailed(run: Run, known: AlertProblem | undefined, store: Store): Promise<boolean> {
  if (run.counts.held === 0 || known?.code !== 'run-partial' || known.run === undefined) return false;
  const failed = await store.plans.page(known.run, { limit: searchedFailures, states: ['failed', 'unresolved'] });
  const names = failed.map(({ identification }) => identification);
  const again = await store.plans.getMany(run.id, names, 'all');
  return again.some(({ state }) => state === 'held');
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
  const unknown = `${countOf(unresolved, 'change')} unresolved: later runs first check whether ${unresolved === 1 ? 'it was' : 'they were'} applied`;
  const parts = [
    applied === 0 ? 'no change is known to be applied' : `${countOf(applied, 'change')} applied before the failure`,
    ...(unresolved > 0 ? [unknown] : []),
  ];
  return {
    topic: 'run',
    code: 'run-failed',
    severity: 'critical',
    key: `failed ${withoutNumbers(run.reason ?? '')}`,
    title: failedTitle(run),
    figures: figuresOf(run),
    summary: `The ${nameOf(run)} failed: ${run.reason ?? 'the reason is not known'}`,
    details: await causesOf(run, store),
    unaffected: `${sentence(parts.join('; '))} The next run plans the unsent changes again.`,
    action: `rollcall show ${run.id}`,
    run: run.id,
  };
}

/** What ended a run, where an operator can name it in a few words. */
const failures: Readonly<Partial<Record<ErrorCode, string>>> = {
  SOURCE_UNAVAILABLE: 'the source cannot be read',
  SOURCE_REFUSED: 'the source refuses the credentials',
  SCAN_INCOMPLETE: 'the users of the platform were not read completely',
  PLATFORM_ANSWER_INVALID: 'the platform answers something else than its API',
  PLATFORM_REFUSED: 'the platform refuses a request',
};

function failedTitle({ scope, end, plan }: Run): string {
  const what = scope.kind === 'all' ? 'the run failed' : 'the run about named people failed';
  const isUnusable = plan !== undefined && plan.platformUsers === undefined && end?.failure === undefined;
  const why = isUnusable ? 'the source cannot be used' : failures[end?.failure ?? 'USAGE'];
  return why === undefined ? what : `${what}: ${why}`;
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
  const { sourceGaps, blocked, createsWait } = run.plan ?? noPlan;
  const isRead = sourceGaps.length === 0;
  const waiting = blocked.unresolved ?? 0;
  if (failed + unresolved === 0 && waiting > 0 && isRead) return { ...base, ...waitingPeople(run, waiting) };
  if (failed + unresolved === 0 && createsWait > 0 && isRead) {
    const title = `${countOf(createsWait, 'person has', 'people have')} no account: creates had no effect`;
    const own = { code: 'run-partial', key: 'partial creates', title, count: createsWait } as const;
    return { ...base, ...own, details: [], action: `rollcall show ${run.id} --findings` };
  }
  if (failed + unresolved === 0) {
    const rows = (await store.runs.findings(run.id, searchedFindings)).filter(({ code }) => rowCodes.includes(code));
    const what =
      rows.length === 0
        ? 'the source was not read completely'
        : `${countOf(rows.length, 'row needs', 'rows need')} a fix in HR`;
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
function accessProblem({ id, plan = noPlan }: Run) {
  return {
    code: 'run-incomplete',
    key: 'access',
    title: accessWords(plan),
    details: plan.access.cause === undefined ? [] : [plan.access.cause],
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
