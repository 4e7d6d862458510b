import type { AddCommand } from './command.ts';
import { runFactsJson } from './json-reports.ts';
import { parsePositive } from './parse-options.ts';
import { renderRuns } from './render-runs.ts';
import type { Shell } from './shell.ts';
import { cleanLine } from './terminal-text.ts';

interface RunsOptions {
  readonly limit: number;
}

export const addRuns: AddCommand = (program, host) => {
  program
    .command('runs')
    .description('list runs, newest first')
    .argument('[sync]', 'only runs of this sync')
    .option('--limit <n>', 'maximum number of runs', parsePositive, 20)
    .action(host.action(runs));
};

async function runs(shell: Shell, sync: string | undefined, { limit }: RunsOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const found = await app.runs(sync === undefined ? { limit } : { sync, limit });
    shell.printJson({ runs: found.map(runFactsJson) });
    shell.print(found.length === 0 ? 'no runs yet' : renderRuns(found, shell.io.clock.now(), shell.style));
    for (const { name, pause } of await app.syncStates()) {
      if (pause === undefined || (sync !== undefined && name !== sync)) continue;
      shell.print(
        `${name} is paused by ${cleanLine(pause.by)}; to resume it:  ${shell.style.command(`resume ${name}`)}`,
      );
    }
    return 0;
  });
}
