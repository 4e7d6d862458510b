import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import { tellResync } from './run-result.ts';
import type { Shell } from './shell.ts';

export const addRetry: AddCommand = (program, host) => {
  program
    .command('retry')
    .description('ask for another run about the same people as a run that has ended')
    .argument('<run>', 'id of the run; its end is enough')
    .action((run: string, _: object, command: Command) => host.run(command, (shell) => retry(shell, run)));
};

async function retry(shell: Shell, id: string): Promise<number> {
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const { run } = await app.show(id);
    return tellResync(
      shell,
      run.sync,
      await shell.watching((watch) => app.retry(run.id, { ...watch, by: shell.io.operator })),
    );
  });
}
