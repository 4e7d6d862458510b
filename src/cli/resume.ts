import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';

export const addResume: AddCommand = (program, host) => {
  program
    .command('resume')
    .description('resume a paused sync; one run catches up missed slots')
    .argument('<sync>', 'name of the sync')
    .action(host.action(resume));
};

async function resume(shell: Shell, sync: string): Promise<number> {
  return shell.withApp({}, async (app) => {
    await app.resume(sync, shell.io.operator);
    shell.printJson({ sync, isPaused: false });
    shell.print(
      `${sync} is resumed: waiting requests start in a running deployment, and one run catches up missed slots`,
    );
    return 0;
  });
}
