import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { askAboutHeld, printDeclined, printVerdict, type VerdictOptions } from './verdict.ts';

export const addApprove: AddCommand = (program, host) => {
  program
    .command('approve')
    .description('approve the changes that a guard held in a run; the next run delivers them')
    .argument('<run>', 'id of the run, or the end of the id')
    .option('--yes', 'skip the confirmation')
    .action((run: string, options: VerdictOptions, command: Command) =>
      host.run(command, (shell) => approve(shell, run, options)),
    );
};

async function approve(shell: Shell, id: string, options: VerdictOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const run = await askAboutHeld({ shell, app }, id, 'approve', options);
    return run === undefined
      ? printDeclined(shell)
      : printVerdict(shell, 'approved', await app.approve(run.id, shell.io.operator));
  });
}
