import type { Command } from 'commander';
import type { SandboxRequest } from './cli-io.ts';
import type { AddCommand } from './command.ts';
import { gather, parseWholeNumber } from './parse-options.ts';
import { renderFaultList, renderSandbox } from './render-sandbox.ts';
import type { Shell } from './shell.ts';

interface SandboxOptions extends Omit<SandboxRequest, 'faults' | 'quirks' | 'tokenLifeMs' | 'processingMs'> {
  readonly processingMs: number;
  readonly tokenLifeMs: number;
  readonly fault: readonly string[];
  readonly quirk: readonly string[];
  readonly listFaults?: boolean;
  readonly openapi?: boolean;
}

export const addSandbox: AddCommand = (program, host) => {
  program
    .command('sandbox')
    .description(
      'start a platform of its own to try things on, with synthetic users; it forgets everything when it ends',
    )
    .option('--port <n>', 'port; 0 is any free one', parseWholeNumber, 8787)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--users <n>', 'how many synthetic users to begin with', parseWholeNumber, 200)
    .option('--seed <n>', 'what the synthetic users are made from', parseWholeNumber, 1)
    .option('--processing-ms <n>', 'how long a provisioning file is processed', parseWholeNumber, 200)
    .option('--token-life-ms <n>', 'how long an access token lives', parseWholeNumber, 3_600_000)
    .option('--fault <spec>', 'something that goes wrong; may be given several times', gather, [])
    .option('--quirk <name=value>', 'how this platform differs; may be given several times', gather, [])
    .option('--list-faults', 'list the faults and quirks, and start nothing')
    .option('--openapi', 'print the API as an OpenAPI 3.1 document, and start nothing')
    .option('--application-token <text>', 'instead of a random one')
    .option('--access-token <text>', 'instead of a random one')
    .option('--refresh-token <text>', 'instead of a random one')
    .action((options: SandboxOptions, command: Command) => host.run(command, (shell) => sandbox(shell, options)));
};

async function sandbox(shell: Shell, options: SandboxOptions): Promise<number> {
  const { io, signal } = shell;
  const { fault: faults, quirk: quirks, listFaults, openapi, ...rest } = options;
  if (listFaults === true) {
    shell.printJson(io.sandbox.faults());
    shell.print(renderFaultList(io.sandbox.faults(), shell.style));
    return 0;
  }
  if (openapi === true) {
    // JSON either way: it is made for other programs.
    io.stdout.write(`${JSON.stringify(io.sandbox.openApi(), undefined, 2)}\n`);
    return 0;
  }
  const started = await io.sandbox.start({ ...rest, faults, quirks });
  try {
    const { url, applicationToken, accessToken, refreshToken } = started;
    shell.printJson({ url, applicationToken, accessToken, refreshToken });
    shell.print(renderSandbox(started, options.users, shell.style));
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    // Being stopped is how it ends.
    return 0;
  } finally {
    await started.close();
  }
}
