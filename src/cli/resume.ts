import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

export const addResume: AddCommand = (program, host) => {
  const command = program
    .command('resume')
    .description('resume a paused sync; one run catches up missed slots')
    .argument('<sync>', 'name of the sync');
  addSignatureOptions(command).action(host.action(resume));
};

async function resume(shell: Shell, sync: string, options: SignatureOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    await app.resume(sync, by, signed);
    shell.printJson({ sync, isPaused: false });
    shell.print(
      `${sync} is resumed: waiting requests start in a running deployment, and one run catches up missed slots`,
    );
    return 0;
  });
}
