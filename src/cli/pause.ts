import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

export const addPause: AddCommand = (program, host) => {
  const command = program
    .command('pause')
    .description('pause a sync: no new run starts until the sync is resumed, and a current run continues')
    .argument('<sync>', 'name of the sync');
  addSignatureOptions(command).action(host.action(pause));
};

async function pause(shell: Shell, sync: string, options: SignatureOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    await app.pause(sync, by, signed);
    shell.printJson({ sync, isPaused: true });
    shell.print(
      `${sync} is paused: schedules and requests wait, and a current run continues. To resume it:  ${shell.style.command(`resume ${sync}`)}`,
    );
    return 0;
  });
}
