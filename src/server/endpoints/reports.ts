import { z } from 'zod';
import { note } from '../../app/audit.ts';
import { findRecentChanges, reportPeople } from '../../app/changes/reports.ts';
import { given } from '../../core/run/given.ts';
import { filterParts } from '../../views/orders.ts';
import { personReport, personReportView, recentChanges, recentChangesView, reportKinds } from '../../views/reports.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { instantOf, knownSync, limit, syncName, word } from './parameters.ts';

const { kind, class: changeClass, state, text } = filterParts;

export const reportEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    id: 'list-recent-changes',
    method: 'GET',
    path: '/api/changes',
    part: 'reports',
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
  defineEndpoint({
    id: 'report-people',
    method: 'GET',
    path: '/api/reports/{kind}',
    part: 'reports',
    summary: 'Who left or joined between two days: when HR said it, when the platform showed it, who approved',
    cost: 10,
    params: z.object({ kind: z.enum(reportKinds).describe('leavers or joiners') }),
    query: z.object({
      from: z.iso.date().describe('The first day, in UTC'),
      to: z.iso.date().describe('The last day, in UTC'),
      sync: syncName.optional(),
    }),
    answer: personReport,
    refusals: [400, 404],
    handle: async ({ params, query: { from, to, sync }, sight: { syncs }, caller }, { app }) => {
      const about = sync && knownSync(sync, app);
      const asked = { kind: params.kind, from, to };
      const report = await reportPeople(app, { ...asked, ...given({ sync: about, syncs }) });
      const detail = `report of ${params.kind}, ${from} to ${to}`;
      await note({ action: 'export-changes', by: caller.name, detail, ...given({ sync: about }) }, app.engine);
      return personReportView(report);
    },
  }),
];
