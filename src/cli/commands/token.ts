import type { AppIo } from '../../app/app-io.ts';
import { changeTokens, readTokens } from '../../app/connections.ts';
import { formatDuration, formatInstant } from '../../core/run/formats.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { connectionView } from '../../views/connections.ts';
import type { CommandRow } from '../command.ts';
import { callerOf, confirmOption, type SignatureOptions, signatureOptions } from '../options.ts';
import { type AppOptions, printDeclined, type Shell } from '../shell.ts';
import { cleanLine, type Style } from '../terminal.ts';

interface RevokeOptions extends SignatureOptions {
  readonly yes?: boolean;
}

const connectionArgument = ['<connection>', 'name of the connection'] as const;

export const tokenCommands: readonly CommandRow[] = [
  { words: 'token', meaning: 'manage the tokens of a connection' },
  {
    words: 'token status',
    meaning: 'show the state of the tokens and what to do',
    arguments: [connectionArgument],
    run: (shell, name: string) => printToken(shell, {}, (app) => readTokens(app, name)),
  },
  {
    words: 'token refresh',
    meaning: 'refresh the token pair now',
    arguments: [connectionArgument],
    options: signatureOptions,
    run: (shell, name: string, options: SignatureOptions) =>
      printToken(shell, { mayPresentSeed: true }, async (app) =>
        changeTokens(app, 'refresh', name, { ...(await callerOf(shell, options)), signal: shell.signal }),
      ),
  },
  {
    words: 'token revoke',
    meaning: 'revoke the access token; it is not refreshed automatically afterwards',
    arguments: [connectionArgument],
    options: [confirmOption, ...signatureOptions],
    run: revoke,
  },
];

async function printToken(
  shell: Shell,
  options: AppOptions,
  ask: (app: AppIo) => Promise<TokenStatus>,
): Promise<number> {
  const { report, syncs } = await shell.withApp(options, async (app) => ({ report: await ask(app), syncs: app.syncs }));
  return shell.answer(connectionView(report, syncs), renderToken(report, shell.io.clock.now(), shell.style));
}

async function revoke(shell: Shell, name: string, { yes = false, ...options }: RevokeOptions): Promise<number> {
  const question = `Revoke the token of ${name}? Its syncs stop until "token refresh" or a new token.`;
  if (!(await shell.confirm(question, yes))) return printDeclined(shell);
  return printToken(shell, {}, async (app) =>
    changeTokens(app, 'revoke', name, { ...(await callerOf(shell, options)), signal: shell.signal }),
  );
}

/** Renders the state of a connection's tokens and what to do. Contains no secret. */
function renderToken(report: TokenStatus, now: number, { colors }: Style): string {
  const { connection, state, generation, issuedAt, expiresAt, attempts, retryAt, reason, advice } = report;
  const isWell = state === 'ready' || state === 'static';
  const lines = [`${colors.bold(connection)}: ${isWell ? colors.green(state) : colors.yellow(state)}`];
  if (generation > 0) lines.push(`  generation ${generation}`);
  if (issuedAt !== undefined) lines.push(`  issued ${formatInstant(issuedAt)}`);
  if (expiresAt !== undefined) lines.push(`  ${expiry(expiresAt, now)}`);
  if (attempts > 0) lines.push(`  ${oddAnswers(attempts)}${retryAt === undefined ? '' : nextTry(retryAt, now)}`);
  if (reason !== undefined) lines.push(`  ${cleanLine(reason)}`);
  if (advice !== '') lines.push(`  ${cleanLine(advice)}`);
  return lines.join('\n');
}

function oddAnswers(attempts: number): string {
  return `${attempts} ${attempts === 1 ? 'refresh was' : 'refreshes in a row were'} not answered with a usable pair`;
}

function nextTry(retryAt: number, now: number): string {
  const when =
    retryAt <= now ? 'when a token is needed' : `in ${formatDuration(retryAt - now)}, ${formatInstant(retryAt)}`;
  return `; next try ${when}`;
}

function expiry(expiresAt: number, now: number): string {
  const apart = formatDuration(Math.abs(expiresAt - now));
  const when = formatInstant(expiresAt);
  return expiresAt > now ? `expires in ${apart}, ${when}` : `expired ${apart} ago, ${when}`;
}
