import { InvalidArgumentError } from 'commander';
import type { AddCommand } from './command.ts';
import { parsePositive, parseWholeNumber } from './parse-options.ts';
import { renderSourceKinds, renderTrial } from './render-source.ts';
import type { Shell } from './shell.ts';

interface TryOptions {
  readonly limit?: number;
  readonly show: number;
  readonly since?: string;
  readonly confirmRestoredToken?: boolean;
}

export const addSource: AddCommand = (program, host) => {
  const source = program.command('source').description('list and try sources of employees');
  source.command('list').description('list the kinds of source with their capabilities').action(host.action(list));
  source
    .command('try')
    .description('read the source of a sync and show the records and their mapping; writes nothing')
    .argument('<sync>', 'name of the sync')
    .option('--limit <n>', 'stop after this many records', parsePositive)
    .option('--show <n>', 'number of employees to show', parseWholeNumber, 3)
    .option(
      '--since <instant>',
      'only changes since then, such as 2026-11-21T00:00:00Z, if the source supports it',
      parseInstant,
    )
    .option(
      '--confirm-restored-token',
      'present a refresh token that was restored from a backup; only if no refresh happened after the backup',
    )
    .action(host.action(trySource));
};

async function list(shell: Shell): Promise<number> {
  const kinds = await shell.io.sourceKinds();
  shell.printJson({
    kinds: kinds.map(({ kind, title, capabilities, starters }) => {
      return { kind, title, capabilities, starters: starters.map(({ name }) => name) };
    }),
  });
  shell.print(renderSourceKinds(kinds, shell.style));
  return 0;
}

/** Returns exit code 4 for a read that is not proven complete, unless it was stopped on purpose. */
async function trySource(shell: Shell, sync: string, given: TryOptions): Promise<number> {
  const { limit, show, since, confirmRestoredToken: mayPresentRestored = false } = given;
  const options = {
    shown: show,
    ...(limit === undefined ? {} : { limit }),
    ...(since === undefined ? {} : { since }),
  };
  // With a rotating source token, presenting the first one may be the only way to read.
  return shell.withApp({ mayPresentSeed: true, mayPresentRestored }, async (app) => {
    const trial = await shell.watching((watch) => app.trySource(sync, { ...watch, ...options }));
    shell.printJson(trial);
    shell.print(renderTrial(trial, shell.style));
    return trial.end.kind === 'incomplete' ? 4 : 0;
  });
}

function parseInstant(text: string): string {
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isInstant)
    throw new InvalidArgumentError('It must be an instant with a time zone, such as 2026-11-21T00:00:00Z.');
  return new Date(text).toISOString();
}
