import { countParts, isEmpty, sizeOf } from '../app/person-records.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { PersonRecord } from '../ports/store.ts';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';
import { cleanLine } from './terminal-text.ts';

interface ForgetOptions extends SignatureOptions {
  readonly yes?: boolean;
}

export const addForget: AddCommand = (program, host) => {
  const command = program
    .command('forget')
    .description('erase one person from ledger and history; only a keyed hash is kept')
    .argument('<identification>', 'identification of the person, exactly as in the ledger')
    .option('--yes', 'erase without asking');
  addSignatureOptions(command).action(host.action(forget));
};

async function forget(shell: Shell, identification: string, options: ForgetOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    const record = await app.previewForget(identification);
    if (!isEmpty(record)) {
      shell.print(preview(record));
      if (!(await shell.confirm('Erase this?', options.yes === true))) {
        throw new RollcallError('nothing was erased', { code: 'CANCELLED' });
      }
    }
    const { kept } = await app.forgetPerson(identification, { by, ...signed });
    shell.printJson({ isForgotten: true, erased: countParts(record), kept });
    shell.print(after(kept));
    return 0;
  });
}

function preview(record: PersonRecord): string {
  const owners = record.ledger.map(({ connection, entry }) => {
    const state = [
      `owned by sync ${entry.owner}`,
      ...(entry.disabledAt === undefined ? [] : ['disabled by us']),
      ...(entry.removed === undefined ? [] : [entry.removed.blacklist ? 'removed with blacklist' : 'removed']),
    ];
    return `  ${cleanLine(connection)}: ${state.join(', ')}`;
  });
  const lines = [`${cleanLine(record.identification)}: ${sizeOf(record)} will be erased.`];
  if (owners.length > 0) lines.push('Kept under a keyed hash, without the identification:', ...owners);
  return lines.join('\n');
}

function after(kept: readonly string[]): string {
  const hash =
    kept.length === 0
      ? 'Nothing is kept.'
      : `A keyed hash is kept for ${kept.join(', ')}: owner, disabled by us, removal and blacklist.`;
  return [
    `Erased. ${hash}`,
    'The account on the platform and the record in the HR system are unchanged. If the source still shows the person, the next run stores the person again.',
    'Backups of the store, files of an outbox and notices that were already sent are not changed.',
  ].join('\n');
}
