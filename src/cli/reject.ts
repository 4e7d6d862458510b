import type { AddCommand } from './command.ts';
import { addVerdictOptions, decideHeld, type VerdictOptions } from './verdict.ts';

export const addReject: AddCommand = (program, host) => {
  const command = program
    .command('reject')
    .description(
      'reject the changes that guards held in a run, or some of them; they are not held again while their reason lasts',
    );
  addVerdictOptions(command).action(
    host.action((shell, run: string, options: VerdictOptions) => decideHeld(shell, 'reject', run, options)),
  );
};
