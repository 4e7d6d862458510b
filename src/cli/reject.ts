import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { askAboutHeld, tellDeclined, tellVerdict, type VerdictOptions } from './verdict.ts';

export const addReject: AddCommand = (program, host) => {
  program
    .command('reject')
    .description('refuse what a guard held in a run; it is not asked about again for 7 days, or until it changes')
    .argument('<run>', 'id of the run; its end is enough')
    .option('--yes', 'do not ask')
    .action((run: string, options: VerdictOptions, command: Command) =>
      host.run(command, (shell) => reject(shell, run, options)),
    );
};

async function reject(shell: Shell, id: string, options: VerdictOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const run = await askAboutHeld(shell, app, id, 'reject', options);
    return run === undefined
      ? tellDeclined(shell)
      : tellVerdict(shell, 'rejected', await app.reject(run.id, shell.io.operator));
  });
}
