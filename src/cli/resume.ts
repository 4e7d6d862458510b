import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';

export const addResume: AddCommand = (program, host) => {
  program
    .command('resume')
    .description('let runs of a paused sync begin again; what was missed is caught up once')
    .argument('<sync>', 'name of the sync')
    .action((sync: string, _: object, command: Command) => host.run(command, (shell) => resume(shell, sync)));
};

async function resume(shell: Shell, sync: string): Promise<number> {
  return shell.withApp({}, async (app) => {
    await app.resume(sync, shell.io.operator);
    shell.printJson({ sync, isPaused: false });
    shell.print(`${sync} goes on: what waits begins with a running deployment, and missed slots are caught up once`);
    return 0;
  });
}
