import type { App } from '../app/app.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { AddCommand } from './command.ts';
import { renderToken, tokenJson } from './render-token.ts';
import type { AppOptions, Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';
import { printDeclined } from './verdict.ts';

interface RevokeOptions extends SignatureOptions {
  readonly yes?: boolean;
}

export const addToken: AddCommand = (program, host) => {
  const token = program.command('token').description('manage the tokens of a connection');
  token
    .command('status')
    .description('show the state of the tokens and what to do')
    .argument('<connection>', 'name of the connection')
    .action(host.action((shell, name: string) => printToken(shell, {}, (app) => app.tokenStatus(name))));
  const refresh = token
    .command('refresh')
    .description('refresh the token pair now')
    .argument('<connection>', 'name of the connection');
  addSignatureOptions(refresh).action(
    host.action((shell, name: string, options: SignatureOptions) =>
      printToken(shell, { mayPresentSeed: true }, (app) => app.tokenRefresh(name, callerOf(shell, options))),
    ),
  );
  const revocation = token
    .command('revoke')
    .description('revoke the access token; it is not refreshed automatically afterwards')
    .argument('<connection>', 'name of the connection')
    .option('--yes', 'skip the confirmation');
  addSignatureOptions(revocation).action(host.action(revoke));
};

function callerOf(shell: Shell, options: SignatureOptions) {
  const { by, signed } = signatureOf(shell, options);
  return { by, ...signed, signal: shell.signal };
}

async function printToken(shell: Shell, options: AppOptions, ask: (app: App) => Promise<TokenStatus>): Promise<number> {
  const report = await shell.withApp(options, ask);
  shell.printJson(tokenJson(report));
  shell.print(renderToken(report, shell.io.clock.now(), shell.style));
  return 0;
}

async function revoke(shell: Shell, name: string, { yes = false, ...options }: RevokeOptions): Promise<number> {
  const question = `Revoke the token of ${name}? Its syncs stop until "token refresh" or a new token.`;
  if (!(await shell.confirm(question, yes))) return printDeclined(shell);
  return printToken(shell, {}, (app) => app.tokenRevoke(name, callerOf(shell, options)));
}
