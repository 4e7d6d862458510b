import { wordsOf } from '../../app/accounts/decisions.ts';
import { endSessions, findAudit, listSessions, note } from '../../app/audit.ts';
import { reportCsv, reportPeople } from '../../app/changes/reports.ts';
import { sealedReport } from '../../app/changes/sealed-report.ts';
import { findSync } from '../../app/find-named.ts';
import { done } from '../../app/person/answer.ts';
import { correctionsCsv, findCorrections } from '../../app/person/corrections.ts';
import { type LeaversQuery, listLeavers } from '../../app/person/leavers.ts';
import { countParts, erasePerson, isEmpty, previewForget, readRecord, sizeOf } from '../../app/privacy.ts';
import { whoWords } from '../../core/guard/approvals.ts';
import { correctionWords, type Language } from '../../core/person/corrections.ts';
import { differencesOf } from '../../core/plan/change.ts';
import type { JudgedLeaver } from '../../core/plan/leavers.ts';
import { RollcallError, usageError } from '../../core/run/errors.ts';
import { countOf, firstNames, formatCount, formatDuration, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { AuditEntry, PersonRecord } from '../../ports/store.ts';
import { auditEntryView, openSessionView } from '../../views/connections.ts';
import { type LeaversReport, leaversView } from '../../views/leavers.ts';
import {
  type CorrectionList,
  dataQualityView,
  notCounted,
  type PersonReport,
  personReportView,
  type ReportKind,
  reportHead,
} from '../../views/reports.ts';
import type { Since } from '../options.ts';
import { renderDifference } from '../render/changes.ts';
import { leaverWords } from '../render/status.ts';
import { fromHere, type Shell } from '../shell.ts';
import { cleanLine, quote, renderTable, type Style } from '../terminal.ts';
import { writeWhole } from './plan-file.ts';

/** An instant, or a time before now. */
interface AuditOptions {
  readonly sync?: string;
  readonly run?: string;
  readonly by?: string;
  readonly since?: Since;
  readonly limit: number;
}

export async function showSessions(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    const sessions = await listSessions(app);
    const head = ['ID', 'WHO', 'GROUPS', 'SINCE', 'LAST USED', 'ENDS'].map(shell.style.colors.dim);
    const rows = sessions.map(({ id, name: by, label, groups, createdAt, usedAt, expiresAt }) => {
      const who = [whoWords({ by, ...given({ label }) }), groups.join(', ')].map(cleanLine);
      return [id, ...who, ...[createdAt, usedAt, expiresAt].map(formatInstant)];
    });
    const text = rows.length === 0 ? 'no user is signed in' : renderTable([head, ...rows]);
    return shell.answer({ sessions: sessions.map(openSessionView) }, text);
  });
}

export async function endThem(shell: Shell, name: string): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({}, async (app) => {
    const ended = await endSessions(app, name, caller);
    const sessions = ended.map(openSessionView);
    return shell.answer(
      { sessions },
      `ended ${formatCount(ended.length, 'session')} of ${cleanLine(ended[0]?.name ?? name)}`,
    );
  });
}

export async function showAudit(shell: Shell, { since, limit, ...filter }: AuditOptions): Promise<number> {
  const { clock } = shell.io;
  const from = since === undefined ? {} : { since: 'at' in since ? since.at : clock.now() - since.ago };
  return shell.withApp({}, async (app) => {
    const entries = await findAudit(app, { ...filter, ...from, limit });
    return shell.answer(
      { entries: entries.map(auditEntryView) },
      entries.length === 0 ? 'no matching entries' : renderAudit(entries, shell.style),
    );
  });
}

function renderAudit(entries: readonly AuditEntry[], { colors }: Style): string {
  const head = ['WHEN', 'WHO', 'ACTION', 'OF', 'RUN', 'WHAT AND WHY'].map(colors.dim);
  const rows = entries.map(({ at, as, action, sync, connection, run, detail, reason, ...who }) => [
    formatInstant(at),
    cleanLine(as === undefined ? whoWords(who) : `${whoWords(who)} (as ${as})`),
    action,
    cleanLine(sync ?? connection ?? '–'),
    run ?? '–',
    cleanLine([detail, reason].filter((text) => text !== undefined).join(': ')),
  ]);
  return renderTable([head, ...rows]);
}

export async function showLeavers(
  shell: Shell,
  sync: string,
  options: Pick<LeaversQuery, 'due' | 'late'>,
): Promise<number> {
  return shell.withApp({}, async (app) => {
    const found = await listLeavers(app, { sync, ...options });
    return shell.answer(leaversView(found), renderLeavers(found, shell.style));
  });
}

function renderLeavers({ at, leavers, summaries }: LeaversReport, { colors }: Style): string {
  const said = summaries.map(leaverWords);
  const head = ['PERSON', 'STATE', 'HR SAID', 'LAST DAY', 'DUE', 'SENT', 'SEEN DISABLED'].map(colors.dim);
  const rows = leavers.map((one) => [
    cleanLine(one.identification),
    stateOf(one, at),
    formatInstant(one.saidAt),
    one.leaves ?? '–',
    ...[one.dueAt, one.sentAt, one.seenAt].map((instant) => (instant === undefined ? '–' : formatInstant(instant))),
  ]);
  const table = rows.length === 0 ? [] : [renderTable([head, ...rows])];
  const byCure = Map.groupBy(leavers, ({ wait }) => wait && `${wait.cause} ${wait.why}`);
  const waits = [...byCure.values()].flatMap((some) => {
    const wait = some[0]?.wait;
    if (wait === undefined) return [];
    const names = some.map(({ identification }) => identification);
    return [`${cleanLine(firstNames(names))}: ${cleanLine(wait.why)}`, `  ${cleanLine(wait.cure(names))}`];
  });
  return [...said, ...table, ...waits].join('\n');
}

function stateOf({ state, lateMs, clockAt, ending, kept }: JudgedLeaver, at: number): string {
  if (state === 'future') return `in ${formatDuration(clockAt - at)}`;
  if (state === 'kept') return cleanLine(`kept by ${kept?.by}`);
  const late = lateMs === 0 ? '' : ` ${formatDuration(lateMs)} late`;
  return state === 'done' ? `${ending}${late}` : state === 'late' ? late.trim() : 'in time';
}

interface ReportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
  readonly sealed?: string;
  readonly language: Language;
}

const weekMs = 7 * 86_400_000;

export async function reportThem(
  shell: Shell,
  kind: ReportKind | 'data-quality',
  sync: string | undefined,
  { from, to, out, sealed, language }: ReportOptions,
): Promise<number> {
  const now = shell.io.clock.now();
  return shell.withApp({}, async (app) => {
    if (kind === 'data-quality') {
      if (sync === undefined) throw usageError('name the sync: `rollcall report data-quality SYNC`');
      const list = await findCorrections(app, sync, language);
      if (out !== undefined)
        await writeWhole('the list', fromHere(shell.io, out), ReadableStream.from([correctionsCsv(list)]));
      return shell.answer(dataQualityView(list), renderCorrections(list, out, shell.style));
    }
    const days = { from: from ?? dayOf(now - weekMs), to: to ?? dayOf(now) };
    const name = sync === undefined ? undefined : findSync(sync, app.engine.syncs).settings.name;
    const query = { kind, ...days, ...given({ sync: name }) };
    if (sealed !== undefined) {
      if (kind !== 'leavers') throw usageError('--sealed is for leavers');
      await writeWhole('the report', fromHere(shell.io, sealed), sealedReport(app, query));
      const detail = `sealed report of leavers, ${days.from} to ${days.to}`;
      await note({ ...(await shell.caller()), action: 'export-changes', detail, sync: name }, app.engine);
      return shell.answer({ sealed }, `sealed in ${sealed}; docs/verify-report.mjs verifies it`);
    }
    const found = await reportPeople(app, query);
    if (out !== undefined) await writeWhole('the report', fromHere(shell.io, out), reportCsv(found));
    return shell.answer(personReportView(found), render(found, out, shell.style));
  });
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function render(report: PersonReport, out: string | undefined, { colors }: Style): string {
  const { kind, people } = report;
  const head = reportHead(report);
  if (out !== undefined) return `${head}, written to ${out}`;
  if (people.length === 0) return head;
  const isJoining = kind === 'joiners';
  const said = isJoining ? ['JOINED IN HR', 'FIRST DAY', 'ENABLED ON'] : ['LEFT IN HR', 'LAST DAY', 'DISABLED ON'];
  const names = ['PERSON', 'NAME', 'SYNC', ...said, 'STATE', 'APPROVED BY', 'REASON'];
  const rows = people.map((one) => [
    cleanLine(one.identification),
    cleanLine(one.name),
    one.sync,
    formatInstant(one.saidAt),
    (isJoining ? one.hireDate : one.leaveDate) ?? '–',
    one.shownAt === undefined || one.shownAt === null ? '–' : formatInstant(one.shownAt),
    cleanLine(endWords(one)),
    cleanLine(one.approvedBy ?? '–'),
    cleanLine(one.reason),
  ]);
  return [`${head}:`, renderTable([names.map(colors.dim), ...rows])].join('\n');
}

/** Says `disabled`, `rejected by ana (accident)` or `failed: the platform ignored area`. */
function endWords(person: PersonReport['people'][number]): string {
  const { countedAs, keptBy, keptWhy, stateReason } = person;
  if (countedAs === 'rejected') return `rejected by ${keptBy ?? 'a person'}${keptWhy ? ` (${keptWhy})` : ''}`;
  if (typeof person.shownAt === 'number')
    return `${done[person.change]}${countedAs === 'undone' ? ', then undone' : ''}`;
  return `${notCounted[countedAs] ?? countedAs}${countedAs === 'failed' && stateReason ? `: ${stateReason}` : ''}`;
}

/** One block for each person in HR who corrects them. */
function renderCorrections(list: CorrectionList, out: string | undefined, { colors }: Style): string {
  const { corrections } = dataQualityView(list);
  const head = formatCount(corrections.length, 'correction');
  if (out !== undefined) return `${head}, written to ${out}`;
  const names = ['PERSON', 'WHERE', 'SINCE', 'WHAT IS WRONG', 'WHAT IT PREVENTS', 'WHAT TO DO'].map(colors.dim);
  const blocks = [...Map.groupBy(corrections, ({ owner }) => owner)].map(([owner, some]) => {
    const rows = some.map(({ person, place, column, since, problem, effect, remedy }) => [
      cleanLine(person ?? '–'),
      cleanLine(column === null ? place : `${place}, ${column}`),
      since.slice(0, 'YYYY-MM-DD'.length),
      ...[problem, effect, remedy],
    ]);
    return [...(owner === null ? [] : [`${cleanLine(owner)}:`]), renderTable([names, ...rows])].join('\n');
  });
  return [head, ...blocks].join('\n\n');
}

export async function showRecord(shell: Shell, identification: string): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({}, async (app) => {
    const record = await readRecord(app, identification, caller);
    return shell.answer(record, renderRecord(record));
  });
}

export async function forgetPerson(shell: Shell, identification: string): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true }, async (app) => {
    const record = await previewForget(app, identification);
    if (!isEmpty(record)) {
      shell.print(preview(record));
      if (!(await shell.confirm('Erase this?'))) {
        throw new RollcallError('nothing was erased', { code: 'CANCELLED' });
      }
    }
    const { kept } = await erasePerson(app, identification, caller);
    return shell.answer({ isForgotten: true, erased: countParts(record), kept }, after(kept));
  });
}

function preview(record: PersonRecord): string {
  const owners = record.ledger.map(({ connection, entry }) => {
    const state = [
      `owned by sync ${entry.owner}`,
      ...(entry.disabledAt === undefined ? [] : ['disabled by us']),
      ...(entry.removed === undefined ? [] : [entry.removed.blacklist ? 'removed with blacklist' : 'removed']),
    ];
    return `  ${cleanLine(connection)}: ${state.join(', ')}`;
  });
  const lines = [`${cleanLine(record.identification)}: ${sizeOf(record)} will be erased.`];
  if (owners.length > 0) lines.push('Kept under a keyed hash, without the identification:', ...owners);
  return lines.join('\n');
}

function after(kept: readonly string[]): string {
  const hash =
    kept.length === 0
      ? 'Nothing is kept.'
      : `A keyed hash is kept for ${kept.join(', ')}: owner, disabled by us, removal and blacklist.`;
  return [
    `Erased. ${hash}`,
    'The account on the platform and the record in the HR system are unchanged. If the source still shows the person, the next run stores the person again.',
    'Backups of the store, files of an outbox and notices that were already sent are not changed.',
  ].join('\n');
}

/** Renders everything that the store has about one person. */
function renderRecord(record: PersonRecord): string {
  const identification = cleanLine(record.identification);
  const sections = [
    `what the store has about ${identification}`,
    section('ledger', record.ledger, ({ connection, entry }) => [
      `connection ${cleanLine(connection)}`,
      ...valuesOf(entry),
    ]),
    section(
      'leader of',
      record.leads,
      (led) => `connection ${cleanLine(led.connection)}: ${cleanLine(led.identification)}`,
    ),
    section('kept under a keyed hash', record.forgotten, ({ connection, entry, at }) => {
      const removed = entry.removed === undefined ? '' : `, removed${entry.removed.blacklist ? ' with blacklist' : ''}`;
      const disabled = entry.disabledAt === undefined ? '' : ', disabled by us';
      return `connection ${cleanLine(connection)}: owned by ${entry.owner}${disabled}${removed}; forgotten ${formatInstant(at)}`;
    }),
    section('directories', record.directories, ({ sync, row: { name, email, side } }) => {
      return `${sync}: ${quote(name)}, ${quote(email)}, seen in the ${side}`;
    }),
    section('changes', record.changes, (change) => [
      `${formatInstant(change.madeAt)} ${change.sync}: ${change.kind}, ${change.state}: ${cleanLine(change.reason)}`,
      ...differencesOf(change).map((difference) => `  ${renderDifference(change.kind, difference)}`),
    ]),
    section('findings', record.findings, ({ run, code, message }) => `${run}: ${cleanLine(message)} (${code})`),
    section('to be corrected by HR', record.corrections, (one) => `${one.sync}: ${correctionWords(one, 'en').problem}`),
    section('decisions', record.decisions, ({ sync, state, by, at, endedAt }) => {
      // An open decision has the name of the operator who decided others and left it out.
      const who = by === undefined ? '' : state === 'open' ? ', left out of a decision' : ` by ${cleanLine(by)}`;
      const ended = endedAt === undefined ? '' : `, its reason ended ${formatInstant(endedAt)}`;
      return `${formatInstant(at)} ${sync}: ${state}${who}${ended}`;
    }),
    section('standing decisions', record.standing, (one) => {
      return `${formatInstant(one.at)} ${one.sync}: ${cleanLine(wordsOf(one))}, by ${cleanLine(one.by)}`;
    }),
    section('stated as a leaver', record.leavers, ({ sync, saidAt, leaves, ending }) => {
      const day = leaves === undefined ? '' : `, last day ${leaves}`;
      return `${formatInstant(saidAt)} ${sync}${day}: ${ending ?? 'the account is enabled'}`;
    }),
    section('requests', record.requests, ({ sync, requestedAt }) => `${formatInstant(requestedAt)} ${sync}`),
    section(
      'named in',
      [
        [record.notices, 'alert notice', 'alert notices'],
        [record.rawTexts, 'raw answer of another system', 'raw answers of other systems'],
        [record.auditEntries, 'entry of the audit', 'entries of the audit'],
      ] as const,
      ([count, one, several]) => (count === 0 ? [] : countOf(count, one, several)),
    ),
  ];
  const shown = sections.filter((text) => text !== '');
  return shown.length === 1 ? `the store has nothing about ${identification}` : shown.join('\n\n');
}

/** Empty where nothing is told. */
function section<One>(title: string, all: readonly One[], linesOf: (one: One) => string | readonly string[]): string {
  const lines = all.flatMap(linesOf);
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function valuesOf(entry: PersonRecord['ledger'][number]['entry']): readonly string[] {
  return Object.entries(entry).map(([name, value]) => {
    const text = typeof value === 'string' ? quote(value) : (JSON.stringify(value) ?? 'nothing');
    return `  ${name}: ${/(?:At|Since)$/.test(name) && typeof value === 'number' ? formatInstant(value) : cleanLine(text)}`;
  });
}
