import type { PlanReport } from '../app/app.ts';
import { formatInstant } from '../core/run/instant.ts';
import type { Preview } from '../ports/previews.ts';
import type { AddCommand } from './command.ts';
import { planJson } from './json-reports.ts';
import { parseWholeNumber } from './parse-options.ts';
import { readPeople } from './people-file.ts';
import { writePlanFile } from './plan-file.ts';
import { planExitCodes, planOutcome } from './plan-outcome.ts';
import { previewChanges } from './plan-preview.ts';
import { renderPlan } from './render-plan.ts';
import { scopeOf } from './run-scope.ts';
import { fromHere, type Shell } from './shell.ts';

interface PlanOptions {
  readonly limit: number;
  readonly out?: string;
  readonly user?: readonly string[];
  readonly share?: boolean;
}

export const addPlan: AddCommand = (program, host) => {
  program
    .command('plan')
    .description('show what a run would change; writes nothing to the platform')
    .argument('<sync>', 'name of the sync')
    .option('--limit <n>', 'number of changes to show with their fields', parseWholeNumber, 10)
    .option(
      '--out <file>',
      'write the whole plan to a file: .json, .csv, or any other name for one JSON object per line',
    )
    .option('--user <id...>', 'only these employees, by identification, or @FILE with one on each line')
    .option('--share', 'keep the plan for 7 days as a preview that others can open on the page')
    .action(host.action(plan));
};

interface Shared {
  readonly report: PlanReport;
  readonly preview?: Preview;
}

async function plan(shell: Shell, sync: string, { limit, out, user, share }: PlanOptions): Promise<number> {
  const people = user === undefined ? undefined : await readPeople(shell, user);
  const scope = people === undefined ? {} : { scope: scopeOf(people) };
  return shell.withApp({}, async (app) => {
    const { report, preview } = await shell.watching<Shared>(async (watch) =>
      share === true
        ? app.planToShare(sync, { ...watch, ...scope, by: shell.io.operator })
        : { report: await app.plan(sync, { ...watch, ...scope }) },
    );
    const outcome = planOutcome(report);
    const changes = await previewChanges(app, report.id, limit);
    shell.printJson({ ...planJson(report, changes), ...(preview === undefined ? {} : { preview: preview.id }) });
    shell.print(renderPlan(report, outcome, changes, shell.style));
    if (out !== undefined) {
      const written = await writePlanFile(fromHere(shell.io, out), report.id, app, shell.signal);
      shell.print(`\nthe whole plan (${written} changes) is in ${out}; it contains personal data`);
    }
    if (preview !== undefined) {
      const path = `/previews/${preview.id}`;
      const place = app.pageUrl === undefined ? `${path} on the page` : `${app.pageUrl}${path}`;
      shell.print(`\nto share it: ${place}, until ${formatInstant(preview.expiresAt)}`);
    }
    return planExitCodes[outcome];
  });
}
