import { Command, type OutputConfiguration } from 'commander';
import type { ApiOperation } from '../ports/api.ts';
import { addCommand, type CommandHost, type CommandRow } from './command.ts';
import { alertCommands } from './commands/alerts.ts';
import { apiCommands } from './commands/api.ts';
import { audit } from './commands/audit.ts';
import { explain } from './commands/codes.ts';
import { start, status } from './commands/deployment.ts';
import { approve, holds, reject } from './commands/holds.ts';
import { adopt, exportPerson, forget, why } from './commands/people.ts';
import { cancel, retry, runs, show } from './commands/runs.ts';
import { demo, sandbox } from './commands/sandbox.ts';
import { check, init, sourceCommands } from './commands/setup.ts';
import { backup, keyCommands, migrate, restore } from './commands/store.ts';
import { apply, pause, plan, resume, resync } from './commands/sync.ts';
import { tokenCommands } from './commands/token.ts';

/** All commands in the order of the help, from setup to a running deployment. */
function commandRows(operations: readonly ApiOperation[]): readonly CommandRow[] {
  return [
    ...[init, ...sourceCommands, check, plan, apply, start, status, runs, show],
    ...[holds, approve, reject, adopt, cancel, retry, resync, pause, resume],
    ...[why, explain, audit, exportPerson, forget, ...keyCommands, ...tokenCommands, ...alertCommands],
    ...[migrate, backup, restore, sandbox, ...apiCommands(operations), demo],
  ];
}

/** The meaning of the exit codes (design, section 8). */
export const exitCodeWords: readonly (readonly [number, string])[] = [
  [0, 'done, or nothing to do'],
  [1, 'failed'],
  [2, 'wrong usage or configuration; nothing was started'],
  [3, 'held: some changes wait for approval, the rest is done'],
  [4, 'partial: some changes failed, or the source was not read completely'],
  [130, 'stopped by Ctrl-C (143: by SIGTERM); the next run continues where this one stopped'],
];

export interface ProgramFacts {
  readonly version: string;
  readonly output: OutputConfiguration;
}

/** Creates the command line. It throws `CommanderError` where commander would end the process. */
export function createProgram(host: CommandHost, { version, output }: ProgramFacts): Command {
  const program = new Command('rollcall')
    .description("Keeps a platform's users equal to the HR system's employees.")
    .version(version, '--version', 'show the version')
    .helpOption('--help', 'show help')
    .option('--config <file>', 'configuration file (default: $ROLLCALL_CONFIG, or ./rollcall.yaml)')
    .option('--json', 'print one JSON object instead of text')
    .option('--verbose', 'write logs to stderr')
    .option('--debug', 'show the stack of an error')
    .option('--raw', 'also show the answer of the platform or HR system to a failed call; may contain personal data')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output)
    .exitOverride();
  for (const row of commandRows(host.apiOperations)) addCommand(program, row, host.action);
  const codes = exitCodeWords.map(([code, words]) => `  ${String(code).padEnd(4)} ${words}`);
  return program.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
}
