import { RollcallError } from '../core/run/errors.ts';
import type { AddCommand } from './command.ts';
import { backupJson, renderRestored, renderRestorePreview } from './render-backup.ts';
import { fromHere, type Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

interface RestoreOptions extends SignatureOptions {
  readonly replace?: boolean;
  readonly yes?: boolean;
}

export const addRestore: AddCommand = (program, host) => {
  const command = program
    .command('restore')
    .description('replace the store (SQLite or PostgreSQL) with a backup; stop every process that uses the store first')
    .argument('<file>', 'file of "rollcall backup"')
    .option('--replace', 'replace a store that is not empty')
    .option('--yes', 'skip the confirmation');
  addSignatureOptions(command).action(host.action(restore));
};

async function restore(shell: Shell, name: string, options: RestoreOptions): Promise<number> {
  const { replace = false, yes = false } = options;
  const { backups } = shell.io;
  const { by, signed } = signatureOf(shell, options);
  const file = fromHere(shell.io, name);
  const preview = await backups.preview(shell.configPath, file);
  shell.print(renderRestorePreview(preview));
  if (Object.keys(preview.replaces.rows).length > 0) {
    if (!replace) {
      const message = `the store ${preview.replaces.place} is not empty. Nothing was changed. To replace its content, make a backup of it first, then add --replace.`;
      throw new RollcallError(message, { code: 'USAGE' });
    }
    if (!(await shell.confirm('Replace the store?', yes))) {
      throw new RollcallError('nothing was restored', { code: 'CANCELLED' });
    }
  }
  const { backup, replaces, effects } = await backups.restore(shell.configPath, file, { by, ...signed });
  shell.printJson({
    restored: true,
    store: replaces.place,
    backup: backupJson(backup),
    replaced: replaces.rows,
    ...effects,
  });
  shell.print(renderRestored({ backup, replaces }, effects));
  return 0;
}
