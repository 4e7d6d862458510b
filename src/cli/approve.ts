import type { AddCommand } from './command.ts';
import { addVerdictOptions, decideHeld, type VerdictOptions } from './verdict.ts';

export const addApprove: AddCommand = (program, host) => {
  const command = program
    .command('approve')
    .description('approve the changes that guards held in a run, or some of them; the next run delivers them');
  const reopen = 'approve changes that an operator rejected, if no other selected change waits';
  const options = addVerdictOptions(command).option('--reopen', reopen);
  options.action(
    host.action((shell, run: string, options: VerdictOptions) => decideHeld(shell, 'approve', run, options)),
  );
};
