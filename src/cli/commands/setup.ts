import { basename, dirname, join, relative } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { CheckLine } from '../../app/app-io.ts';
import { checkAll, configurationLines } from '../../app/connections.ts';
import { readTrial } from '../../app/try-source.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { ContractLine } from '../../ports/api.ts';
import type { CommandRow } from '../command.ts';
import { confirmOption, parsePositive, parseWholeNumber, syncArgument } from '../options.ts';
import { renderSourceKinds, renderTrial } from '../render/source.ts';
import { fromHere, printDeclined, type Shell } from '../shell.ts';
import { cleanLine, type Style } from '../terminal.ts';
import { renderContractLine, renderContractSum } from './api.ts';
import { initFrom, type ProposeOptions, policies, writeNew } from './map.ts';

export const check: CommandRow = {
  words: 'check',
  meaning: 'check configuration, platform, token, dialect and the first page of each source; changes nothing',
  arguments: [['[connection]', 'only this connection and its syncs']],
  options: [
    ['--offline', 'check the configuration alone, with its secrets; opens no store and sends nothing'],
    ['--contract', 'compare the platform with the contract of its API instead, operation by operation'],
    ['--write', 'with --contract: also test writes, with users created for the test; for a test community only'],
    confirmOption,
  ],
  run: (shell, connection: string | undefined, options: ContractOptions) => {
    if (options.offline === true) return checkConfiguration(shell, connection, options);
    return options.contract === true ? checkContract(shell, connection, options) : checkConfigured(shell, connection);
  },
};

interface ContractOptions {
  readonly offline?: boolean;
  readonly contract?: boolean;
  readonly write?: boolean;
  readonly yes?: boolean;
}

async function checkContract(
  shell: Shell,
  connection: string | undefined,
  { write = false, yes = false }: ContractOptions,
): Promise<number> {
  const question =
    'This creates users, goals and feedback on the platform and removes them again, except the feedback. Is it a test community?';
  if (write && !(await shell.confirm(question, yes))) return printDeclined(shell);
  return shell.withApp({}, async (app) => {
    const lines: ContractLine[] = [];
    for await (const line of app.platformApi.contract(connection, write ? 'read-write' : 'read-only', shell.signal)) {
      lines.push(line);
      shell.print(renderContractLine(line, shell.style));
    }
    const conforms = lines.every(({ result }) => result !== 'differs');
    return shell.answer({ ok: conforms, lines }, renderContractSum(lines), conforms ? 0 : 1);
  });
}

/** Reads the configuration as a start does. Throws `CONFIG_INVALID` with every problem. */
async function checkConfiguration(
  shell: Shell,
  connection: string | undefined,
  { contract = false }: ContractOptions,
): Promise<number> {
  if (contract || connection !== undefined) {
    throw new RollcallError('--offline asks no platform: use it without a connection and without --contract.', {
      code: 'USAGE',
    });
  }
  const plainText = await shell.io.checkConfig(shell.configPath);
  const lines = configurationLines(shell.configPath, plainText);
  return shell.answer({ ok: true, lines }, lines.map((line) => renderCheckLine(line, shell.style)).join('\n'));
}

async function checkConfigured(shell: Shell, connection: string | undefined): Promise<number> {
  return shell.withApp({}, async (app) => {
    const lines: CheckLine[] = [];
    for await (const line of checkAll(app, connection, shell.signal)) {
      lines.push(line);
      shell.print(renderCheckLine(line, shell.style));
    }
    const isWell = lines.every(({ state }) => state !== 'failed');
    shell.printJson({ ok: isWell, lines });
    return isWell ? 0 : 1;
  });
}

/** Renders one check: `✓ connection acme  user search: 512 users read, each once`. */
function renderCheckLine({ subject, state, message }: CheckLine, { colors }: Style): string {
  const mark = { ok: colors.green('✓'), warning: colors.yellow('!'), failed: colors.red('✗') }[state];
  return `${mark} ${colors.bold(cleanLine(subject))}  ${cleanLine(message)}`;
}

interface InitOptions extends Partial<ProposeOptions> {
  readonly source: string;
}

export const init: CommandRow = {
  words: 'init',
  meaning: 'write a commented configuration for a source with sample files, or one that fits an export (--from)',
  options: [
    new Option('--source <name>', 'a kind or preset of `rollcall source list`').default('csv'),
    ['--from <file>', 'propose everything from this export and the users of the platform: mapping, dates, statuses'],
    ['--connection <url>', 'with --from: address of the platform; without it, only the file is looked at'],
    new Option('--token-env <name>', 'with --from: the environment variable with an access token').default(
      'ROLLCALL_ACCESS_TOKEN',
    ),
    new Option('--policy <policy>', 'with --from: what the sync may do (default: asked, else upsert-only)').choices(
      policies,
    ),
    new Option('--sync <name>', 'with --from: name of the sync').default('people'),
    ['--force', 'overwrite existing files'],
  ],
  run: (shell, options: InitOptions) =>
    options.from === undefined ? writeStarter(shell, options) : initFrom(shell, { ...options, from: options.from }),
};

async function writeStarter(shell: Shell, { source, force = false }: InitOptions): Promise<number> {
  const { config, samples, instructions } = await shell.io.starterFiles(source);
  const configPath = fromHere(shell.io, shell.configPath);
  const folder = dirname(configPath);
  const files = [
    { path: configPath, text: config },
    ...samples.map(({ path, text }) => ({ path: join(folder, path), text })),
  ];
  await writeNew(files, force);
  const names = files.map(({ path }) => relative(shell.io.cwd, path) || basename(path));
  const text = [...names.map((name) => `wrote ${name}`), '', instructions.trimEnd()].join('\n');
  return shell.answer({ written: names }, text);
}

interface TryOptions {
  readonly limit?: number;
  readonly show: number;
  readonly since?: string;
  readonly confirmRestoredToken?: boolean;
}

export const sourceCommands: readonly CommandRow[] = [
  { words: 'source', meaning: 'list and try sources of employees' },
  { words: 'source list', meaning: 'list the kinds of source with their capabilities', run: listKinds },
  {
    words: 'source try',
    meaning: 'read the source of a sync and show the records and their mapping; writes nothing',
    arguments: [syncArgument],
    options: [
      ['--limit <n>', 'stop after this many records', parsePositive],
      ['--show <n>', 'number of employees to show', parseWholeNumber, 3],
      [
        '--since <instant>',
        'only changes since then, such as 2026-11-21T00:00:00Z, if the source supports it',
        parseInstant,
      ],
      [
        '--confirm-restored-token',
        'present a refresh token that was restored from a backup; only if no refresh happened after the backup',
      ],
    ],
    run: trySource,
  },
];

async function listKinds(shell: Shell): Promise<number> {
  const kinds = await shell.io.sourceKinds();
  const listed = kinds.map(({ starters, kind, title, capabilities }) => {
    return { kind, title, capabilities, starters: starters.map(({ name }) => name) };
  });
  return shell.answer({ kinds: listed }, renderSourceKinds(kinds, shell.style));
}

/** Returns exit code 4 for a read that is not proven complete, unless it was stopped on purpose. */
async function trySource(
  shell: Shell,
  sync: string,
  { limit, show, since, confirmRestoredToken: mayPresentRestored = false }: TryOptions,
): Promise<number> {
  const options = given({ shown: show, limit, since });
  // With a rotating source token, presenting the first one may be the only way to read.
  return shell.withApp({ mayPresentSeed: true, mayPresentRestored }, async (app) => {
    const trial = await shell.watching((watch) => readTrial(app, sync, { ...watch, ...options }));
    return shell.answer(trial, renderTrial(trial, shell.style), trial.end.kind === 'incomplete' ? 4 : 0);
  });
}

function parseInstant(text: string): string {
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isInstant)
    throw new InvalidArgumentError('It must be an instant with a time zone, such as 2026-11-21T00:00:00Z.');
  return new Date(text).toISOString();
}
