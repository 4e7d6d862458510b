import { tracePerson } from '../../app/people.ts';
import { onlyRead } from '../../app/person/answer.ts';
import { answerPast } from '../../app/person/past.ts';
import { forbiddenWords, wordsOf } from '../../app/person/steps.ts';
import { type FieldName, fieldNames } from '../../core/person/fields.ts';
import { normalText } from '../../core/person/text.ts';
import { type Change, differencesOf } from '../../core/plan/change.ts';
import { keptDetails } from '../../core/plan/diff.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import type { Decision } from '../../core/plan/plan.ts';
import { usageError } from '../../core/run/errors.ts';
import { formatCount, formatInstant, shellWord } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { Lookup } from '../../ports/platform.ts';
import {
  type FoundPeople,
  foundPeopleView,
  type PastAnswer,
  type PersonStep,
  type PersonTrace,
  pastAnswerView,
  personView,
} from '../../views/people.ts';
import { renderDifference } from '../render/changes.ts';
import type { Shell } from '../shell.ts';
import { cleanLine, quote, renderTable, type Style } from '../terminal.ts';

export async function explainPerson(
  shell: Shell,
  sync: string,
  words: string,
  { row, run, at: before }: { readonly row?: true; readonly run?: string; readonly at?: number },
): Promise<number> {
  const identification = normalText(words);
  if (identification === '') throw usageError('why needs an identification, a name or an e-mail address');
  return shell.withApp({}, async (app) => {
    if (run !== undefined || before !== undefined) {
      const then = await answerPast(app, sync, identification, given({ run, before }));
      return shell.answer(pastAnswerView(then), renderPast(then, sync, shell.style));
    }
    const find = (): Promise<FoundPeople> =>
      app.searchPeople({ text: words, spelling: 'near', sync, offset: 0, limit: mostFound });
    // A name or an e-mail. The search reads the store alone, and `why` the whole source.
    const named = /[\s@]/.test(identification) ? await find() : undefined;
    if (named !== undefined && named.total > 0 && named.people[0]?.identification !== identification) {
      return printFound(shell, named, sync);
    }
    const whole = await tracePerson(app, sync, identification, shell.signal);
    const trace = row === true ? whole : onlyRead(whole);
    const { lookup } = trace;
    // A platform may find users in any case; then the one of another spelling is meant.
    const isShown = lookup.found === true ? lookup.user.identification === identification : lookup.found !== false;
    const isKnown = trace.records.length > 0 || isShown || trace.ledger !== undefined;
    const found = isKnown || trace.history.length > 0 || trace.renames.length > 0 ? undefined : await find();
    if (found !== undefined && found.total > 0) return printFound(shell, found, sync);
    if (found !== undefined && trace.failure === undefined) {
      return shell.answer(personView(sync, trace), notFound(words, found, trace.answer), 1);
    }
    return shell.answer(personView(sync, trace), renderPerson(trace, sync, shell.style, row === true));
  });
}

function renderPast({ identification, answer, ...then }: PastAnswer, sync: string, { colors }: Style): string {
  const { run, at, outcome, configuration, rule, code, since } = then;
  const facts = [
    ...(run === undefined ? [] : [['run', `${run} of ${formatInstant(at ?? 0)}, ${outcome ?? 'not ended'}`]]),
    ...(configuration === undefined ? [] : [['configuration', configuration]]),
    ...(rule === undefined ? [] : [['rule', rule]]),
    ...(code === undefined ? [] : [['finding', code]]),
    ...(since === undefined ? [] : [['so since', formatInstant(since)]]),
  ];
  const head = `${colors.bold(cleanLine(identification))} in sync ${sync}\n${colors.bold(cleanLine(answer))}`;
  return facts.length === 0 ? head : `${head}\n${renderTable(facts, '  ')}`;
}

const mostFound = 10;

/** Says that the words name no one, and where they were looked for. */
function notFound(words: string, { syncs: [searched] }: FoundPeople, answer: string): string {
  const byName =
    searched?.readAt === undefined
      ? 'Names and e-mails are searched in the last accepted read of all employees, and no such read exists yet.'
      : `Names and e-mails were searched in the read of ${formatInstant(searched.readAt)}.`;
  return `${cleanLine(words)}: ${answer}. ${byName}`;
}

/** Lists the people that were perhaps meant. Returns the code for "not done": no person was explained. */
function printFound(shell: Shell, found: FoundPeople, sync: string): number {
  const { style } = shell;
  const rows = found.people.map(({ identification, name, email }) => [
    style.command(`why ${sync} ${shellWord(identification)}`),
    cleanLine(name),
    cleanLine(email),
  ]);
  const more = found.total - rows.length;
  const rest =
    more > 0 ? [`… and ${formatCount(more, 'more person', 'more people')}: add words of the name or e-mail`] : [];
  const text = ['no one has exactly this identification; did you mean:', renderTable(rows, '  '), ...rest].join('\n');
  return shell.answer(foundPeopleView(found, 0), text, 1);
}

/**
 * Renders the answer, the values, and how each stage treats one employee. Shows values, for the operator who asked.
 * `hasRow`: the source shows every column, not only those without a line among the values.
 */
export function renderPerson(trace: PersonTrace, sync: string, style: Style, hasRow = false): string {
  const { identification, answer, values, lookup, decision } = trace;
  const section = (name: string, body: string) => `${style.colors.bold(name)}\n${body.replace(/^/gm, '  ')}`;
  const findings = trace.findings.map(({ code, message }) => `${code}: ${cleanLine(message)}`);
  const undecided = `this read decides nothing: ${cleanLine(trace.failure ?? 'the person was not compared')}`;
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
    ...(findings.length === 0 ? [] : [section('Findings', findings.join('\n'))]),
    section('Decision', decision === undefined ? undecided : decisionOf(decision, style)),
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
      .map(([name, value]) => {
        const text = typeof value === 'string' ? quote(value) : cleanLine(JSON.stringify(value) ?? 'nothing');
        return `  ${cleanLine(name)}: ${text}`;
      });
    return [`${cleanLine(record.at)}; ${read}`, ...fields].join('\n');
  });
  return [...shown, ...gaps].join('\n');
}

function standingOf({ records, says }: PersonTrace): string {
  const steps = records
    .flatMap(({ trace }) => trace.steps)
    .filter(({ target }) => target === 'status' || target === 'scope')
    .map(({ target, detail }) => `${target}: ${cleanLine(detail)}`);
  if (says === undefined) return [...steps, 'result: this read decides nothing'].join('\n');
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
  if (unverified > 0) lines.push(`sent ${formatCount(unverified, 'time')} without confirmation`);
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
