import { Argument } from 'commander';
import { reportCsv, reportPeople } from '../../app/changes/reports.ts';
import { findSync } from '../../app/find-named.ts';
import { formatCount, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { type PersonReport, personReportView, type ReportKind, reportKinds } from '../../views/reports.ts';
import type { CommandRow } from '../command.ts';
import { fromHere, type Shell } from '../shell.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';
import { writeWhole } from './plan-file.ts';

interface ReportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
}

export const report: CommandRow = {
  words: 'report',
  meaning: 'report who left or joined between two days: when HR said it, when the platform showed it, who approved',
  summary: 'report who left or joined, and when',
  arguments: [new Argument('<kind>', 'what to report').choices(reportKinds), ['[sync]', 'only people of this sync']],
  options: [
    ['--from <day>', 'the first day, in UTC: 2026-11-01; default: a week ago'],
    ['--to <day>', 'the last day, in UTC; default: today'],
    ['--out <file>', 'write the report to a CSV file'],
  ],
  run: reportThem,
};

const weekMs = 7 * 86_400_000;

async function reportThem(
  shell: Shell,
  kind: ReportKind,
  sync: string | undefined,
  { from, to, out }: ReportOptions,
): Promise<number> {
  const now = shell.io.clock.now();
  return shell.withApp({}, async (app) => {
    const days = { from: from ?? dayOf(now - weekMs), to: to ?? dayOf(now) };
    const name = sync === undefined ? undefined : findSync(sync, app.engine.syncs).settings.name;
    const found = await reportPeople(app, { kind, ...days, ...given({ sync: name }) });
    if (out !== undefined) await writeWhole('the report', fromHere(shell.io, out), reportCsv(found));
    return shell.answer(personReportView(found), render(found, out, shell.style));
  });
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function render({ kind, from, to, people }: PersonReport, out: string | undefined, { colors }: Style): string {
  const head = `${formatCount(people.length, kind.slice(0, -1))} from ${from} to ${to}`;
  if (out !== undefined) return `${head}, written to ${out}`;
  if (people.length === 0) return head;
  const isJoining = kind === 'joiners';
  const day = isJoining ? 'FIRST DAY' : 'LAST DAY';
  const names = ['PERSON', 'NAME', 'SYNC', 'HR SAID', day, 'PLATFORM SHOWED', 'STATE', 'APPROVED BY', 'REASON'];
  const rows = people.map((one) => [
    cleanLine(one.identification),
    cleanLine(one.name),
    one.sync,
    formatInstant(one.saidAt),
    (isJoining ? one.hireDate : one.leaveDate) ?? '–',
    one.shownAt === undefined || one.shownAt === null ? '–' : formatInstant(one.shownAt),
    `${one.change} ${one.state}`,
    cleanLine(one.approvedBy ?? '–'),
    cleanLine(one.stateReason ?? one.reason),
  ]);
  return [`${head}:`, renderTable([names.map(colors.dim), ...rows])].join('\n');
}
