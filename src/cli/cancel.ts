import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

export const addCancel: AddCommand = (program, host) => {
  const command = program
    .command('cancel')
    .description('stop a run at its next safe point; drops the unsent changes')
    .argument('<run>', 'id of the run, or the end of the id');
  addSignatureOptions(command).action(host.action(cancel));
};

async function cancel(shell: Shell, id: string, options: SignatureOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    const { id: run, sync } = await app.cancel(id, by, signed);
    shell.printJson({ run, sync, isCancelRequested: true });
    shell.print(`run ${run} of ${sync} stops at its next safe point; see ${shell.style.command(`show ${run}`)}`);
    return 0;
  });
}
