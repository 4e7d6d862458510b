import type { Command } from 'commander';
import { RollcallError } from '../core/errors.ts';
import type { AddCommand } from './command.ts';
import { tellResync } from './run-result.ts';
import { scopeOf } from './run-scope.ts';
import type { Shell } from './shell.ts';

interface ResyncOptions {
  readonly full?: boolean;
  readonly user?: readonly string[];
}

export const addResync: AddCommand = (program, host) => {
  program
    .command('resync')
    .description('ask for a run now: a running deployment does it, else it happens here')
    .argument('<sync>', 'name of the sync')
    .option('--full', 'read everybody, also where the sync has deltas: its runs read only who has changed')
    .option('--user <id...>', 'only these people, by identification')
    .action((sync: string, options: ResyncOptions, command: Command) =>
      host.run(command, (shell) => resync(shell, sync, options)),
    );
};

async function resync(shell: Shell, sync: string, { full, user }: ResyncOptions): Promise<number> {
  if (full === true && user !== undefined) {
    throw new RollcallError('--full is everybody and --user is somebody: give one of them', { code: 'USAGE' });
  }
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      app.resync(sync, {
        ...watch,
        by: shell.io.operator,
        scope: full === true ? { kind: 'all', isFull: true } : scopeOf(user),
      }),
    );
    return tellResync(shell, sync, report);
  });
}
