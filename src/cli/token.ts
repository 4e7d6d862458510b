import type { App } from '../app/app.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { AddCommand } from './command.ts';
import { renderToken, tokenJson } from './render-token.ts';
import type { AppOptions, Shell } from './shell.ts';
import { printDeclined } from './verdict.ts';

interface RevokeOptions {
  readonly yes?: boolean;
}

export const addToken: AddCommand = (program, host) => {
  const token = program.command('token').description('manage the tokens of a connection');
  token
    .command('status')
    .description('show the state of the tokens and what to do')
    .argument('<connection>', 'name of the connection')
    .action(host.action((shell, name: string) => printToken(shell, {}, (app) => app.tokenStatus(name))));
  token
    .command('refresh')
    .description('refresh the token pair now')
    .argument('<connection>', 'name of the connection')
    .action(
      host.action((shell, name: string) =>
        printToken(shell, { mayPresentSeed: true }, (app) =>
          app.tokenRefresh(name, { signal: shell.signal, by: shell.io.operator }),
        ),
      ),
    );
  token
    .command('revoke')
    .description('revoke the access token; it is not refreshed automatically afterwards')
    .argument('<connection>', 'name of the connection')
    .option('--yes', 'skip the confirmation')
    .action(host.action(revoke));
};

async function printToken(shell: Shell, options: AppOptions, ask: (app: App) => Promise<TokenStatus>): Promise<number> {
  const report = await shell.withApp(options, ask);
  shell.printJson(tokenJson(report));
  shell.print(renderToken(report, shell.io.clock.now(), shell.style));
  return 0;
}

async function revoke(shell: Shell, name: string, { yes = false }: RevokeOptions): Promise<number> {
  const question = `Revoke the token of ${name}? Its syncs stop until "token refresh" or a new token.`;
  if (!(await shell.confirm(question, yes))) return printDeclined(shell);
  return printToken(shell, {}, (app) => app.tokenRevoke(name, { signal: shell.signal, by: shell.io.operator }));
}
