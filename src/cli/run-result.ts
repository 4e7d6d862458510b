import type { ResyncReport, RunReport } from '../app/app.ts';
import { exitCodes } from '../core/report.ts';
import type { Outcome } from '../core/run.ts';
import { runJson } from './json-reports.ts';
import { renderRun } from './render-run.ts';
import type { Shell } from './shell.ts';
import { cleanLine } from './terminal-text.ts';

/** Tells what a run came to and gives its exit code. A run that has not ended is no failure. */
export function tellRun(shell: Shell, report: RunReport): number {
  shell.printJson(runJson(report));
  shell.print(renderRun(report, shell.style));
  const { outcome } = report.run;
  if (outcome === undefined) return 0;
  // An outcome of a newer version may be a failure, so it never counts as done.
  return Object.hasOwn(exitCodes, outcome) ? exitCodes[outcome as Outcome] : exitCodes.failed;
}

/** The same for a run that a running deployment may have been asked to do. */
export function tellResync(shell: Shell, sync: string, report: ResyncReport): number {
  if (report.kind === 'ran') return tellRun(shell, report.report);
  const { trigger, pause } = report;
  shell.printJson({ run: null, outcome: 'queued', trigger, isPaused: pause !== undefined });
  if (pause !== undefined) {
    const resume = shell.style.command(`resume ${sync}`);
    shell.print(`queued: ${cleanLine(pause.by)} has paused ${sync}; it begins when somebody resumes it:  ${resume}`);
    return 0;
  }
  shell.print(
    `queued: the running deployment starts it within a second or two; see ${shell.style.command(`runs ${sync}`)}. If it is not there after a minute, the deployment has ended meanwhile: start it again, or do it here:  ${shell.style.command(`apply ${sync}`)}`,
  );
  return 0;
}
