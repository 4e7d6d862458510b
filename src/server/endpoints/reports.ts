import { z } from 'zod';
import type { AppIo } from '../../app/app-io.ts';
import { note } from '../../app/audit.ts';
import { findRecentChanges, reportCsv, reportPeople } from '../../app/changes/reports.ts';
import { given } from '../../core/run/given.ts';
import { filterParts } from '../../views/orders.ts';
import { personReport, personReportView, recentChanges, recentChangesView, reportKinds } from '../../views/reports.ts';
import { definerOf, type Endpoint, StreamAnswer } from '../endpoint.ts';
import type { Sight } from '../http/admit.ts';
import { instantOf, knownSync, limit, syncName, word } from './parameters.ts';

const define = definerOf('reports');

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
  readonly caller: { readonly name: string };
}

/** Reads a report of the people whom the caller may see, and notes it in the audit. */
async function readReport({ params: { kind }, query: { from, to, sync }, sight, caller }: ReportCall, app: AppIo) {
  const about = sync && knownSync(sync, app);
  const report = await reportPeople(app, { kind, from, to, ...given({ sync: about, syncs: sight.syncs }) });
  const detail = `report of ${kind}, ${from} to ${to}`;
  await note({ action: 'export-changes', by: caller.name, detail, ...given({ sync: about }) }, app.engine);
  return report;
}

export const reportEndpoints: readonly Endpoint[] = [
  define({
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
  define({
    ...reportBase,
    id: 'report-people',
    path: '/api/reports/{kind}',
    summary: 'Who left or joined between two days: when HR said it, when the platform showed it, who approved',
    answer: personReport,
    handle: async (call, { app }) => personReportView(await readReport(call, app)),
  }),
  define({
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
