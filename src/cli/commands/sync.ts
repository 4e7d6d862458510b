import { note } from '../../app/audit.ts';
import { planHere, planToShare } from '../../app/previews.ts';
import { type QueuedRun, type ResyncReport, requestOrRun, runSync } from '../../app/requests.ts';
import { findChanges, type PlanPages } from '../../app/runs.ts';
import { beginPause, endPause, untilWords } from '../../app/syncs.ts';
import { scopeOfUndo } from '../../app/undo.ts';
import type { ChangeClass } from '../../core/plan/change.ts';
import { usageError } from '../../core/run/errors.ts';
import { formatCount, formatInstant, isoInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { exitCodes } from '../../core/run/report.ts';
import type { Outcome } from '../../core/run/run.ts';
import type { PlanReport, Preview } from '../../ports/previews.ts';
import type { PlannedChange } from '../../ports/store.ts';
import { changeView } from '../../views/changes.ts';
import { planView } from '../../views/previews.ts';
import { type RunReport, runReportView } from '../../views/runs.ts';
import { type RequestResult, requestResultView } from '../../views/syncs.ts';
import { type PlanLimits, type parseUntil, readPeople, scopeOf, usualLimits } from '../options.ts';
import { type PlanOutcome, planEnd, renderPlan } from '../render/plan.ts';
import { renderRun } from '../render/run.ts';
import { seenWords } from '../render/status.ts';
import { fromHere, type Shell } from '../shell.ts';
import { cleanLine, type Style } from '../terminal.ts';
import { writePlanFile } from './plan-file.ts';

interface PlanOptions {
  readonly limit: PlanLimits;
  readonly out?: string;
  readonly user?: readonly string[];
  readonly share?: boolean;
  readonly undo?: string;
  readonly only?: readonly ChangeClass[];
}

export async function showPlan(shell: Shell, sync: string, options: PlanOptions): Promise<number> {
  const { limit = usualLimits, out, user, share, undo, only } = options;
  if (only !== undefined && undo === undefined) {
    throw usageError('--only requires --undo RUN');
  }
  const people = user === undefined ? undefined : await readPeople(shell, user);
  const { by } = await shell.caller();
  return shell.withApp({}, async (app) => {
    const order = { by, ...given({ only, users: people }) };
    const ofPeople = people && scopeOf(people);
    const scope = given({ scope: undo === undefined ? ofPeople : await scopeOfUndo(app, sync, undo, order) });
    const { report, preview } = await shell.watching<{ readonly report: PlanReport; readonly preview?: Preview }>(
      async (watch) =>
        share === true
          ? planToShare(app, sync, { ...watch, ...scope, by })
          : { report: await planHere(app, sync, { ...watch, ...scope }) },
    );
    const end = planEnd(report);
    const changes = await previewChanges(app, report.id, limit.shown);
    // The first changes that an edit of the configuration makes.
    const ofEdit = { limit: shownExamples, classes: ['configuration'], states } as const;
    const differing = report.facts.edit === undefined ? [] : await findChanges(app, report.id, ofEdit);
    // Classes of which the plan has more changes than `--limit` allows.
    const over = [...limit.most]
      .map(([name, most]) => ({ class: name, count: report.classes[name], limit: most }))
      .filter(({ count, limit: most }) => count > most);
    const edit = report.facts.edit && { ...report.facts.edit, examples: differing.map(changeView) };
    const json = { ...planJson(report, changes), edit: edit ?? null, overLimit: over };
    shell.printJson({ ...json, ...(preview === undefined ? {} : { preview: preview.id }) });
    shell.print(renderPlan(report, end, { changes, differing }, shell.style));
    for (const { class: name, count, limit: most } of over)
      shell.print(`\nover the limit: ${count} changes of the class ${name}, and --limit allows ${most}`);
    if (out !== undefined) {
      const written = await writePlanFile(fromHere(shell.io, out), report.id, app, shell.signal);
      await note({ action: 'plan-out', by, sync, detail: `${formatCount(written, 'change')} to a file` }, app.engine);
      shell.print(`\nthe whole plan (${written} changes) is in ${out}; it contains personal data`);
    }
    if (preview !== undefined) {
      const path = `/previews/${preview.id}`;
      const place = app.pageUrl === undefined ? `${path} on the page` : `${app.pageUrl}${path}`;
      shell.print(`\nto share it: ${place}, until ${formatInstant(preview.expiresAt)}`);
    }
    return over.length > 0 && end.outcome !== 'failed' ? planExitCodes.held : planExitCodes[end.outcome];
  });
}

export const planExitCodes: Readonly<Record<PlanOutcome, number>> = {
  planned: 0,
  'nothing-to-do': 0,
  failed: 1,
  held: 3,
  partial: 4,
};

const shownExamples = 3;

/** Rejected changes are counted, not shown. */
const states = ['planned', 'held'] as const;

/** The most dangerous class first. */
const classOrder: readonly ChangeClass[] = [
  'removes',
  'disables',
  'identity',
  'unleads',
  'handOvers',
  'configuration',
  'enables',
  'recreate',
  'creates',
  'emailChanges',
  'updates',
  'leads',
  'firstSight',
];

/**
 * Returns some changes of every class, at most `limit` in total, the most dangerous classes first. In a plan of 500
 * similar changes, the operator must see the four that disable a user.
 */
export async function previewChanges(app: PlanPages, planId: string, limit: number): Promise<PlannedChange[]> {
  if (limit === 0) return [];
  const pages = await Promise.all([
    ...classOrder.map((name) => findChanges(app, planId, { limit, classes: [name], states })),
    // What gives back what an edit had changed is in no class.
    findChanges(app, planId, { limit, states }),
  ]);
  const shown = new Map<string, PlannedChange>();
  for (let round = 0; round < limit && shown.size < limit; round += 1) {
    for (const page of pages) {
      const change = page[round];
      if (change !== undefined && shown.size < limit) shown.set(change.identification, change);
    }
  }
  const rank = ({ classes }: PlannedChange): number => Math.min(...classes.map((name) => classOrder.indexOf(name)));
  return [...shown.values()].sort((a, b) => rank(a) - rank(b));
}

/**
 * Prints the result of a run and returns its exit code. A run that has not ended is not a failure. `result`: how a run that
 * others requested too ended for the people of this request.
 */
function printRun(shell: Shell, report: RunReport, result?: RequestResult): number {
  const text = renderRun(report, shell.style);
  if (result === undefined) return shell.answer(runReportView(report), text, exitCodeOf(report.run.outcome));
  const { outcome, reason } = result;
  const why = reason === undefined ? '' : `: ${reason}`;
  const also = `The run also served other requests. For the people of this request: ${outcome}${why}`;
  const json = { ...runReportView(report), request: requestResultView(result) };
  return shell.answer(json, `${text}\n${also}`, exitCodeOf(outcome));
}

function exitCodeOf(outcome: RunReport['run']['outcome']): number {
  if (outcome === undefined) return 0;
  // An outcome of a newer version may be a failure, so it never counts as done.
  return Object.hasOwn(exitCodes, outcome) ? exitCodes[outcome as Outcome] : exitCodes.failed;
}

/** Prints the result of a resync, which may only be queued for a running deployment. */
export function printResync(shell: Shell, sync: string, report: ResyncReport, isWaiting = false): number {
  if (report.kind === 'ran') return printRun(shell, report.report, report.result);
  const { trigger, pause, deploymentSeenAt } = report;
  // A caller that waits for the end must not take a run that did not end for a success.
  const exitCode = isWaiting ? exitCodes.failed : 0;
  const isPaused = pause !== undefined;
  const json = { id: null, outcome: 'queued', trigger, isPaused, deploymentSeenAt: isoInstant(deploymentSeenAt) };
  return shell.answer(json, queuedWords(sync, report, shell.style), exitCode);
}

function queuedWords(
  sync: string,
  { trigger, pause, deploymentSeenAt, isLate }: QueuedRun,
  { command }: Style,
): string {
  if (pause !== undefined) {
    const end = pause.until === undefined ? '' : ` ${untilWords(pause)}`;
    return `queued: ${cleanLine(pause.by)} paused ${sync}${end}; the run starts when it is resumed:  ${command(`resume ${sync}`)}`;
  }
  const seen = `see ${command(`runs ${sync}`)}`;
  if (isLate === true) return `the run has not ended within --timeout. The request ${trigger} stays; ${seen}`;
  return `queued: the deployment${seenWords(deploymentSeenAt)} should start it within seconds; ${seen}. If no run appears within a minute, start the deployment again, or run it here:  ${command(`apply ${sync}`)}`;
}

export async function applySync(
  shell: Shell,
  sync: string,
  { approve, user }: { readonly approve?: string; readonly user?: readonly string[] },
): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true, mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      runSync(app, sync, {
        ...watch,
        ...caller,
        scope: scopeOf(user),
        ...given({ approve }),
      }),
    );
    return printRun(shell, report);
  });
}

interface ResyncOptions {
  readonly full?: boolean;
  readonly user?: readonly string[];
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly key?: string;
}

export async function requestRun(shell: Shell, sync: string, options: ResyncOptions): Promise<number> {
  const { full, user, wait, timeout, key } = options;
  if (timeout !== undefined && wait !== true) {
    throw usageError('--timeout limits the wait of --wait: use both, or neither');
  }
  if (full === true && user !== undefined) {
    throw usageError('--full and --user exclude each other: use one of them');
  }
  const people = user === undefined ? undefined : await readPeople(shell, user);
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true, mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      requestOrRun(app, sync, {
        ...watch,
        ...caller,
        scope: full === true ? { kind: 'all', isFull: true } : scopeOf(people),
        ...given({ key, isWaiting: wait, timeoutMs: timeout }),
      }),
    );
    return printResync(shell, sync, report, wait === true);
  });
}

export async function pauseSync(
  shell: Shell,
  sync: string,
  { until }: { readonly until?: ReturnType<typeof parseUntil> },
): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true }, async (app) => {
    const { until: endsAt } = await beginPause(app, sync, { ...caller, ...given({ until }) });
    const end = endsAt === undefined ? '' : ` until ${formatInstant(endsAt)}`;
    const resume = shell.style.command(`resume ${sync}`);
    return shell.answer(
      { sync, isPaused: true, until: isoInstant(endsAt) },
      `${sync} is paused${end}: schedules and requests wait, and a current run continues. To resume it${endsAt === undefined ? '' : ' earlier'}:  ${resume}`,
    );
  });
}

export async function resumeSync(shell: Shell, sync: string): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true }, async (app) => {
    await endPause(app, sync, caller);
    return shell.answer(
      { sync, isPaused: false },
      `${sync} is resumed: waiting requests start in a running deployment, and one run catches up missed slots`,
    );
  });
}

/** The object of `plan --json`. `id` is that of the stored plan, because there is no run yet. */
export function planJson(report: PlanReport, changes: readonly PlannedChange[]) {
  const { outcome, reason, reasons } = planEnd(report);
  return { ...planView(report), outcome, reason: reason ?? null, reasons, changes: changes.map(changeView) };
}
