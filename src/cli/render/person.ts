import { forbiddenWords, wordsOf } from '../../app/person/steps.ts';
import { type FieldName, fieldNames } from '../../core/person/fields.ts';
import { type Change, differencesOf } from '../../core/plan/change.ts';
import { keptDetails } from '../../core/plan/diff.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import type { Decision } from '../../core/plan/plan.ts';
import { formatCount, formatInstant } from '../../core/run/formats.ts';
import type { Lookup } from '../../ports/platform.ts';
import type { PersonRecord } from '../../ports/store.ts';
import type { PersonStep, PersonTrace } from '../../views/people.ts';
import { cleanLine, quote, renderTable, type Style } from '../terminal.ts';
import { renderDifference } from './changes.ts';

/**
 * Renders the answer, the values, and how each stage treats one employee. Shows values, for the operator who asked.
 * `hasRow`: the source shows every column, not only those without a line among the values.
 */
export function renderPerson(trace: PersonTrace, sync: string, style: Style, hasRow = false): string {
  const { identification, answer, values, lookup, decision } = trace;
  const section = (name: string, body: string) => `${style.colors.bold(name)}\n${body.replace(/^/gm, '  ')}`;
  return [
    `${style.colors.bold(cleanLine(identification))} in sync ${sync}\n${style.colors.bold(cleanLine(answer))}`,
    ...(values.length === 0 ? [] : [renderValues(values, style)]),
    section(
      'Steps',
      renderTable(
        trace.steps.map(({ step, state, summary }) => [stepWords[step], stateWords[state], cleanLine(summary)]),
      ),
    ),
    section('Source', sourceOf(trace, hasRow)),
    section('Status and scope', standingOf(trace)),
    section('Platform', platformOf(lookup)),
    section('Ledger', ledgerOf(trace)),
    ...(trace.findings.length === 0 ? [] : [section('Findings', findingsOf(trace))]),
    section('Decision', decision === undefined ? undecided(trace) : decisionOf(decision, style)),
    ...(trace.leaders === undefined ? [] : [section('Leaders', changeLines(trace.leaders, style).join('\n'))]),
    section('Next run', cleanLine(trace.next)),
    section('History', historyOf(trace)),
  ].join('\n\n');
}

const stepWords: Readonly<Record<PersonStep['step'], string>> = {
  source: 'source row',
  mapping: 'mapping',
  scope: 'status and scope',
  conflicts: 'conflicts',
  difference: 'difference',
  guard: 'guard',
  batch: 'batch',
  platform: 'platform',
  'read-back': 'read-back',
};

const stateWords: Readonly<Record<PersonStep['state'], string>> = {
  ok: 'passed',
  partly: 'in part',
  stopped: 'stopped',
  'not-reached': '–',
};

function renderValues(values: PersonTrace['values'], { colors }: Style): string {
  const head = ['FIELD', 'HR VALUE', 'SENT', 'PLATFORM VALUE', 'FROM'].map(colors.dim);
  const rows = values.map(({ field, source, sent, note, platform, written, origin }) => [
    field,
    source === undefined ? '–' : quote(source),
    sent === undefined
      ? `(not sent: ${cleanLine(note?.replace(/: the value on the platform is kept$/, '') ?? '')})`
      : sent === ''
        ? '(cleared)'
        : quote(sent),
    platform !== undefined ? quote(platform) : written === undefined ? '–' : `(last written ${quote(written)})`,
    cleanLine(origin.replace(/^from /, '')),
  ]);
  return renderTable([head, ...rows]);
}

function sourceOf({ records, snapshot, values }: PersonTrace, hasRow: boolean): string {
  const read = `${formatCount(snapshot.rows, 'row')} read`;
  const gaps = snapshot.gaps.map((gap) => `not fully proven: ${cleanLine(gap)}`);
  if (records.length === 0) return [`no record has this identification; ${read}`, ...gaps].join('\n');
  // One record is among the values. Each of several is shown.
  const isListed = (name: string): boolean =>
    records.length === 1 && values.some(({ columns }) => columns.includes(name));
  const shown = records.map(({ record }) => {
    const fields = Object.entries(record.fields)
      .filter(([name]) => hasRow || !isListed(name))
      .map(([name, value]) => `  ${cleanLine(name)}: ${sourceValue(value)}`);
    return [`${cleanLine(record.at)}; ${read}`, ...fields].join('\n');
  });
  return [...shown, ...gaps].join('\n');
}

function sourceValue(value: unknown): string {
  return typeof value === 'string' ? quote(value) : cleanLine(JSON.stringify(value) ?? 'nothing');
}

function findingsOf({ findings }: PersonTrace): string {
  return findings.map(({ code, message }) => `${code}: ${cleanLine(message)}`).join('\n');
}

function undecided({ failure }: PersonTrace): string {
  return `nothing is decided from this read: ${cleanLine(failure ?? 'the person was not compared')}`;
}

function standingOf({ records, says }: PersonTrace): string {
  const steps = records
    .flatMap(({ trace }) => trace.steps)
    .filter(({ target }) => target === 'status' || target === 'scope')
    .map(({ target, detail }) => `${target}: ${cleanLine(detail)}`);
  if (says === undefined) return [...steps, 'result: nothing is judged from this read'].join('\n');
  if (says.says === 'unusable' && says.code === 'unresolved') {
    return [...steps, `result: not judged: ${cleanLine(says.reason)}`].join('\n');
  }
  const why = 'reason' in says ? `: ${cleanLine(says.reason)}` : '';
  return [...steps, `result: the source says ${says.says}${why}`].join('\n');
}

function platformOf(lookup: Lookup): string {
  if (lookup.found === false) return 'no user has this identification';
  if (lookup.found === 'unclear') return `not clear: ${cleanLine(lookup.reason)}`;
  const { id, enabled, fields, lastUpdate, unreadable } = lookup.user;
  const updated = lastUpdate === undefined ? '' : `, last update ${cleanLine(lastUpdate)}`;
  const lines = [`user ${cleanLine(id)}, ${enabled ? 'enabled' : 'disabled'}${updated}`];
  for (const name of fieldNames(fields)) lines.push(`  ${name}: ${quote(fields[name] ?? '')}`);
  if (unreadable.length > 0) lines.push(`  returned in a form that cannot be read: ${unreadable.join(', ')}`);
  return lines.join('\n');
}

function ledgerOf({ identification, renames, ledger, lookup }: PersonTrace): string {
  const told = renames.map(({ from, to, by, at, reason }) => {
    const what = from === identification ? `renamed to ${cleanLine(to)}` : `renamed from ${cleanLine(from)}`;
    return `${what} by ${cleanLine(by)} at ${formatInstant(at)}${reason === undefined ? '' : ` (${cleanLine(reason)})`}`;
  });
  if (ledger === undefined && told.length > 0) return told.join('\n');
  return [...told, ...entryLines(ledger, lookup)].join('\n');
}

function entryLines(ledger: LedgerEntry | undefined, lookup: Lookup): readonly string[] {
  if (ledger === undefined) return ['not ours: no sync of this configuration owns the user'];
  if (lookup.found === true && entryOf(lookup.user.id, ledger) === undefined) {
    return [`not ours yet: the entry is about account ${cleanLine(ledger.accountId ?? '')}, which was deleted`];
  }
  const { owner, writtenAt, disabledAt, goneSince, misses, removed, hidden, quirks, unverified, leaders } = ledger;
  const written = writtenAt === undefined ? 'never written' : `last written ${formatInstant(writtenAt)}`;
  const lines = [
    removed === undefined
      ? `owned by sync ${owner}, ${written}`
      : `no longer ours: sync ${owner} owned the user, ${written}`,
  ];
  // A removal of ours is the last write.
  if (removed !== undefined && removed.at === writtenAt) {
    lines.push(`removed by us ${formatInstant(removed.at)}${removed.blacklist ? ', with blacklist' : ''}`);
  } else if (removed !== undefined) {
    lines.push(`no longer on the platform since ${formatInstant(removed.at)}`);
  }
  if (disabledAt !== undefined) lines.push(`disabled by us since ${formatInstant(disabledAt)}`);
  if (goneSince !== undefined) lines.push(`counted as gone since ${formatInstant(goneSince)}`);
  if (misses !== undefined) {
    lines.push(`missing in ${formatCount(misses.count, 'read')} since ${formatInstant(misses.since)}`);
  }
  for (const name of fieldNames(hidden)) lines.push(`${name} was last written as ${quote(hidden[name] ?? '')}`);
  for (const [name, quirk] of Object.entries(quirks) as [FieldName, { sent: string; observed: string }][]) {
    lines.push(`${name} was sent as ${quote(quirk.sent)} and is returned as ${quote(quirk.observed)}`);
  }
  if (leaders?.main !== undefined) lines.push(`${quote(leaders.main)} is the main leader, and ours`);
  if (leaders?.byHand !== undefined) lines.push(`${quote(leaders.byHand)} is the main leader that was set by hand`);
  if (unverified > 0) lines.push(`sent ${formatCount(unverified, 'time')} without a sign that it was applied`);
  return lines;
}

function changeLines(
  change: Parameters<typeof differencesOf>[0] & Pick<Change, 'reason'>,
  { colors }: Style,
): readonly string[] {
  const head = `${colors.bold(change.kind)}: ${cleanLine(change.reason)}`;
  return [head, ...differencesOf(change).map((difference) => `  ${renderDifference(change.kind, difference)}`)];
}

function decisionOf(decision: Decision, style: Style): string {
  const { colors } = style;
  const { rule, change, forbidden, finding, kept } = decision;
  const lines = [`${wordsOf(decision)} ${colors.dim(`(${rule})`)}`];
  if (change !== undefined) {
    lines.push(...changeLines(change, style));
  } else if (forbidden !== undefined) {
    lines.push(`nothing: ${forbiddenWords(decision)}`);
  } else lines.push('nothing to do');
  lines.push(...keptDetails(kept).map(({ name, value }) => `${name} ${value}`));
  if (finding !== undefined) lines.push(`reported as ${finding.code}: ${cleanLine(finding.message)}`);
  return lines.join('\n');
}

function historyOf({ identification, history }: PersonTrace): string {
  if (history.length === 0) return 'no run has changed this user';
  return renderTable(
    history.map(({ identification: name, at, run, kind, state, stateReason }) => [
      formatInstant(at),
      run,
      name === identification ? kind : `${kind} of ${cleanLine(name)}`,
      stateReason === undefined ? state : `${state}: ${cleanLine(stateReason)}`,
    ]),
  );
}

/** Renders everything that the store has about one person. */
export function renderRecord(record: PersonRecord): string {
  const {
    identification,
    ledger,
    leads,
    directories,
    forgotten,
    changes,
    findings,
    decisions,
    requests,
    notices,
    rawTexts,
  } = record;
  const sections = [
    `what the store has about ${cleanLine(identification)}`,
    section(
      'ledger',
      ledger.flatMap(({ connection, entry }) => [`connection ${cleanLine(connection)}`, ...valuesOf(entry)]),
    ),
    section(
      'leader of',
      leads.map(({ connection, identification: led }) => `connection ${cleanLine(connection)}: ${cleanLine(led)}`),
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
