import type { AddCommand } from './command.ts';
import { instant } from './json-reports.ts';
import { stopWords } from './render-run.ts';
import { interruptedWords } from './render-status.ts';
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
    const { work } = await app.show(run);
    shell.printJson({ run, sync, isCancelRequested: true, endsBy: instant(work?.files?.untilMs) });
    shell.print(`run ${run} of ${sync} is canceled: ${stopWords(work)}; see ${shell.style.command(`show ${run}`)}`);
    if (work?.interrupted !== undefined) shell.print(interruptedWords(work.interrupted, sync, shell.style));
    return 0;
  });
}
