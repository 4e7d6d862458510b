import { RollcallError } from '../core/run/errors.ts';
import type { AddCommand } from './command.ts';
import { readPeople } from './people-file.ts';
import { printResync } from './run-result.ts';
import { scopeOf } from './run-scope.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

interface ResyncOptions extends SignatureOptions {
  readonly full?: boolean;
  readonly user?: readonly string[];
  readonly wait?: boolean;
  readonly key?: string;
}

export const addResync: AddCommand = (program, host) => {
  const command = program
    .command('resync')
    .description('request a run now: a running deployment executes it, otherwise this process does')
    .argument('<sync>', 'name of the sync')
    .option('--full', 'read all employees, even if runs of the sync usually read only changed ones')
    .option(
      '--user <id...>',
      'only these employees, by identification, or @FILE with one per line (@@ for a leading @)',
    )
    .option('--wait', 'wait for the end of the run, and exit with its code, even if a deployment executes it')
    .option('--key <text>', 'idempotency key: a repeated key is the same request, and starts no second run');
  addSignatureOptions(command).action(host.action(resync));
};

async function resync(shell: Shell, sync: string, options: ResyncOptions): Promise<number> {
  const { full, user, wait, key } = options;
  if (full === true && user !== undefined) {
    throw new RollcallError('--full and --user exclude each other: use one of them', { code: 'USAGE' });
  }
  const people = user === undefined ? undefined : await readPeople(shell, user);
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const report = await shell.watching((watch) =>
      app.resync(sync, {
        ...watch,
        by,
        ...signed,
        scope: full === true ? { kind: 'all', isFull: true } : scopeOf(people),
        ...(key === undefined ? {} : { key }),
        ...(wait === true ? { isWaiting: true } : {}),
      }),
    );
    return printResync(shell, sync, report);
  });
}
