import { apiCommand } from '../cli/api.ts';
import type { CliIo } from '../cli/cli-io.ts';
import type { AddCommand } from '../cli/command.ts';
import { listApiOperations } from './api-operations.ts';
import { demoCommand } from './demo.ts';

/** The commands that the command line does not bring itself, because they need parts that only `main` knows. */
export function extraCommands(io: CliIo): readonly AddCommand[] {
  return [apiCommand(listApiOperations()), demoCommand(io)];
}
