import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { AppIo } from '../../app/app-io.ts';
import { note } from '../../app/audit.ts';
import type { ChangeFilter, ChangeSort, ChangesSubject, GroupBy } from '../../app/changes/change-index.ts';
import { findRecentChanges, reportCsv, reportPeople } from '../../app/changes/reports.ts';
import { listLeavers } from '../../app/person/leavers.ts';
import { jsonOf, linesOf } from '../../app/runs.ts';
import type { FieldName } from '../../core/person/fields.ts';
import { given } from '../../core/run/given.ts';
import type { PlannedChange } from '../../ports/store.ts';
import { changeGroups, changeGroupsView, changeView, foundChanges, foundChangesView } from '../../views/changes.ts';
import { leaversPage, leaversView } from '../../views/leavers.ts';
import { fieldNames, filterParts } from '../../views/orders.ts';
import { personReport, personReportView, recentChanges, recentChangesView, reportKinds } from '../../views/reports.ts';
import { definerOf, type Endpoint, StreamAnswer } from '../endpoint.ts';
import type { Caller } from '../http/access.ts';
import type { Sight } from '../http/admit.ts';
import { instantOf, knownSync, limit, signatureOf, syncName, word } from './parameters.ts';

const filterQuery = z.object(filterParts);

const sortQuery = filterQuery.extend({
  sort: z
    .enum(['identification', 'name', 'kind', 'reason', ...fieldNames])
    .default('identification')
    .describe('What to sort by: a property, or a field of the person'),
  order: z.enum(['asc', 'desc']).default('asc').describe('asc or desc; blank values are last in both'),
});

const searchQuery = sortQuery.extend({
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Page size, at most 1000'),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0).describe('The first row, from 0'),
});

const groupQuery = filterQuery.extend({
  by: z
    .string()
    .regex(/^(reason|rule|kind|class|state|field|value:[A-Za-z0-9]+)$/)
    .default('reason')
    .describe('reason, rule, kind, class, state, field, or value: and a field, such as value:office'),
});

export function filterOf({ text, ...filter }: z.output<typeof filterQuery>): ChangeFilter {
  // A blank value is a filter: people without an office. A blank text is none.
  return given({ ...filter, text: text || undefined });
}

function sortOf({ sort, order, ...filter }: z.output<typeof sortQuery>) {
  return { filter: filterOf(filter), sort: sort as ChangeSort, isDescending: order === 'desc' };
}

/** Defines search, groups and export, which differ only in what they are about. */
function searchesOf(kind: ChangesSubject['kind'], words: string): readonly Endpoint[] {
  const define = definerOf(`${kind}s`);
  const path = `/api/${kind}s/{id}/changes`;
  const base = {
    params: z.object({ id: word(64).describe(`Id of the ${kind}`) }),
    refusals: [400, 404, 409],
  } as const;
  return [
    define({
      ...base,
      id: `search-${kind}-changes`,
      path: `${path}/search`,
      summary: `Find changes ${words} by their values, in any order`,
      description: '`offset` selects the first row. The first search of a plan reads all of its changes.',
      query: searchQuery,
      answer: foundChanges,
      handle: async ({ params: { id }, query: { limit, offset, ...query } }, { app }) =>
        foundChangesView(await app.changes.search({ kind, id }, { ...sortOf(query), limit, offset }), offset),
    }),
    define({
      ...base,
      id: `group-${kind}-changes`,
      path: `${path}/groups`,
      summary: `Count changes ${words} by a property`,
      query: groupQuery,
      answer: changeGroups,
      handle: async ({ params: { id }, query: { by, ...filter } }, { app }) => {
        const value = by.startsWith('value:') ? (by.slice('value:'.length) as FieldName) : undefined;
        const groupBy = value === undefined ? (by as GroupBy) : { value };
        return changeGroupsView(await app.changes.group({ kind, id }, filterOf(filter), groupBy));
      },
    }),
    define({
      ...base,
      id: `export-${kind}-changes`,
      path: `${path}/export`,
      summary: `Export changes ${words} that match, as a file`,
      cost: 5,
      query: sortQuery.extend({
        format: z.enum(['csv', 'json', 'ndjson']).default('csv').describe('The form of the file'),
      }),
      answer: undefined,
      otherTypes: ['text/csv', 'application/json', 'application/x-ndjson'],
      handle: async ({ params: { id }, query: { format, ...query }, caller, signal }, { app }) => {
        const pages = app.changes.every({ kind, id }, sortOf(query), signal);
        // A file that does not exist is refused before the answer begins.
        const first = await pages.next();
        const all = (async function* () {
          if (first.done !== true) yield first.value;
          yield* pages;
        })();
        await note(
          { action: 'export-changes', ...signatureOf(caller), detail: `${kind} ${id} as ${format}` },
          app.engine,
        );
        const name = `${kind}-${id}.${format}`.replace(/[^\w.-]/g, '_');
        if (format === 'csv') return new StreamAnswer('text/csv; charset=utf-8', name, csvOf(all));
        if (format === 'json') return new StreamAnswer('application/json; charset=utf-8', name, jsonOf(all));
        return new StreamAnswer('application/x-ndjson; charset=utf-8', name, linesOf(all));
      },
    }),
  ];
}

export const changeSearches: readonly Endpoint[] = [
  ...searchesOf('run', 'of a run'),
  ...searchesOf('preview', 'of a preview'),
  ...searchesOf('hold', 'that wait in a hold'),
];

const defineReport = definerOf('reports');
const { kind, class: changeClass, state, text } = filterParts;

const reportBase = {
  cost: 10,
  params: z.object({ kind: z.enum(reportKinds).describe('leavers or joiners') }),
  query: z.object({
    from: z.iso.date().describe('The first day, in UTC'),
    to: z.iso.date().describe('The last day, in UTC'),
    sync: syncName.optional(),
  }),
  refusals: [400, 404],
} as const;

interface ReportCall {
  readonly params: z.output<typeof reportBase.params>;
  readonly query: z.output<typeof reportBase.query>;
  readonly sight: Sight;
  readonly caller: Caller;
}

/** Reads a report of the people whom the caller may see, and notes it in the audit. */
async function readReport({ params: { kind }, query: { from, to, sync }, sight, caller }: ReportCall, app: AppIo) {
  const about = sync && knownSync(sync, app);
  const report = await reportPeople(app, { kind, from, to, ...given({ sync: about, syncs: sight.syncs }) });
  const detail = `report of ${kind}, ${from} to ${to}`;
  await note({ action: 'export-changes', ...signatureOf(caller), detail, ...given({ sync: about }) }, app.engine);
  return report;
}

export const reportEndpoints: readonly Endpoint[] = [
  defineReport({
    id: 'list-recent-changes',
    path: '/api/changes',
    summary: 'The changes of the last 30 days in all syncs, those of the newest run first',
    description: 'With `text`, a page may have fewer changes than asked for, and still have a next page.',
    cost: 2,
    query: z.object({
      ...{ kind, class: changeClass, state, text },
      sync: syncName.optional(),
      since: z.iso.datetime({ offset: true }).optional().describe('Only changes planned at this time or later'),
      until: z.iso.datetime({ offset: true }).optional().describe('Only changes planned before this time'),
      limit: limit(200, 50),
      cursor: word(600).optional().describe('`next` of the previous page'),
    }),
    answer: recentChanges,
    refusals: [400, 404],
    handle: async ({ query: { sync, since, until, ...query }, sight: { syncs } }, { app }) => {
      const asked = { sync: sync && knownSync(sync, app), syncs, since: instantOf(since), until: instantOf(until) };
      return recentChangesView(await findRecentChanges(app, given({ ...query, ...asked })));
    },
  }),
  definerOf('leavers')({
    id: 'list-leavers',
    path: '/api/leavers',
    summary: 'The clock of each person whom HR states as a leaver, and what blocks it',
    query: z.object({
      sync: syncName.optional(),
      due: z.enum(['today', 'week']).optional().describe('Only those whose target ends by then, in UTC'),
      late: z.enum(['true']).optional().describe('Only those whose target was missed'),
    }),
    answer: leaversPage,
    refusals: [400, 404],
    handle: async ({ query: { sync, due, late }, sight: { syncs } }, { app }) =>
      leaversView(
        await listLeavers(app, given({ sync: sync && knownSync(sync, app), syncs, due, late: late && true })),
      ),
  }),
  defineReport({
    ...reportBase,
    id: 'report-people',
    path: '/api/reports/{kind}',
    summary: 'Who left or joined between two days: when HR said it, when the platform showed it, who approved',
    answer: personReport,
    handle: async (call, { app }) => personReportView(await readReport(call, app)),
  }),
  defineReport({
    ...reportBase,
    id: 'export-report',
    path: '/api/reports/{kind}/export',
    summary: 'Export who left or joined between two days, as a CSV file',
    answer: undefined,
    otherTypes: ['text/csv'],
    handle: async (call, { app }) => {
      const report = await readReport(call, app);
      const name = `${report.kind}-${report.from}-${report.to}.csv`;
      return new StreamAnswer('text/csv; charset=utf-8', name, reportCsv(report));
    },
  }),
];

const columns = [
  ...(['identification', 'kind', 'state', 'stateReason', 'reason', 'classes'] as const),
  ...(['changed', 'before', 'after', 'batch', 'isApproved', 'hash'] as const),
];

/** Yields CSV (RFC 4180) with a header. An apostrophe protects cells that a spreadsheet would read as formulas. */
export async function* csvOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  yield stringify([columns], { record_delimiter: 'windows' });
  for await (const page of pages) {
    const rows = page.map((change) => {
      const view = changeView(change);
      return columns.map((name) => cellOf(view[name]));
    });
    yield stringify(rows, { record_delimiter: 'windows', escape_formulas: true });
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
