import { z } from 'zod';
import { findPreview, findPreviews, orderPreview } from '../../app/previews.ts';
import { scopeOfUndo } from '../../app/undo.ts';
import { given } from '../../core/run/given.ts';
import { previewOrder } from '../../views/orders.ts';
import { preview, previewList, previewListView, previewView } from '../../views/previews.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import { defineStream } from './events.ts';
import { knownSync, limit, scopeOf, syncName, word } from './parameters.ts';

const define = definerOf('previews');

const byPreview = z.object({ id: word(64).describe('Id of the preview') });

export const previewEndpoints: readonly Endpoint[] = [
  define({
    id: 'request-preview',
    method: 'POST',
    path: '/api/previews',
    summary: 'Request a plan without effect, for a sync or for named employees',
    description:
      'A worker makes it with the steps of a run. It sends nothing, counts no absence, opens no hold and ends no episode. Every user with the role viewer can open it until it expires.',
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
  define({
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
  define({
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
    read: async (app, id) => {
      const found = await findPreview(app, id);
      const { state } = found.preview;
      return { state: previewView(found), isFinal: state === 'done' || state === 'failed' };
    },
  }),
];
