import type { Command } from 'commander';
import type { CheckLine } from '../ports/app.ts';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

export const addCheck: AddCommand = (program, host) => {
  program
    .command('check')
    .description('look at configuration, reachability, token and dialect; changes nothing')
    .argument('[connection]', 'only this connection and its syncs')
    .action((connection: string | undefined, _: object, command: Command) =>
      host.run(command, (shell) => check(shell, connection)),
    );
};

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

/** `✓ connection acme  user search: 512 users read, every one once`. */
export function renderCheckLine({ subject, state, message }: CheckLine, { colors }: Style): string {
  const mark = { ok: colors.green('✓'), warning: colors.yellow('!'), failed: colors.red('✗') }[state];
  return `${mark} ${colors.bold(cleanLine(subject))}  ${cleanLine(message)}`;
}
