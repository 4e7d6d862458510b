import { describeUnreadable, isDroppable } from '../app/keys.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { UnreadableValues } from '../ports/store.ts';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

interface DropOptions extends SignatureOptions {
  readonly yes?: boolean;
}

export const addKeys: AddCommand = (program, host) => {
  const keys = program.command('keys').description('show and drop stored values whose encryption key is lost');
  keys
    .command('status')
    .description('count the stored values that no configured key opens, by key')
    .action(host.action(status));
  const drop = keys
    .command('drop-unreadable')
    .description('drop the stored values that no configured key opens; who owns and disabled a user is kept')
    .option('--yes', 'drop without asking');
  addSignatureOptions(drop).action(host.action(dropUnreadable));
};

const tokensStay =
  'Token pairs stay until a new first refresh token replaces them: put one into the configuration ("rollcall token status" says where).';

async function status(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    const unreadable = await app.unreadable();
    shell.printJson({ ok: unreadable.length === 0, unreadable });
    shell.print(unreadable.length === 0 ? 'Every stored value can be opened.' : explain(unreadable));
    return unreadable.length === 0 ? 0 : 1;
  });
}

async function dropUnreadable(shell: Shell, options: DropOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    const unreadable = await app.unreadable();
    if (unreadable.some(isDroppable)) {
      shell.print(`${explain(unreadable)}\n\n${consequences(unreadable)}`);
      if (!(await shell.confirm('Drop these values?', options.yes === true))) {
        throw new RollcallError('nothing was dropped', { code: 'CANCELLED' });
      }
    }
    const dropped = await app.dropUnreadable({ by, ...signed });
    shell.printJson({ dropped });
    shell.print(
      dropped.length > 0 ? 'Dropped.' : `Nothing to drop.${unreadable.length === 0 ? '' : `\n${tokensStay}`}`,
    );
    return 0;
  });
}

function explain(unreadable: readonly UnreadableValues[]): string {
  return [
    'No configured key opens:',
    ...unreadable.map((one) => `  sealed with the key ${one.keyId}: ${describeUnreadable(one)}`),
    'If you still have a key, name it in formerEncryptionKeys. Nothing is lost then.',
  ].join('\n');
}

function consequences(unreadable: readonly UnreadableValues[]): string {
  const has = (part: Exclude<keyof UnreadableValues, 'keyId'>): boolean => unreadable.some((one) => one[part] > 0);
  return [
    'Dropping them cannot be undone. Kept: who owns a user, that Rollcall disabled or removed it, and counts of changes.',
    ...(has('ledger')
      ? [
          'The next run sees write-only fields (job, phoneNumber, seniority) for the first time: it writes them again, and a guard may hold them.',
          'Values that the platform stores in its own way are written once more, and reported once more.',
        ]
      : []),
    ...(has('changes')
      ? [
          'Changes that wait for approval are dropped, and the next run plans them again. Earlier changes show no values.',
        ]
      : []),
    ...(has('rawTexts') ? ['"rollcall show RUN --raw" shows nothing for these runs.'] : []),
    ...(has('directories')
      ? ['People of these pages are not found by name until the next complete read of their sync.']
      : []),
    ...(has('tokens') ? [tokensStay] : []),
    ...(has('forgotten')
      ? ['Records of forgotten people are dropped: a person who was removed with blacklist can be created again.']
      : []),
  ].join('\n');
}
