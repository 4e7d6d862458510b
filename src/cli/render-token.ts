import { formatInstant } from '../core/run/instant.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import { formatDuration } from './amounts.ts';
import { instant } from './json-reports.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

/** Renders the state of a connection's tokens and what to do. Contains no secret. */
export function renderToken(report: TokenStatus, now: number, { colors }: Style): string {
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

export function tokenJson({ issuedAt, expiresAt, retryAt, generation, reason, ...rest }: TokenStatus) {
  const instants = { issuedAt: instant(issuedAt), expiresAt: instant(expiresAt), retryAt: instant(retryAt) };
  return { ...rest, generation, reason: reason ?? null, ...instants };
}
