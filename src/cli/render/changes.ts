import type { ChangeKind } from '../../core/plan/change.ts';
import { differencesOf, type FieldDifference } from '../../core/plan/change.ts';
import { type Finding, openShared } from '../../core/run/finding.ts';
import { formatCount, formatInstant, formatNumber } from '../../core/run/formats.ts';
import type { PlannedChange, RawText } from '../../ports/store.ts';
import { type FoundChange, type FoundDecision, personOf } from '../../views/changes.ts';
import { heldEndWords, type RunReport } from '../../views/runs.ts';
import type { Shell } from '../shell.ts';
import { type Colors, cleanLine, quote, type Style } from '../terminal.ts';

/** Renders changes with their fields. `shownElsewhere`: reasons that the report shows elsewhere. */
export function renderChanges(
  changes: readonly PlannedChange[],
  shownElsewhere: readonly string[],
  style: Style,
): string {
  return changes.map((change) => renderChange(change, shownElsewhere, style)).join('\n');
}

/** Renders changes with what was decided about each, by whom and why, and what became of it. */
export function renderDecided(
  found: readonly FoundChange[],
  shownElsewhere: readonly string[],
  { style, io }: Pick<Shell, 'style' | 'io'>,
): string {
  return found
    .map(({ change, decision }) => {
      const words = decision === undefined ? '' : decisionWords(decision, io.clock.now());
      const line = words === '' ? [] : [`  ${style.colors.yellow(cleanLine(words))}`];
      return [renderChange(change, shownElsewhere, style), ...line].join('\n');
    })
    .join('\n');
}

/** Renders, for example, `approved by ana at 2026-11-25 16:00:00 UTC (checked), applied in run run_02`. */
function decisionWords({ state, by, at, why, run, end, endedAt, expiresAt }: FoundDecision, now: number): string {
  const who = `by ${by ?? 'a person'} at ${formatInstant(at)}${why === undefined ? '' : ` (${why})`}`;
  const isPast = run === undefined && expiresAt !== undefined && expiresAt <= now;
  const lapsed = endedAt !== undefined ? heldEndWords.ended : isPast ? heldEndWords.expired : undefined;
  if (state === 'approved') return `approved ${who}${run === undefined ? '' : `, ${end ?? 'used'} in run ${run}`}`;
  if (state === 'rejected') return `rejected ${who}${endedAt === undefined ? '' : `, until ${formatInstant(endedAt)}`}`;
  if (lapsed !== undefined) return lapsed;
  return by === undefined ? '' : `left out of a decision by ${by}, and waits for one`;
}

function renderChange(change: PlannedChange, shownElsewhere: readonly string[], { colors }: Style): string {
  const { identification, kind, reason, state, stateReason } = change;
  const why =
    stateReason === undefined || shownElsewhere.some((shown) => shown.startsWith(stateReason))
      ? ''
      : `: ${cleanLine(stateReason)}`;
  const isDone = state === 'applied' || state === 'exported';
  const stateColor = state === 'failed' ? colors.red : isDone ? colors.green : colors.yellow;
  const stateText = state === 'planned' ? '' : `  ${stateColor(`[${state}${why}]`)}`;
  const { name } = personOf(change);
  const who = name === undefined ? '' : ` ${cleanLine(name)}`;
  const head = `${kindColor(kind, colors)(kind)} ${colors.bold(cleanLine(identification))}${who}  ${cleanLine(reason)}${stateText}`;
  return [head, ...differencesOf(change).map((difference) => `  ${renderDifference(kind, difference)}`)].join('\n');
}

/** Renders `area: "Sales" → "Finance"`, `job: (not shown) → "Clerk"`, `phoneNumber: (not shown) → (cleared)`. */
export function renderDifference(kind: ChangeKind, { field, before, after }: FieldDifference): string {
  if (kind === 'create') return `${field}: ${quote(after)}`;
  const from = before === undefined ? '(not shown)' : before === '' ? '(empty)' : quote(before);
  return `${field}: ${from} → ${after === '' ? '(cleared)' : quote(after)}`;
}

function kindColor(kind: ChangeKind, colors: Colors): (text: string) => string {
  if (kind === 'create' || kind === 'enable') return colors.green;
  return kind === 'update' || kind === 'lead' ? colors.cyan : colors.red;
}

const shownFindings = 20;

/** Renders findings as a section: the first ones, and the number of the rest. Empty without findings. */
export function renderFindings(findings: readonly Finding[], inAll: number, style: Style): string {
  if (inAll === 0) return '';
  const distinct = toldOnce(findings);
  // Without the people and rows of a cause that has a finding of its own, with their number and examples.
  const shared = distinct.filter(({ people }) => people !== undefined).map(openShared);
  const causes = distinct.filter((finding) => !shared.some((tells) => tells(finding)));
  const shown = causes.slice(0, shownFindings);
  const count = inAll - (findings.length - causes.length);
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

/** Renders what other systems sent during a run. It may hold personal data. */
export function renderRawTexts(texts: readonly RawText[]): string {
  if (texts.length === 0) {
    return '\nNo raw answers of other systems are stored for this run. They are stored only with encryptionKey, and only as long as the details of the run.';
  }
  const lines = texts.map(({ at, about, text }) => `  ${formatInstant(at)} ${cleanLine(about)}: ${cleanLine(text)}`);
  return ['\nreceived from other systems (may contain personal data):', ...lines].join('\n');
}
