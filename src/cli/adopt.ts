import type { Adoption } from '../app/app.ts';
import { normalText } from '../core/person/text.ts';
import { formatCount } from './amounts.ts';
import type { AddCommand } from './command.ts';
import { renderTable } from './render-table.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';
import { printDeclined } from './verdict.ts';

interface AdoptOptions extends SignatureOptions {
  readonly yes?: boolean;
}

export const addAdopt: AddCommand = (program, host) => {
  const command = program
    .command('adopt')
    .description('move users from other syncs to this sync, or accept a rename or conversion that a run reported')
    .argument('<sync>', 'name of the sync that becomes the owner')
    .argument('<id...>', 'identifications; of a rename or conversion, the new one')
    .option('--yes', 'skip the confirmation');
  addSignatureOptions(command).action(host.action(adopt));
};

async function adopt(shell: Shell, sync: string, ids: readonly string[], options: AdoptOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  const names = ids.map(normalText);
  return shell.withApp({}, async (app) => {
    const preview = await app.previewAdoption(sync, names, shell.signal);
    shell.print(renderAdoptions(preview, shell.style));
    const count = preview.filter(({ kind }) => kind !== 'none').length;
    if (count === 0) {
      shell.printJson({ sync, adoptions: preview });
      shell.print('nothing to adopt');
      return 0;
    }
    const question = `adopt ${formatCount(count, 'user')} into sync ${sync}?`;
    if (!(await shell.confirm(question, options.yes === true))) return printDeclined(shell);
    const done = await app.adopt(sync, names, { by, signal: shell.signal, ...signed });
    return printDone(shell, sync, done);
  });
}

function renderAdoptions(adoptions: readonly Adoption[], { colors }: Style): string {
  const head = ['PERSON', 'ACCOUNT', 'SYNC NOW', 'WHAT CHANGES'].map(colors.dim);
  const rows = adoptions.map(({ identification, account, owner, other, effect }) => {
    const state = account === undefined ? '–' : account.enabled ? 'enabled' : 'disabled';
    const whose = other === undefined ? state : `${state}, as ${other}`;
    return [cleanLine(identification), cleanLine(whose), cleanLine(owner ?? '–'), cleanLine(effect)];
  });
  return renderTable([head, ...rows]);
}

function printDone(shell: Shell, sync: string, adoptions: readonly Adoption[]): number {
  shell.printJson({ sync, adoptions });
  const wanted = adoptions.filter(({ kind }) => kind !== 'none');
  const left = wanted.filter(({ isDone }) => !isDone);
  const done = wanted.length - left.length;
  if (done > 0) {
    const next = shell.style.command(`apply ${sync}`);
    shell.print(`adopted ${formatCount(done, 'user')}; the next run decides about them:  ${next}`);
  }
  for (const { identification, kind } of left) {
    const why =
      kind === 'rename'
        ? 'the platform accepted the new identification but does not show it. Change it by hand, or correct the source'
        : 'the owner changed in the meantime: run the command again';
    shell.print(`${cleanLine(identification)} was not adopted: ${why}`);
  }
  return left.length === 0 ? 0 : 1;
}
