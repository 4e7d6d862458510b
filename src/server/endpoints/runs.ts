import { z } from 'zod';
import { decideRun } from '../../app/approve.ts';
import { note } from '../../app/audit.ts';
import { findPreview, findPreviews, orderPreview } from '../../app/previews.ts';
import { queueRetry, stopRun } from '../../app/requests.ts';
import {
  cursorAfter,
  describeRun,
  everyChange,
  findChanges,
  findRuns,
  linesOf,
  readFindings,
  readRawTexts,
  readRunPage,
} from '../../app/runs.ts';
import { queueUndo, scopeOfUndo } from '../../app/undo.ts';
import { changeClasses } from '../../core/plan/change.ts';
import { given } from '../../core/run/given.ts';
import { change, changePage, changeView } from '../../views/changes.ts';
import { verdict, verdictView } from '../../views/holds.ts';
import { approvalOrder, cancelOrder, previewOrder, undoOrder, verdictOrder } from '../../views/orders.ts';
import { preview, previewList, previewListView, previewView } from '../../views/previews.ts';
import {
  findingPage,
  findingPageView,
  rawTextList,
  rawTextListView,
  runPage,
  runSummary,
  runView,
  runWithTimes,
  runWithTimesView,
} from '../../views/runs.ts';
import { requested, requestedView } from '../../views/syncs.ts';
import { definerOf, type Endpoint, StreamAnswer } from '../endpoint.ts';
import { csvOf } from './changes.ts';
import { defineStream } from './events.ts';
import {
  cursor,
  identification,
  instantOf,
  knownSync,
  limit,
  runId,
  scopeOf,
  selectionOf,
  signatureOf,
  syncName,
  word,
} from './parameters.ts';

const define = definerOf('runs');

const byRun = z.object({ id: runId });

const acts = {
  method: 'POST',
  params: byRun,
} as const;

export const runEndpoints: readonly Endpoint[] = [
  define({
    id: 'list-runs',
    path: '/api/runs',
    summary: 'Runs, newest first',
    query: z.object({
      sync: syncName.optional(),
      outcome: z.string().min(1).max(32).optional().describe('Only runs with this outcome; `open`: runs in progress'),
      trigger: runSummary.shape.trigger.optional().describe('Only runs with this trigger'),
      since: z.iso.datetime({ offset: true }).optional().describe('Only runs that started at this time or later'),
      until: z.iso.datetime({ offset: true }).optional().describe('Only runs that started before this time'),
      limit: limit(200, 20),
      cursor,
    }),
    answer: runPage,
    refusals: [400, 404],
    handle: async ({ query, sight: { syncs } }, { app }) => {
      const { sync, limit: most, cursor: after, outcome, trigger, since, until } = query;
      const asked = { outcome, trigger, since: instantOf(since), until: instantOf(until), after };
      const found = await findRuns(
        app,
        given({ limit: most + 1, sync: sync && knownSync(sync, app), syncs, ...asked }),
      );
      const runs = found.slice(0, most);
      const last = runs.at(-1);
      return { runs: runs.map(runView), next: found.length > most && last !== undefined ? cursorAfter(last) : null };
    },
  }),
  define({
    id: 'show-run',
    path: '/api/runs/{id}',
    summary: 'Everything about a run',
    params: byRun,
    answer: runWithTimes,
    refusals: [404, 409],
    handle: async ({ params }, { app }) => runWithTimesView(await readRunPage(app, params.id)),
  }),
  define({
    id: 'list-findings',
    path: '/api/runs/{id}/findings',
    summary: 'The findings of a run, or those of one code or cause, in order',
    params: byRun,
    query: z.object({
      code: z.string().min(1).max(64).optional().describe('Only findings with this code'),
      cause: z.string().min(1).max(1000).optional().describe('Only findings of this cause: its `message`'),
      limit: limit(1000, 100),
      cursor,
    }),
    answer: findingPage,
    refusals: [400, 404, 409],
    handle: async ({ params, query: { code, cause, limit: most, cursor: after } }, { app }) =>
      findingPageView(
        await readFindings(
          app,
          params.id,
          given({ limit: most, code, cause, after: after === undefined ? undefined : Number(after) }),
        ),
      ),
  }),
  define({
    id: 'list-changes',
    path: '/api/runs/{id}/changes',
    summary: 'The changes of a run, in order of identification',
    description: 'JSON is paged; ndjson and csv are streamed completely. The Accept header also selects the format.',
    params: byRun,
    query: z.object({
      format: z.enum(['json', 'ndjson', 'csv']).optional(),
      state: change.shape.state.optional(),
      class: z.enum(changeClasses).optional(),
      limit: limit(1000, 100),
      after: identification.optional().describe('`next` of the previous page'),
    }),
    headers: z.object({ accept: z.string().optional() }),
    answer: changePage,
    otherTypes: ['application/x-ndjson', 'text/csv'],
    refusals: [400, 404, 409],
    handle: async ({ params, query, headers, caller, signal }, { app }) => {
      const { run } = await describeRun(app, params.id);
      const { state, class: wanted, after } = query;
      const filter = given({ states: state && [state], classes: wanted && [wanted], after });
      const types = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;
      const [, asked = 'json'] = Object.entries(types).find(([type]) => headers.accept?.includes(type)) ?? [];
      const format = query.format ?? asked;
      if (format !== 'json') {
        const pages = everyChange(app, run.id, filter, signal);
        const about = { sync: run.sync, run: run.id, detail: `as ${format}` };
        await note({ action: 'export-changes', ...signatureOf(caller), ...about }, app.engine);
        if (format === 'csv') return new StreamAnswer('text/csv; charset=utf-8', `${run.id}.csv`, csvOf(pages));
        return new StreamAnswer('application/x-ndjson; charset=utf-8', `${run.id}.ndjson`, linesOf(pages));
      }
      const found = await findChanges(app, run.id, { ...filter, limit: query.limit + 1 });
      const changes = found.slice(0, query.limit).map(changeView);
      return { changes, next: found.length > query.limit ? (changes.at(-1)?.identification ?? null) : null };
    },
  }),
  define({
    id: 'list-raw-texts',
    path: '/api/runs/{id}/raw',
    summary: 'The raw answers of other systems during a run',
    description:
      'The answers may contain personal data, so they need the role operator. Findings and reasons never quote them.',
    params: byRun,
    answer: rawTextList,
    refusals: [404, 409],
    handle: async ({ params }, { app }) => rawTextListView(await readRawTexts(app, params.id)),
  }),
  define({
    ...acts,
    id: 'approve-run',
    path: '/api/runs/{id}/approve',
    summary: 'Approve the changes that guards held in the run, or some of them; the next run delivers them',
    description: 'Changes that a person rejected stay rejected, unless nothing else is selected and `reopen` is true.',
    body: approvalOrder,
    answer: verdict,
    refusals: [400, 404, 409],
    handle: async ({ params, caller, body: { reopen: reopens, ...order } }, { app }) => {
      const verdictOf = { ...selectionOf(order), ...signatureOf(caller, order), ...given({ reopens }) };
      return verdictView(await decideRun(app, 'approve', params.id, verdictOf));
    },
  }),
  define({
    ...acts,
    id: 'reject-run',
    path: '/api/runs/{id}/reject',
    summary: 'Reject the changes that guards held in the run, or some of them, while their reason lasts',
    description:
      'No run delivers or holds these changes again until an accepted read ends their reason. If `only` leaves out fields of a change, the call requests a run that plans those fields.',
    body: verdictOrder,
    answer: verdict,
    refusals: [400, 404, 409],
    handle: async ({ params, caller, body: order }, { app }) => {
      const verdictOf = { ...selectionOf(order), ...signatureOf(caller, order) };
      return verdictView(await decideRun(app, 'reject', params.id, verdictOf));
    },
  }),
  define({
    ...acts,
    id: 'cancel-run',
    path: '/api/runs/{id}/cancel',
    summary: 'Stop the run at its next safe point',
    body: cancelOrder,
    status: 202,
    answer: runSummary,
    refusals: [400, 404, 409],
    handle: async ({ params, caller, body: order }, { app }) => {
      const run = await stopRun(app, params.id, signatureOf(caller, order));
      return runView({ ...run, isCancelRequested: true });
    },
  }),
  define({
    ...acts,
    id: 'retry-run',
    path: '/api/runs/{id}/retry',
    summary: 'Request another run with the same scope',
    body: cancelOrder,
    status: 202,
    answer: requested,
    refusals: [400, 404, 409],
    handle: async ({ params, caller, body }, { app }) => {
      return requestedView(await queueRetry(app, params.id, signatureOf(caller, body)));
    },
  }),
  define({
    ...acts,
    id: 'undo-run',
    path: '/api/runs/{id}/undo',
    summary: 'Request a run that undoes what the run applied, or a part of it',
    description:
      'The run reads source and platform, and applies the inverse changes with guards, holds and read-back. Later runs do not repeat undone changes. A preview with `undo` shows it before.',
    body: undoOrder,
    status: 202,
    answer: requested,
    refusals: [400, 404, 409],
    handle: async ({ params, caller, body: { only, users, ...order } }, { app }) => {
      const undo = { ...signatureOf(caller, order), ...given({ only, users }) };
      return requestedView(await queueUndo(app, params.id, undo));
    },
  }),
];

const definePreview = definerOf('previews');

const byPreview = z.object({ id: word(64).describe('Id of the preview') });

export const previewEndpoints: readonly Endpoint[] = [
  definePreview({
    id: 'request-preview',
    method: 'POST',
    path: '/api/previews',
    summary: 'Request a plan without effect, for a sync or for named employees',
    description:
      'A worker runs the steps of a run up to the plan. It sends nothing, counts no absence and opens no hold. Every user with the role viewer can open it until it expires.',
    cost: 10,
    body: previewOrder,
    status: 202,
    answer: preview,
    refusals: [400, 404, 409],
    handle: async ({ body: { undo, only, users, ...body }, caller: { name: by } }, { app }) => {
      const sync = knownSync(body.sync, app);
      const scope =
        undo === undefined ? scopeOf(users) : await scopeOfUndo(app, sync, undo, { by, ...given({ only, users }) });
      return previewView(await orderPreview(app, sync, { scope, by }));
    },
  }),
  definePreview({
    id: 'list-previews',
    path: '/api/previews',
    summary: 'Previews that have not expired, newest first',
    query: z.object({ sync: syncName.optional(), limit: limit(100, 20) }),
    answer: previewList,
    refusals: [400, 404],
    handle: async ({ query: { sync, limit: most }, sight: { syncs } }, { app }) => {
      return previewListView(
        await findPreviews(app, given({ limit: most, sync: sync && knownSync(sync, app), syncs })),
      );
    },
  }),
  definePreview({
    id: 'show-preview',
    path: '/api/previews/{id}',
    summary: 'One preview: its progress, and what a run would do',
    params: byPreview,
    answer: preview,
    refusals: [400, 404],
    handle: async ({ params }, { app }) => previewView(await findPreview(app, params.id)),
  }),
  defineStream({
    id: 'stream-preview',
    path: '/api/previews/{id}/events',
    part: 'previews',
    summary: 'Follow a preview to its end: events `preview`',
    params: byPreview,
    answer: preview,
    refusals: [404],
    event: 'preview',
    read: (app, id) => findPreview(app, id),
    show: (found) => {
      const { state } = found.preview;
      return { state: previewView(found), isFinal: state === 'done' || state === 'failed' };
    },
  }),
];
