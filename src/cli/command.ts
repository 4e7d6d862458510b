import type { Command } from 'commander';
import type { Shell } from './shell.ts';

/** Where a command is added, and how it runs. */
export interface CommandHost {
  /** Runs the body with the options of the command, and keeps the exit code that it gives. */
  run(command: Command, body: (shell: Shell) => Promise<number>): Promise<void>;
}

/** Adds one command to the program. One file per command has one. */
export type AddCommand = (program: Command, host: CommandHost) => void;
