import type { AddCommand } from './command.ts';
import { renderRecord } from './render-record.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

export const addExport: AddCommand = (program, host) => {
  const command = program
    .command('export')
    .description('show everything that the store has about one person; use --json for a file to hand over')
    .argument('<identification>', 'identification of the person, exactly as in the ledger');
  addSignatureOptions(command).action(host.action(exportPerson));
};

async function exportPerson(shell: Shell, identification: string, options: SignatureOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    const record = await app.exportPerson(identification, { by, ...signed });
    shell.printJson(record);
    shell.print(renderRecord(record));
    return 0;
  });
}
