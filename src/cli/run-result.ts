import type { ResyncReport, RunReport } from '../app/app.ts';
import type { RequestResult } from '../app/request-result.ts';
import { exitCodes } from '../core/run/report.ts';
import type { Outcome } from '../core/run/run.ts';
import { instant, runJson } from './json-reports.ts';
import { renderRun } from './render-run.ts';
import { seenWords } from './render-status.ts';
import type { Shell } from './shell.ts';
import { cleanLine } from './terminal-text.ts';

/** Prints the result of a run and returns its exit code. A run that has not ended is not a failure. */
export function printRun(shell: Shell, report: RunReport): number {
  shell.printJson(runJson(report));
  shell.print(renderRun(report, shell.style));
  return exitCodeOf(report.run.outcome);
}

/** Prints a run that others requested too, and how it ended for the people of this request. */
function printJoined(shell: Shell, report: RunReport, { outcome, reason, changes }: RequestResult): number {
  shell.printJson({ ...runJson(report), request: { outcome, reason: reason ?? null, changes } });
  shell.print(renderRun(report, shell.style));
  const why = reason === undefined ? '' : `: ${reason}`;
  shell.print(`The run also served other requests. For the people of this request: ${outcome}${why}`);
  return exitCodeOf(outcome);
}

function exitCodeOf(outcome: RunReport['run']['outcome']): number {
  if (outcome === undefined) return 0;
  // An outcome of a newer version may be a failure, so it never counts as done.
  return Object.hasOwn(exitCodes, outcome) ? exitCodes[outcome as Outcome] : exitCodes.failed;
}

/** Prints the result of a resync, which may only be queued for a running deployment. */
export function printResync(shell: Shell, sync: string, report: ResyncReport): number {
  if (report.kind === 'ran') {
    const { report: of, result } = report;
    return result === undefined ? printRun(shell, of) : printJoined(shell, of, result);
  }
  const { trigger, pause, deploymentSeenAt } = report;
  const isPaused = pause !== undefined;
  shell.printJson({ run: null, outcome: 'queued', trigger, isPaused, deploymentSeenAt: instant(deploymentSeenAt) });
  if (pause !== undefined) {
    const resume = shell.style.command(`resume ${sync}`);
    shell.print(`queued: ${cleanLine(pause.by)} paused ${sync}; the run starts when it is resumed:  ${resume}`);
    return 0;
  }
  shell.print(
    `queued: the deployment${seenWords(deploymentSeenAt)} starts it within seconds if it still runs; see ${shell.style.command(`runs ${sync}`)}. If the run does not appear within a minute, the deployment has ended: start it again, or run it here:  ${shell.style.command(`apply ${sync}`)}`,
  );
  return 0;
}
