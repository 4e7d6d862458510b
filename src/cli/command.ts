import type { Command } from 'commander';
import type { ApiOperation } from '../ports/api.ts';
import type { CliIo } from './cli-io.ts';
import type { Shell } from './shell.ts';

/** Answers one command. `given`: its arguments in order, then its options. Returns the exit code. */
export type CommandBody<Given extends readonly unknown[]> = (shell: Shell, ...given: Given) => number | Promise<number>;

/** Runs the commands that are added to the program. */
export interface CommandHost {
  /** Operations of the platform's API. Each becomes a command. */
  readonly apiOperations: readonly ApiOperation[];
  /** Returns an action of commander that calls the body with what the operator gave, and keeps its exit code. */
  action<Given extends readonly unknown[]>(body: CommandBody<Given>): (...given: unknown[]) => Promise<void>;
  /** Runs another command line, as a shell does, and resolves to its exit code. */
  runCli(argv: readonly string[], io: CliIo): Promise<number>;
}

/** Adds one command to the program. Every command file exports one. */
export type AddCommand = (program: Command, host: CommandHost) => void;
