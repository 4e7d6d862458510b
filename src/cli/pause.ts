import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';

export const addPause: AddCommand = (program, host) => {
  program
    .command('pause')
    .description('let a running deployment begin no run of a sync until it is resumed; a run under way goes on')
    .argument('<sync>', 'name of the sync')
    .action((sync: string, _: object, command: Command) => host.run(command, (shell) => pause(shell, sync)));
};

async function pause(shell: Shell, sync: string): Promise<number> {
  return shell.withApp({}, async (app) => {
    await app.pause(sync, shell.io.operator);
    shell.printJson({ sync, isPaused: true });
    shell.print(
      `${sync} is paused: schedules and requests wait, a run under way goes on. To go on:  ${shell.style.command(`resume ${sync}`)}`,
    );
    return 0;
  });
}
