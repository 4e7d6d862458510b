import type { Command } from 'commander';
import type { ApiOperation } from '../ports/api.ts';
import type { CliIo } from './cli-io.ts';
import type { Shell } from './shell.ts';

/** Runs the commands that are added to the program. */
export interface CommandHost {
  /** Operations of the platform's API. Each becomes a command. */
  readonly apiOperations: readonly ApiOperation[];
  /** Runs the body with the command's options and keeps its exit code. */
  run(command: Command, body: (shell: Shell) => Promise<number>): Promise<void>;
  /** Runs another command line, as a shell does, and resolves to its exit code. */
  runCli(argv: readonly string[], io: CliIo): Promise<number>;
}

/** Adds one command to the program. Every command file exports one. */
export type AddCommand = (program: Command, host: CommandHost) => void;
