import { Command, type OutputConfiguration } from 'commander';
import { addAdopt } from './adopt.ts';
import { addAlerts } from './alerts.ts';
import { addApi } from './api.ts';
import { addApply } from './apply.ts';
import { addApprove } from './approve.ts';
import { addAudit } from './audit.ts';
import { addBackup } from './backup.ts';
import { addCancel } from './cancel.ts';
import { addCheck } from './check.ts';
import type { AddCommand, CommandHost } from './command.ts';
import { addDemo } from './demo.ts';
import { addExplain } from './explain.ts';
import { addExport } from './export.ts';
import { addForget } from './forget.ts';
import { addHolds } from './holds.ts';
import { addInit } from './init.ts';
import { addKeys } from './keys.ts';
import { addMigrate } from './migrate.ts';
import { addPause } from './pause.ts';
import { addPlan } from './plan.ts';
import { addReject } from './reject.ts';
import { addRestore } from './restore.ts';
import { addResume } from './resume.ts';
import { addResync } from './resync.ts';
import { addRetry } from './retry.ts';
import { addRuns } from './runs.ts';
import { addSandbox } from './sandbox.ts';
import { addShow } from './show.ts';
import { addSource } from './source.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addToken } from './token.ts';
import { addWhy } from './why.ts';

/** All commands in the order of the help, from setup to a running deployment. */
const commands: readonly AddCommand[] = [
  addInit,
  addSource,
  addCheck,
  addPlan,
  addApply,
  addStart,
  addStatus,
  addRuns,
  addShow,
  addHolds,
  addApprove,
  addReject,
  addAdopt,
  addCancel,
  addRetry,
  addResync,
  addPause,
  addResume,
  addWhy,
  addExplain,
  addAudit,
  addExport,
  addForget,
  addKeys,
  addToken,
  addAlerts,
  addMigrate,
  addBackup,
  addRestore,
  addSandbox,
  addApi,
  addDemo,
];

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
  for (const add of commands) add(program, host);
  const codes = exitCodeWords.map(([code, words]) => `  ${String(code).padEnd(4)} ${words}`);
  return program.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
}
