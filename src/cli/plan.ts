import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import { planJson } from './json-reports.ts';
import { parseWholeNumber } from './parse-options.ts';
import { writePlanFile } from './plan-file.ts';
import { planExitCodes, planOutcome } from './plan-outcome.ts';
import { previewChanges } from './plan-preview.ts';
import { renderPlan } from './render-plan.ts';
import { fromHere, type Shell } from './shell.ts';

interface PlanOptions {
  readonly limit: number;
  readonly out?: string;
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
    .action((sync: string, options: PlanOptions, command: Command) =>
      host.run(command, (shell) => plan(shell, sync, options)),
    );
};

async function plan(shell: Shell, sync: string, { limit, out }: PlanOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const report = await shell.watching((watch) => app.plan(sync, watch));
    const outcome = planOutcome(report);
    const changes = await previewChanges(app, report.id, limit);
    shell.printJson(planJson(report, changes));
    shell.print(renderPlan(report, outcome, changes, shell.style));
    if (out !== undefined) {
      const written = await writePlanFile(fromHere(shell.io, out), report.id, app, shell.signal);
      shell.print(`\nthe whole plan (${written} changes) is in ${out}; it contains personal data`);
    }
    return planExitCodes[outcome];
  });
}
