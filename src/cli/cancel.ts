import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';

export const addCancel: AddCommand = (program, host) => {
  program
    .command('cancel')
    .description('stop a run at its next safe point; drops what was not sent')
    .argument('<run>', 'id of the run, or the end of the id')
    .action((run: string, _: object, command: Command) => host.run(command, (shell) => cancel(shell, run)));
};

async function cancel(shell: Shell, id: string): Promise<number> {
  return shell.withApp({}, async (app) => {
    const { id: run, sync } = await app.cancel(id, shell.io.operator);
    shell.printJson({ run, sync, isCancelRequested: true });
    shell.print(`run ${run} of ${sync} stops at its next safe point; see ${shell.style.command(`show ${run}`)}`);
    return 0;
  });
}
