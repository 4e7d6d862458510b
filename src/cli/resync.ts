import type { Command } from 'commander';
import { RollcallError } from '../core/errors.ts';
import type { AddCommand } from './command.ts';
import { printResync } from './run-result.ts';
import { scopeOf } from './run-scope.ts';
import type { Shell } from './shell.ts';

interface ResyncOptions {
  readonly full?: boolean;
  readonly user?: readonly string[];
}

export const addResync: AddCommand = (program, host) => {
  program
    .command('resync')
    .description('request a run now: a running deployment executes it, otherwise it runs here')
    .argument('<sync>', 'name of the sync')
    .option('--full', 'read all employees, also where the runs of the sync read only changed ones')
    .option('--user <id...>', 'only these employees, by identification')
    .action((sync: string, options: ResyncOptions, command: Command) =>
      host.run(command, (shell) => resync(shell, sync, options)),
    );
};

async function resync(shell: Shell, sync: string, { full, user }: ResyncOptions): Promise<number> {
  if (full === true && user !== undefined) {
    throw new RollcallError('--full and --user exclude each other: use one of them', { code: 'USAGE' });
  }
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      app.resync(sync, {
        ...watch,
        by: shell.io.operator,
        scope: full === true ? { kind: 'all', isFull: true } : scopeOf(user),
      }),
    );
    return printResync(shell, sync, report);
  });
}
