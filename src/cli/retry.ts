import type { AddCommand } from './command.ts';
import { printResync } from './run-result.ts';
import type { Shell } from './shell.ts';

export const addRetry: AddCommand = (program, host) => {
  program
    .command('retry')
    .description('request another run with the scope of a run that has ended')
    .argument('<run>', 'id of the run, or the end of the id')
    .action(host.action(retry));
};

async function retry(shell: Shell, id: string): Promise<number> {
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const { run } = await app.show(id);
    return printResync(
      shell,
      run.sync,
      await shell.watching((watch) => app.retry(run.id, { ...watch, by: shell.io.operator })),
    );
  });
}
