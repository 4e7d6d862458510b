import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { askAboutHeld, tellDeclined, tellVerdict, type VerdictOptions } from './verdict.ts';

export const addApprove: AddCommand = (program, host) => {
  program
    .command('approve')
    .description('approve what a guard held in a run; the next run delivers it')
    .argument('<run>', 'id of the run; its end is enough')
    .option('--yes', 'do not ask')
    .action((run: string, options: VerdictOptions, command: Command) =>
      host.run(command, (shell) => approve(shell, run, options)),
    );
};

async function approve(shell: Shell, id: string, options: VerdictOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const run = await askAboutHeld(shell, app, id, 'approve', options);
    return run === undefined
      ? tellDeclined(shell)
      : tellVerdict(shell, 'approved', await app.approve(run.id, shell.io.operator));
  });
}
