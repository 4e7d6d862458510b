import { findDecisions } from '../../app/changes/search-changes.ts';
import { planHere } from '../../app/previews.ts';
import { repeatRun, stopRun } from '../../app/requests.ts';
import { describeRun, findChanges, findRuns, readRawTexts } from '../../app/runs.ts';
import { readSyncStates } from '../../app/syncs.ts';
import { undoRun, undoScope } from '../../app/undo.ts';
import type { ChangeClass } from '../../core/plan/change.ts';
import { formatCount, formatInstant, formatNumber, isoInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { ChangeState } from '../../core/run/run.ts';
import { foundChangeView } from '../../views/changes.ts';
import { rawTextListView, runFactsView, runReportView, runView } from '../../views/runs.ts';
import { readPeople } from '../options.ts';
import { renderAllFindings, renderDecided, renderRawTexts } from '../render/changes.ts';
import { changesInAll } from '../render/counts.ts';
import { planEnd, renderPlan } from '../render/plan.ts';
import { renderRun, renderRuns, shownReasons, stopWords } from '../render/run.ts';
import { interruptedWords } from '../render/status.ts';
import { printDeclined, type Shell } from '../shell.ts';
import { cleanLine } from '../terminal.ts';
import { planExitCodes, planJson, previewChanges, printResync } from './sync.ts';

interface ShowOptions {
  readonly failed?: boolean;
  readonly held?: boolean;
  readonly changes?: boolean;
  readonly findings?: boolean;
  readonly limit: number;
}

export async function showRun(shell: Shell, id: string, options: ShowOptions): Promise<number> {
  const { limit } = options;
  return shell.withApp({}, async (app) => {
    const report = await describeRun(app, id);
    const states = statesOf(options);
    if (options.findings === true && states === undefined) {
      return shell.answer(runReportView(report), renderAllFindings(report));
    }
    const rawTexts = shell.isRaw ? await readRawTexts(app, report.run.id) : undefined;
    const raw = rawTexts === undefined ? {} : { rawTexts: rawTextListView(rawTexts).texts };
    if (states === undefined) {
      shell.printJson({ ...runReportView(report), ...raw });
      shell.print(renderRun(report, shell.style));
      if (rawTexts !== undefined) shell.print(renderRawTexts(rawTexts));
      return 0;
    }
    const query = states === 'all' ? {} : { states };
    const found = await findChanges(app, report.run.id, { ...query, limit: limit + 1 });
    const changes = found.slice(0, limit);
    const decisions = await findDecisions(report.run.sync, changes, app.engine);
    const told = changes.map((change) => ({ change, decision: decisions.get(change.hash) }));
    shell.printJson({ ...runReportView(report), changes: told.map(foundChangeView), ...raw });
    shell.print(renderRun(report, shell.style));
    const more = found.length > limit ? `\n… and more than these ${formatNumber(limit)}: raise --limit` : '';
    shell.print(
      `\n${changes.length === 0 ? 'no such changes' : renderDecided(told, shownReasons(report), shell)}${more}`,
    );
    if (rawTexts !== undefined) shell.print(renderRawTexts(rawTexts));
    return 0;
  });
}

/** Undefined: no changes were requested. */
function statesOf({ failed, held, changes }: ShowOptions): readonly ChangeState[] | 'all' | undefined {
  if (changes === true) return 'all';
  if (failed !== true && held !== true) return undefined;
  return [
    ...(failed === true ? (['failed', 'unresolved'] as const) : []),
    ...(held === true ? (['held'] as const) : []),
  ];
}

export async function listRuns(
  shell: Shell,
  sync: string | undefined,
  { limit }: { readonly limit: number },
): Promise<number> {
  return shell.withApp({}, async (app) => {
    const found = await findRuns(app, { limit, ...given({ sync }) });
    shell.printJson({ runs: found.map(runFactsView) });
    shell.print(found.length === 0 ? 'no runs yet' : renderRuns(found, shell.io.clock.now(), shell.style));
    for (const { name, pause } of await readSyncStates(app)) {
      if (pause === undefined || (sync !== undefined && name !== sync)) continue;
      shell.print(
        `${name} is paused by ${cleanLine(pause.by)}${pause.until === undefined ? '' : ` until ${formatInstant(pause.until)}`}; to resume it:  ${shell.style.command(`resume ${name}`)}`,
      );
    }
    return 0;
  });
}

export async function cancelRun(shell: Shell, id: string): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true }, async (app) => {
    const { id: run, sync } = await stopRun(app, id, caller);
    const report = await describeRun(app, run);
    const { work } = report;
    shell.printJson({ ...runView(report.run), endsBy: isoInstant(work?.files?.untilMs) });
    shell.print(`run ${run} of ${sync} is canceled: ${stopWords(work)}; see ${shell.style.command(`show ${run}`)}`);
    if (work?.interrupted !== undefined) shell.print(interruptedWords(work.interrupted, sync, shell.style));
    return 0;
  });
}

interface UndoOptions {
  readonly only?: readonly ChangeClass[];
  readonly user?: readonly string[];
  readonly wait?: boolean;
  readonly yes?: boolean;
  readonly onlyShow?: boolean;
}

/** Number of changes that are shown before the confirmation. */
const shownInverses = 20;

export async function undoOneRun(
  shell: Shell,
  id: string,
  { only, user, wait, yes, onlyShow = false }: UndoOptions,
): Promise<number> {
  const users = user === undefined ? undefined : await readPeople(shell, user);
  const caller = await shell.caller();
  const order = { ...caller, ...given({ only, users }) };
  return shell.withApp(onlyShow ? {} : { hasEffect: true, mayPresentSeed: true }, async (app) => {
    const { run, scope } = await undoScope(app, id, order);
    // Without a terminal this refuses before the source or the platform is read.
    if (!onlyShow && yes !== true && (shell.isJson || shell.io.ask === undefined)) await shell.confirm('');
    if (onlyShow || yes !== true) {
      const report = await shell.watching((watch) => planHere(app, run.sync, { ...watch, scope }));
      const changes = await previewChanges(app, report.id, shownInverses);
      const end = planEnd(report);
      if (onlyShow) shell.printJson(planJson(report, changes));
      shell.print(renderPlan(report, end, { changes, differing: [] }, shell.style));
      const inAll = changesInAll(report.counts);
      if (onlyShow || report.failure !== undefined || inAll === 0) return planExitCodes[end.outcome];
      const question = `make ${formatCount(inAll, 'change')} to undo run ${run.id}?`;
      if (!(await shell.confirm(question))) return printDeclined(shell);
    }
    const report = await shell.watching((watch) =>
      undoRun(app, run.id, { ...watch, ...order, ...given({ isWaiting: wait }) }),
    );
    return printResync(shell, run.sync, report);
  });
}

export async function retryRun(shell: Shell, id: string): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true, mayPresentSeed: true }, async (app) => {
    const { run } = await describeRun(app, id);
    return printResync(
      shell,
      run.sync,
      await shell.watching((watch) => repeatRun(app, run.id, { ...watch, ...caller })),
    );
  });
}
