import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import { tellRun } from './run-result.ts';
import { scopeOf } from './run-scope.ts';
import type { Shell } from './shell.ts';

interface ApplyOptions {
  readonly approve?: string;
  readonly user?: readonly string[];
}

export const addApply: AddCommand = (program, host) => {
  program
    .command('apply')
    .description(
      'do one whole run here: read, compare, deliver, check; first the run that was interrupted, if there is one',
    )
    .argument('<sync>', 'name of the sync')
    .option('--approve <digest>', 'approve the changes of a plan that was shown, as far as they still stand')
    .option('--user <id...>', 'only these people, by identification')
    .action((sync: string, options: ApplyOptions, command: Command) =>
      host.run(command, (shell) => apply(shell, sync, options)),
    );
};

async function apply(shell: Shell, sync: string, { approve, user }: ApplyOptions): Promise<number> {
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      app.apply(sync, {
        ...watch,
        by: shell.io.operator,
        scope: scopeOf(user),
        ...(approve === undefined ? {} : { approve }),
      }),
    );
    return tellRun(shell, report);
  });
}
