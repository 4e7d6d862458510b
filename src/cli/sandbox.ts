import type { SandboxRequest } from './cli-io.ts';
import type { AddCommand } from './command.ts';
import { gather, parsePort, parseWholeNumber } from './parse-options.ts';
import { renderFaultList, renderSandbox } from './render-sandbox.ts';
import type { Shell } from './shell.ts';

interface SandboxOptions extends Omit<SandboxRequest, 'faults' | 'quirks' | 'refreshTokens'> {
  readonly fault: readonly string[];
  readonly quirk: readonly string[];
  readonly refreshToken: readonly string[];
  readonly listFaults?: boolean;
  readonly openapi?: boolean;
}

export const addSandbox: AddCommand = (program, host) => {
  program
    .command('sandbox')
    .description('start an embedded platform with synthetic users, for trials; its data is lost when it stops')
    .option('--port <n>', 'port; 0: any free port', parsePort, 8787)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--users <n>', 'number of synthetic users', parseWholeNumber, 200)
    .option('--seed <n>', 'seed for the synthetic users', parseWholeNumber, 1)
    .option('--processing-ms <n>', 'processing time of a provisioning file', parseWholeNumber, 200)
    .option('--token-life-ms <n>', 'lifetime of an access token', parseWholeNumber, 3_600_000)
    .option('--fault <spec>', 'a fault to inject; may be repeated', gather, [])
    .option('--quirk <name=value>', 'a deviation of the platform from the contract; may be repeated', gather, [])
    .option('--list-faults', 'list the faults and quirks, and start nothing')
    .option('--openapi', 'print the API as an OpenAPI 3.1 document, and start nothing')
    .option('--application-token <text>', 'use this token instead of a random one')
    .option('--access-token <text>', 'use this token instead of a random one')
    .option('--refresh-token <text>', 'use this token instead of a random one; may be repeated', gather, [])
    .action(host.action(sandbox));
};

async function sandbox(shell: Shell, options: SandboxOptions): Promise<number> {
  const { io, signal } = shell;
  const { fault: faults, quirk: quirks, refreshToken: refreshTokens, listFaults, openapi, ...rest } = options;
  if (listFaults === true) {
    shell.printJson(io.sandbox.faults());
    shell.print(renderFaultList(io.sandbox.faults(), shell.style));
    return 0;
  }
  if (openapi === true) {
    // JSON with and without --json, because it is for other programs.
    io.stdout.write(`${JSON.stringify(io.sandbox.openApi(), undefined, 2)}\n`);
    return 0;
  }
  const started = await io.sandbox.start({ ...rest, faults, quirks, refreshTokens });
  try {
    const { url, applicationToken, accessToken, refreshToken } = started;
    shell.printJson({ url, applicationToken, accessToken, refreshToken });
    shell.print(renderSandbox(started, options.users, shell.style));
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    // It ends when it is stopped.
    return 0;
  } finally {
    await started.close();
  }
}
