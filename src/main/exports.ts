import { resolve } from 'node:path';
import { note } from '../app/audit.ts';
import { daysBefore, reportCsv, reportPeople } from '../app/changes/reports.ts';
import type { Config, ConnectionSettings, ExportConfig } from '../config/config.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { Export, ExportTarget, MailedReport } from '../core/run/exports.ts';
import { countOf } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import { openFileTarget } from '../delivery/exports/file-target.ts';
import { openPostgresTarget } from '../delivery/exports/postgres-target.ts';
import { parseDatabaseUrl } from '../drivers/sql/database-url.ts';
import { openPlatformApi } from '../platform/client/api.ts';
import type { PlatformClient } from '../platform/client/client.ts';
import { exportColumns, openExportFeed } from '../platform/export-feed.ts';
import type { Clock, Egress } from '../ports/runtime.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { DueExport } from '../run/work.ts';
import { sendMail } from '../watch/alerts/channels/email.ts';
import { oldestSuccess } from '../watch/alerts/freshness.ts';
import type { WatchedConnection } from '../watch/alerts/topics.ts';
import { openSchedules, openSlots } from '../work/schedule.ts';

const itemsPerAnswer = 100;

/** Opens every configured export. Sends no request. */
export function openExports(
  { exports, folder }: Config,
  connections: ReadonlyMap<string, { readonly client: PlatformClient; readonly settings: ConnectionSettings }>,
  clock: Clock,
): ReadonlyMap<string, Export> {
  return new Map(
    Object.values(exports).map((settings) => {
      const connection = connections.get(settings.connection);
      if (connection === undefined) throw new RangeError(`export ${settings.name} names no known connection`);
      const api = openPlatformApi(connection.client);
      const feed = openExportFeed(api, settings, connection.settings.limits.pageSize ?? itemsPerAnswer);
      return [settings.name, { settings, feed, target: openTarget(settings, folder, clock) }];
    }),
  );
}

function openTarget({ name, what, to }: ExportConfig, folder: string, clock: Clock): ExportTarget {
  const { columns, key } = exportColumns(what);
  if (to.kind !== 'postgres') {
    return openFileTarget({ name, kind: to.kind, folder: resolve(folder, to.path), columns, clock });
  }
  const urlKey = `exports.${name}.to.url`;
  const place = parseDatabaseUrl(to.url.reveal());
  if ('problem' in place || place.dialect !== 'postgres') {
    const problem = 'problem' in place ? place.problem : 'is not of PostgreSQL';
    throw new RollcallError(`${urlKey} ${problem}`, { code: 'CONFIG_INVALID' });
  }
  return openPostgresTarget({ place, table: to.table, columns, key, folder, urlKey });
}

/** Returns the exports and the reports that are sent by e-mail. */
function scheduled({ exports, reports }: Config): readonly Pick<ExportConfig, 'name' | 'schedule'>[] {
  const mailed = Object.entries(reports).map(([name, { schedule }]) => ({ name: reportName(name), schedule }));
  return [...Object.values(exports), ...mailed];
}

/** Returns when the exports and reports are due, for the scheduler. */
export function dueExports(config: Config, { store }: Pick<EngineIo, 'store'>): readonly DueExport[] {
  return scheduled(config).map(({ name, schedule }) => {
    const lastSlot = async () => (await store.exports.list()).find((one) => one.name === name)?.slotAt;
    return { name, slots: schedule && openSlots(schedule, lastSlot) };
  });
}

/** Returns the name under which the store has the slots of a report. No export can have it. */
const reportName = (name: string): string => `report:${name}`;

/** Opens the reports that are sent by e-mail. `io` is asked when one is sent. */
export function openReports(
  { reports }: Config,
  io: () => EngineIo,
  egress: Egress | undefined,
): ReadonlyMap<string, MailedReport> {
  const opened = Object.entries(reports).map(([name, { what: kind, days, sync, ...mail }]): [string, MailedReport] => [
    reportName(name),
    {
      async send(slotAt, signal) {
        const engine = io();
        const query = { kind, ...daysBefore(slotAt, days) };
        const report = await reportPeople({ engine }, { ...query, ...given({ sync }) });
        const { from, to, people } = report;
        const rows: string[] = [];
        for await (const some of reportCsv(report)) rows.push(some);
        const counts = Object.entries(report.counts).map(([state, count]) => `${state}: ${count}`);
        const head = `${countOf(people.length, kind.slice(0, -1))} from ${from} to ${to}`;
        const message = {
          subject: `[rollcall] ${head}`,
          text: [`${head}, both days included (UTC).`, ...counts, '', 'The attached file lists them.', ''].join('\n'),
          messageId: `<report.${name}.${slotAt}@rollcall.invalid>`,
          attachments: [
            { filename: `${kind}_${from}_${to}.csv`, content: rows.join(''), contentType: 'text/csv; charset=utf-8' },
          ],
        };
        try {
          await sendMail(mail, message, egress, signal);
        } catch (cause) {
          throw new RollcallError(cause instanceof Error ? cause.message : 'the e-mail was not sent', {
            code: 'EXPORT_TARGET',
            cause,
          });
        }
        const detail = `report of ${kind}, ${from} to ${to}, sent as reports.${name} to ${countOf(mail.to.length, 'recipient')}`;
        await note({ action: 'export-changes', by: 'schedule', detail, ...given({ sync }) }, engine);
        return people.length;
      },
    },
  ]);
  return new Map(opened);
}

/** Returns what alerts watch of the exports of a connection. Reports without a sync are watched with the first one. */
export function watchedExports(config: Config, connection: string): WatchedConnection['exports'] {
  const { exports, reports, syncs, connections } = config;
  const [first] = Object.keys(connections);
  const names = [
    ...Object.values(exports).flatMap((one) => (one.connection === connection ? [one.name] : [])),
    ...Object.entries(reports).flatMap(([name, { sync }]) =>
      (sync === undefined ? first : syncs[sync]?.connection) === connection ? [reportName(name)] : [],
    ),
  ];
  const watched = scheduled(config).filter(({ name }) => names.includes(name));
  const slots = openSchedules(watched);
  return watched.map(({ name }) => {
    return { name, staleBefore: oldestSuccess({ freshnessMs: undefined, schedule: slots.get(name) }) };
  });
}
