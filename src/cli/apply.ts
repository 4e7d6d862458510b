import type { AddCommand } from './command.ts';
import { printRun } from './run-result.ts';
import { scopeOf } from './run-scope.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

interface ApplyOptions extends SignatureOptions {
  readonly approve?: string;
  readonly user?: readonly string[];
}

export const addApply: AddCommand = (program, host) => {
  const command = program
    .command('apply')
    .description('run a sync in this process: read, compare, deliver and verify; finishes an interrupted run first')
    .argument('<sync>', 'name of the sync')
    .option('--approve <digest>', 'approve the open changes of a previewed plan that are still planned')
    .option('--user <id...>', 'only these employees, by identification');
  addSignatureOptions(command).action(host.action(apply));
};

async function apply(shell: Shell, sync: string, { approve, user, ...options }: ApplyOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      app.apply(sync, {
        ...watch,
        ...signed,
        by,
        scope: scopeOf(user),
        ...(approve === undefined ? {} : { approve }),
      }),
    );
    return printRun(shell, report);
  });
}
