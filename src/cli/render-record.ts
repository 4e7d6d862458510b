import { differencesOf } from '../core/plan/field-differences.ts';
import { formatInstant } from '../core/run/instant.ts';
import type { PersonRecord } from '../ports/store.ts';
import { renderDifference } from './render-changes.ts';
import { cleanLine, quote } from './terminal-text.ts';

/** Renders everything that the store has about one person. */
export function renderRecord(record: PersonRecord): string {
  const { identification, ledger, directories, forgotten, changes, findings, decisions, requests, notices, rawTexts } =
    record;
  const sections = [
    `what the store has about ${cleanLine(identification)}`,
    section(
      'ledger',
      ledger.flatMap(({ connection, entry }) => [`connection ${cleanLine(connection)}`, ...valuesOf(entry)]),
    ),
    section(
      'kept under a keyed hash',
      forgotten.map(({ connection, entry, at }) => {
        const removed =
          entry.removed === undefined ? '' : `, removed${entry.removed.blacklist ? ' with blacklist' : ''}`;
        const disabled = entry.disabledAt === undefined ? '' : ', disabled by us';
        return `connection ${cleanLine(connection)}: owned by ${entry.owner}${disabled}${removed}; forgotten ${formatInstant(at)}`;
      }),
    ),
    section(
      'directories',
      directories.map(
        ({ sync, row: { name, email, side } }) => `${sync}: ${quote(name)}, ${quote(email)}, seen in the ${side}`,
      ),
    ),
    section(
      'changes',
      changes.flatMap((change) => [
        `${formatInstant(change.madeAt)} ${change.sync}: ${change.kind}, ${change.state}: ${cleanLine(change.reason)}`,
        ...differencesOf(change).map((difference) => `  ${renderDifference(change.kind, difference)}`),
      ]),
    ),
    section(
      'findings',
      findings.map(({ run, code, message }) => `${run}: ${cleanLine(message)} (${code})`),
    ),
    section(
      'decisions',
      decisions.map(({ sync, state, by, at, endedAt }) => {
        // An open decision has the name of the operator who decided others and left it out.
        const who = by === undefined ? '' : state === 'open' ? ', left out of a decision' : ` by ${cleanLine(by)}`;
        const ended = endedAt === undefined ? '' : `, its reason ended ${formatInstant(endedAt)}`;
        return `${formatInstant(at)} ${sync}: ${state}${who}${ended}`;
      }),
    ),
    section(
      'requests',
      requests.map(({ sync, requestedAt }) => `${formatInstant(requestedAt)} ${sync}`),
    ),
    section('named in', [
      ...(notices === 0 ? [] : [`${notices} alert notices`]),
      ...(rawTexts === 0 ? [] : [`${rawTexts} raw answers of other systems`]),
    ]),
  ];
  const shown = sections.filter((text) => text !== '');
  return shown.length === 1 ? `the store has nothing about ${cleanLine(identification)}` : shown.join('\n\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function valuesOf(entry: PersonRecord['ledger'][number]['entry']): readonly string[] {
  return Object.entries(entry).map(([name, value]) => {
    const text = typeof value === 'string' ? quote(value) : (JSON.stringify(value) ?? 'nothing');
    return `  ${name}: ${/(?:At|Since)$/.test(name) && typeof value === 'number' ? formatInstant(value) : cleanLine(text)}`;
  });
}
