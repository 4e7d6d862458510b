import type { RunReport } from '../app/app.ts';
import type { Finding } from '../core/run/finding.ts';
import { formatCount, formatNumber } from './amounts.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

export const shownFindings = 20;

/** Renders findings as a section: the first ones, and the number of the rest. Empty without findings. */
export function renderFindings(findings: readonly Finding[], inAll: number, style: Style): string {
  if (inAll === 0) return '';
  const distinct = toldOnce(findings);
  const shown = distinct.slice(0, shownFindings);
  const count = inAll - (findings.length - distinct.length);
  const rest = count - shown.length;
  const more =
    rest > 0 ? [style.colors.dim(`  … and ${formatNumber(rest)} more: use --findings to see up to 1,000`)] : [];
  const lines = shown.map((finding) => `  ${renderFinding(finding, style)}`);
  return [`${formatCount(count, 'finding')}:`, ...lines, ...more].join('\n');
}

/** Leaves out what repeats a sentence for the other person that it names, such as a conflict of two people. */
function toldOnce(findings: readonly Finding[]): readonly Finding[] {
  const told = new Set<string>();
  return findings.filter(({ code, identification, message }) => {
    if (identification === undefined || !message.includes(identification)) return true;
    const key = `${code} ${message}`;
    return !told.has(key) && told.add(key);
  });
}

function renderFinding({ code, identification, at, message }: Finding, { colors }: Style): string {
  // Some messages begin with the person themselves.
  const isNamed = identification === undefined || message.startsWith(`${identification} `);
  const who = isNamed ? '' : `${colors.bold(cleanLine(identification))} `;
  // Many messages name the place themselves.
  const isPlaced = at === undefined || message.startsWith(at) || message.includes(`(${at})`);
  const where = isPlaced ? '' : `${cleanLine(at)}: `;
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
