import { note } from '../app/audit.ts';
import type { Config } from '../config/config.ts';
import type { MailSettings } from '../config/sections/reports.ts';
import { correctionWords, type Language } from '../core/person/corrections.ts';
import { RollcallError } from '../core/run/errors.ts';
import { countOf } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import type { Egress } from '../ports/runtime.ts';
import type { EngineIo, MailedReport } from '../run/engine-io.ts';
import type { DueReport } from '../run/work.ts';
import { oldestSuccess } from '../watch/alerts/freshness.ts';
import type { WatchedConnection } from '../watch/alerts/topics.ts';
import { openSchedules, openSlots } from '../work/schedule.ts';

/** Returns when the reports are due, for the scheduler. */
export function dueReports({ reports }: Config, { store }: Pick<EngineIo, 'store'>): readonly DueReport[] {
  return Object.entries(reports).map(([name, { schedule }]) => {
    const lastSlot = async () => (await store.mailedReports.list()).find((one) => one.name === name)?.slotAt;
    return { name, slots: openSlots(schedule, lastSlot) };
  });
}

/** Opens the reports that are sent by e-mail. `io` is asked when one is sent. */
export function openReports(
  { reports }: Config,
  io: () => EngineIo,
  egress: Egress | undefined,
): ReadonlyMap<string, MailedReport> {
  const opened = Object.entries(reports).map(([name, settings]): [string, MailedReport] => [
    name,
    {
      async send(slotAt, signal) {
        const engine = io();
        const { sync, days: _, ...mail } = settings;
        const { about, head, note: days = '', counts, csv, file, count } = await write(settings, slotAt, engine);
        const message = {
          subject: `[rollcall] ${head}`,
          text: [`${head}${days}.`, ...counts, '', 'The attached file lists them.', ''].join('\n'),
          messageId: `<report.${name}.${slotAt}@rollcall.invalid>`,
          attachments: [{ filename: `${file}.csv`, content: csv, contentType: 'text/csv; charset=utf-8' }],
        };
        try {
          const { sendMail } = await import('../watch/alerts/channels/email.ts');
          await sendMail(mail, message, egress, signal);
        } catch (cause) {
          throw new RollcallError(cause instanceof Error ? cause.message : 'the e-mail was not sent', {
            code: 'REPORT_NOT_SENT',
            cause,
          });
        }
        const detail = `report of ${about}, sent as reports.${name} to ${countOf(mail.to.length, 'recipient')}`;
        await note({ action: 'export-changes', by: 'schedule', detail, ...given({ sync }) }, engine);
        return count;
      },
    },
  ]);
  return new Map(opened);
}

interface Written {
  readonly about: string;
  readonly head: string;
  /** Follows the head in the text. */
  readonly note?: string;
  /** Numbers without people. */
  readonly counts: readonly string[];
  readonly csv: string;
  readonly file: string;
  readonly count: number;
}

async function write({ what, days, sync, language }: MailSettings, at: number, engine: EngineIo): Promise<Written> {
  if (what === 'data-quality') return writeCorrections(sync ?? '', language, engine);
  const { daysBefore, reportCsv, reportPeople } = await import('../app/changes/reports.ts');
  const { reportHead } = await import('../views/reports.ts');
  const report = await reportPeople({ engine }, { kind: what, ...daysBefore(at, days), ...given({ sync }) });
  const { from, to, people } = report;
  const rows: string[] = [];
  for await (const some of reportCsv(report)) rows.push(some);
  return {
    about: `${what}, ${from} to ${to}`,
    head: reportHead(report),
    note: ' (both days included, UTC)',
    counts: [],
    csv: rows.join(''),
    file: `${what}_${from}_${to}`,
    count: people.length,
  };
}

async function writeCorrections(sync: string, language: Language, engine: EngineIo): Promise<Written> {
  const { correctionsCsv, findCorrections } = await import('../app/person/corrections.ts');
  const list = await findCorrections({ engine }, sync, language);
  const kinds = Map.groupBy(list.all, (one) => correctionWords(one, language).problem);
  return {
    about: 'data-quality',
    head: countOf(list.all.length, 'correction'),
    counts: [...kinds].map(([problem, some]) => `${problem}: ${some.length}`),
    csv: correctionsCsv(list),
    file: 'data-quality',
    count: list.all.length,
  };
}

/** Returns what alerts watch of the reports of a connection. Reports without a sync are watched with the first one. */
export function watchedReports(
  { reports, syncs, connections }: Config,
  connection: string,
): WatchedConnection['reports'] {
  const [first] = Object.keys(connections);
  const watched = Object.entries(reports).flatMap(([name, { sync, schedule }]) =>
    (sync === undefined ? first : syncs[sync]?.connection) === connection ? [{ name, schedule }] : [],
  );
  const slots = openSchedules(watched);
  return watched.map(({ name }) => {
    return { name, staleBefore: oldestSuccess({ freshnessMs: undefined, schedule: slots.get(name) }) };
  });
}
