import type { RunReport } from '../app/app.ts';
import type { Finding } from '../core/finding.ts';
import { formatCount, formatNumber } from './amounts.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

export const shownFindings = 20;

/** Renders findings as a section: the first ones, and the number of the rest. Empty without findings. */
export function renderFindings(findings: readonly Finding[], inAll: number, style: Style): string {
  if (inAll === 0) return '';
  const shown = findings.slice(0, shownFindings);
  const rest = inAll - shown.length;
  const more =
    rest > 0 ? [style.colors.dim(`  … and ${formatNumber(rest)} more: use --findings to see up to 1,000`)] : [];
  const lines = shown.map((finding) => `  ${renderFinding(finding, style)}`);
  return [`${formatCount(inAll, 'finding')}:`, ...lines, ...more].join('\n');
}

function renderFinding({ code, identification, at, message }: Finding, { colors }: Style): string {
  const who = identification === undefined ? '' : `${colors.bold(cleanLine(identification))} `;
  // Many messages begin with the place themselves.
  const where = at === undefined || message.startsWith(at) ? '' : `${cleanLine(at)}: `;
  return `${who}${where}${cleanLine(message)} ${colors.dim(`(${code})`)}`;
}

/** Renders every finding on a line of its own, with its person and place. */
export function renderAllFindings({ findings, findingsInAll }: Pick<RunReport, 'findings' | 'findingsInAll'>): string {
  if (findings.length === 0) return 'no findings';
  const lines = findings.map(({ code, identification, at, message }) => {
    const where = [identification, at].filter((part) => part !== undefined).join(', ');
    return cleanLine(`${code}${where === '' ? '' : ` (${where})`}: ${message}`);
  });
  const more = findingsInAll - findings.length;
  return [...lines, ...(more > 0 ? [`… and ${formatNumber(more)} more`] : [])].join('\n');
}
