import type { CheckLine } from '../app/app.ts';
import type { ContractLine } from '../ports/api.ts';
import type { AddCommand } from './command.ts';
import { renderContractLine, renderContractSum } from './render-api.ts';
import type { Shell } from './shell.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';
import { printDeclined } from './verdict.ts';

export const addCheck: AddCommand = (program, host) => {
  program
    .command('check')
    .description('check configuration, platform, token, dialect and the first page of each source; changes nothing')
    .argument('[connection]', 'only this connection and its syncs')
    .option('--contract', 'compare the platform with the contract of its API instead, operation by operation')
    .option('--write', 'with --contract: also test writes, with users created for the test; for a test community only')
    .option('--yes', 'skip the confirmation')
    .action(
      host.action((shell, connection: string | undefined, options: ContractOptions) =>
        options.contract === true ? checkContract(shell, connection, options) : check(shell, connection),
      ),
    );
};

interface ContractOptions {
  readonly contract?: boolean;
  readonly write?: boolean;
  readonly yes?: boolean;
}

async function checkContract(
  shell: Shell,
  connection: string | undefined,
  { write = false, yes = false }: ContractOptions,
): Promise<number> {
  const question =
    'This creates users, goals and feedback on the platform and removes them again, except the feedback. Is it a test community?';
  if (write && !(await shell.confirm(question, yes))) return printDeclined(shell);
  return shell.withApp({}, async (app) => {
    const lines: ContractLine[] = [];
    for await (const line of app.contract(connection, write ? 'read-write' : 'read-only', shell.signal)) {
      lines.push(line);
      shell.print(renderContractLine(line, shell.style));
    }
    const conforms = lines.every(({ result }) => result !== 'differs');
    shell.printJson({ ok: conforms, lines });
    shell.print(renderContractSum(lines));
    return conforms ? 0 : 1;
  });
}

async function check(shell: Shell, connection: string | undefined): Promise<number> {
  return shell.withApp({}, async (app) => {
    const lines: CheckLine[] = [];
    for await (const line of app.check(connection, shell.signal)) {
      lines.push(line);
      shell.print(renderCheckLine(line, shell.style));
    }
    const isWell = lines.every(({ state }) => state !== 'failed');
    shell.printJson({ ok: isWell, lines });
    return isWell ? 0 : 1;
  });
}

/** Renders one check: `✓ connection acme  user search: 512 users read, each once`. */
function renderCheckLine({ subject, state, message }: CheckLine, { colors }: Style): string {
  const mark = { ok: colors.green('✓'), warning: colors.yellow('!'), failed: colors.red('✗') }[state];
  return `${mark} ${colors.bold(cleanLine(subject))}  ${cleanLine(message)}`;
}
