import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { askAboutHeld, printDeclined, printVerdict, type VerdictOptions } from './verdict.ts';

export const addReject: AddCommand = (program, host) => {
  program
    .command('reject')
    .description(
      'reject the changes that a guard held in a run; they are not held again for 7 days, or until they change',
    )
    .argument('<run>', 'id of the run, or the end of the id')
    .option('--yes', 'skip the confirmation')
    .action((run: string, options: VerdictOptions, command: Command) =>
      host.run(command, (shell) => reject(shell, run, options)),
    );
};

async function reject(shell: Shell, id: string, options: VerdictOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const run = await askAboutHeld({ shell, app }, id, 'reject', options);
    return run === undefined
      ? printDeclined(shell)
      : printVerdict(shell, 'rejected', await app.reject(run.id, shell.io.operator));
  });
}
