import type { Command } from 'commander';
import type { ApiOperation } from '../ports/api.ts';
import type { CliIo } from './cli-io.ts';
import type { Shell } from './shell.ts';

/** Where a command is added, and how it runs. */
export interface CommandHost {
  /** Operations of the platform's API, of which each becomes a command. */
  readonly apiOperations: readonly ApiOperation[];
  /** Runs the body with the options of the command, and keeps the exit code that it gives. */
  run(command: Command, body: (shell: Shell) => Promise<number>): Promise<void>;
  /** Runs another command line, as a shell does, and resolves to its exit code. */
  runCli(argv: readonly string[], io: CliIo): Promise<number>;
}

/** Adds one command to the program. One file per command has one. */
export type AddCommand = (program: Command, host: CommandHost) => void;
