import { apiCommand } from '../cli/api.ts';
import type { CliIo } from '../cli/cli-io.ts';
import type { AddCommand } from '../cli/command.ts';
import { demoCommand } from '../cli/demo.ts';
import { listApiOperations } from '../platform/named-operations.ts';

/** The commands that the command line does not bring itself, because they need parts that only `main` knows. */
export function extraCommands(io: CliIo): readonly AddCommand[] {
  const openWorld = async (folder: string) => {
    // The platform and its web server are loaded only where they are used.
    const { openDemoWorld } = await import('../sandbox/demo-world.ts');
    return openDemoWorld(folder, () => io.clock.now());
  };
  return [apiCommand(listApiOperations()), demoCommand(io, openWorld)];
}
