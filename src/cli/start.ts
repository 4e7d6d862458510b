import { type Command, Option } from 'commander';
import { RollcallError } from '../core/errors.ts';
import type { App, Role } from '../ports/app.ts';
import { formatCount } from './amounts.ts';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';

interface StartOptions {
  readonly role: Role | 'server';
}

export const addStart: AddCommand = (program, host) => {
  program
    .command('start')
    .description('run the schedules, and everything that other shells ask for, until it is stopped')
    .addOption(
      new Option('--role <role>', 'which part of the work this process does')
        .choices(['all', 'scheduler', 'worker', 'server'])
        .default('all'),
    )
    .action((options: StartOptions, command: Command) => host.run(command, (shell) => start(shell, options)));
};

async function start(shell: Shell, { role }: StartOptions): Promise<number> {
  if (role === 'server') {
    const message = '--role server is not in this version: use all, scheduler or worker';
    throw new RollcallError(message, { code: 'USAGE' });
  }
  return shell.withApp({ mayPresentSeed: true, logs: 'on' }, async (app) => {
    const onReady = () => {
      shell.printJson({ ready: true, syncs: app.syncs });
      // Elsewhere the logs alone speak: a line between them would not be JSON.
      if (shell.io.stdout.isTTY === true) shell.print(renderReady(app));
    };
    await app.start({ signal: shell.signal, progress: () => {}, onReady, role });
    // Being stopped is how it ends.
    return 0;
  });
}

function renderReady({ syncs }: App): string {
  const scheduled = syncs.filter(({ schedule }) => schedule !== undefined).length;
  return `running: ${formatCount(syncs.length, 'sync')}, ${scheduled} on a schedule; Ctrl-C stops it at the next safe place`;
}
