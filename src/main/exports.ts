import { resolve } from 'node:path';
import type { Config, ConnectionSettings, ExportConfig } from '../config/config.ts';
import type { Export, ExportTarget } from '../core/export/export.ts';
import { RollcallError } from '../core/run/errors.ts';
import { openFileTarget } from '../delivery/exports/file-target.ts';
import { openPostgresTarget } from '../delivery/exports/postgres-target.ts';
import { parseDatabaseUrl } from '../drivers/sql/database-url.ts';
import { openPlatformApi } from '../platform/client/api.ts';
import type { PlatformClient } from '../platform/client/client.ts';
import { exportColumns, openExportFeed } from '../platform/export-feed.ts';
import type { Clock } from '../ports/runtime.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { DueExport } from '../run/work.ts';
import { oldestSuccess } from '../watch/alerts/freshness.ts';
import type { WatchedConnection } from '../watch/alerts/topics.ts';
import { openSchedule, openSlots } from '../work/schedule.ts';

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

/** Returns when the exports are due, for the scheduler. */
export function dueExports({ exports }: Config, { store }: Pick<EngineIo, 'store'>): readonly DueExport[] {
  return Object.values(exports).map(({ name, schedule }) => {
    const lastSlot = async () => (await store.exports.list()).find((one) => one.name === name)?.slotAt;
    return { name, slots: schedule && openSlots(schedule, lastSlot) };
  });
}

/** Returns the next slot of each export with a schedule. */
export function nextExportSlots({ exports }: Config): (name: string, after: number) => number | undefined {
  const slots = new Map(
    Object.values(exports).map(({ name, schedule }) => [
      name,
      schedule && openSchedule(schedule.cron, schedule.timezone),
    ]),
  );
  return (name, after) => slots.get(name)?.nextSlot(after);
}

/** Returns what alerts watch of the exports of a connection. */
export function watchedExports({ exports }: Config, connection: string): WatchedConnection['exports'] {
  return Object.values(exports)
    .filter((one) => one.connection === connection)
    .map(({ name, schedule }) => {
      const slots = schedule && openSchedule(schedule.cron, schedule.timezone);
      return { name, staleBefore: oldestSuccess({ freshnessMs: undefined, schedule: slots }) };
    });
}
