import { formatCount } from './amounts.ts';
import type { AddCommand } from './command.ts';
import { backupJson, countRows } from './render-backup.ts';
import { fromHere, type Shell } from './shell.ts';

export const addBackup: AddCommand = (program, host) => {
  program
    .command('backup')
    .description('write all data of the store to a new file, also while Rollcall is running')
    .argument('<file>', 'file to create; must not exist')
    .action(host.action(backUp));
};

async function backUp(shell: Shell, file: string): Promise<number> {
  const summary = await shell.io.backups.create(shell.configPath, fromHere(shell.io, file));
  shell.printJson(backupJson(summary));
  shell.print(
    [
      `wrote ${summary.file} (${formatCount(countRows(summary.rows), 'row')}, ${formatCount(summary.bytes, 'byte')}) and read it back: it is complete`,
      'The file contains personal data, and the tokens as they are in the store. Keep it apart from encryptionKey, which a restore needs.',
    ].join('\n'),
  );
  return 0;
}
