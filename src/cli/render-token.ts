import type { TokenReport } from '../app/app.ts';
import { formatInstant } from '../core/instant.ts';
import { formatDuration } from './amounts.ts';
import { instant } from './json-reports.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

/** Renders the state of a connection's tokens and what to do. Contains no secret. */
export function renderToken(report: TokenReport, now: number, { colors }: Style): string {
  const { connection, state, generation, issuedAt, expiresAt, advice } = report;
  const isWell = state === 'ready' || state === 'static';
  const lines = [`${colors.bold(connection)}: ${isWell ? colors.green(state) : colors.yellow(state)}`];
  if (generation !== undefined && generation > 0) lines.push(`  generation ${generation}`);
  if (issuedAt !== undefined) lines.push(`  issued ${formatInstant(issuedAt)}`);
  if (expiresAt !== undefined) lines.push(`  ${expiry(expiresAt, now)}`);
  if (advice !== '') lines.push(`  ${cleanLine(advice)}`);
  return lines.join('\n');
}

function expiry(expiresAt: number, now: number): string {
  const apart = formatDuration(Math.abs(expiresAt - now));
  const when = formatInstant(expiresAt);
  return expiresAt > now ? `expires in ${apart}, ${when}` : `expired ${apart} ago, ${when}`;
}

export function tokenJson({ issuedAt, expiresAt, generation, ...rest }: TokenReport) {
  return { ...rest, generation: generation ?? null, issuedAt: instant(issuedAt), expiresAt: instant(expiresAt) };
}
