import type { Finding } from '../core/finding.ts';
import { formatCount, formatNumber } from './amounts.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

export const shownFindings = 20;

/** Findings as a section: the first of them, the rest counted. Empty when there are none. */
export function renderFindings(findings: readonly Finding[], inAll: number, style: Style): string {
  if (inAll === 0) return '';
  const shown = findings.slice(0, shownFindings);
  const rest = inAll - shown.length;
  const more = rest > 0 ? [style.colors.dim(`  … and ${formatNumber(rest)} more: add --json to see up to 1,000`)] : [];
  const lines = shown.map((finding) => `  ${renderFinding(finding, style)}`);
  return [`${formatCount(inAll, 'finding')}:`, ...lines, ...more].join('\n');
}

function renderFinding({ code, identification, at, message }: Finding, { colors }: Style): string {
  const who = identification === undefined ? '' : `${colors.bold(cleanLine(identification))} `;
  // Many messages name the place themselves.
  const where = at === undefined || message.startsWith(at) ? '' : `${cleanLine(at)}: `;
  return `${who}${where}${cleanLine(message)} ${colors.dim(`(${code})`)}`;
}
