import { z } from 'zod';
import { type ExportSettings, type ExportState, exportedLists } from '../core/run/exports.ts';
import { count, instant, viewOf } from './wire.ts';

export const exported = z
  .object({
    name: z.string(),
    connection: z.string(),
    what: z.enum(exportedLists),
    place: z.string().describe('The folder of the files, or the database and its table'),
    state: z
      .enum(['never-ran', 'waiting', 'succeeded', 'failing'])
      .describe('waiting: a pass was requested, and waits or is in progress'),
    items: count.describe('Items written since the export exists'),
    lastItemAt: instant.nullable().describe('Time of the newest item that was written'),
    successAt: instant.nullable().describe('When the last pass succeeded'),
    nextAt: instant.nullable().describe('When the next pass begins; null: only on request'),
    failures: count.describe('Passes in a row that failed'),
    failure: z.string().nullable(),
  })
  .meta({ id: 'Export' });

export const exportList = z.object({ exports: z.array(exported) }).meta({ id: 'ExportList' });

/** One configured export, and where it stands. */
export interface ExportReport {
  readonly settings: ExportSettings;
  readonly place: string;
  /** Undefined before the first request and the first start. */
  readonly state: ExportState | undefined;
  readonly nextSlotAt: number | undefined;
}

export const exportView = viewOf(exported, ({ settings, place, state, nextSlotAt }: ExportReport) => {
  const { failures = 0, requestedAt, successAt, retryAt } = state ?? {};
  const isWaiting = requestedAt !== undefined;
  const since = successAt === undefined ? ('never-ran' as const) : ('succeeded' as const);
  return {
    ...{ name: settings.name, connection: settings.connection, what: settings.what, place, successAt, failures },
    state: failures > 0 ? ('failing' as const) : isWaiting ? ('waiting' as const) : since,
    items: state?.items ?? 0,
    lastItemAt: state?.lastItemAt,
    nextAt: isWaiting ? (retryAt ?? requestedAt) : nextSlotAt,
    failure: state?.failure,
  };
});
