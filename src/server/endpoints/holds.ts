import { z } from 'zod';
import { decideHold, describeHold, estimateHold } from '../../app/changes/decide-hold.ts';
import { findClosedHolds, findHolds } from '../../app/holds.ts';
import { given } from '../../core/run/given.ts';
import { effect, effectView } from '../../views/changes.ts';
import {
  closedHolds,
  closedHoldsView,
  holdDetail,
  holdDetailView,
  holdsPage,
  holdsView,
  verdict,
  verdictView,
} from '../../views/holds.ts';
import { holdOrder, holdSelection } from '../../views/orders.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import { filterOf } from './changes.ts';
import { cursor, knownSync, limit, signatureOf, syncName, word } from './parameters.ts';

const define = definerOf('holds');

const byHold = z.object({ id: word(64).describe('Id of the hold') });

function decide(action: 'approve' | 'reject', summary: string): Endpoint {
  return define({
    id: `${action}-hold`,
    method: 'POST',
    path: `/api/holds/{id}/${action}`,
    summary,
    description: 'With `expect`, nothing is decided if the hold has changed since the operator reviewed it.',
    params: byHold,
    body: holdOrder,
    answer: verdict,
    refusals: [400, 404, 409],
    handle: async ({ params, caller, body: { reopen: reopens, reason, as, ...body } }, { app }) => {
      const order = { action, selection: selectionOf(body), ...signatureOf(caller, { reason, as }) };
      return verdictView(await decideHold(app, params.id, { ...order, ...given({ reopens }) }));
    },
  });
}

function selectionOf(body: z.output<typeof holdSelection> & { readonly expect?: number | undefined }) {
  const { ids, except, filter, expect } = body;
  return given({ ids, except, filter: filter && filterOf(filter), expect });
}

export const holdEndpoints: readonly Endpoint[] = [
  define({
    id: 'list-holds',
    path: '/api/holds',
    summary: 'What waits for approval, in all syncs or one',
    query: z.object({ sync: syncName.optional(), limit: limit(1000, 50) }),
    answer: holdsPage,
    refusals: [400, 404],
    handle: async ({ query: { sync, limit: most }, sight: { syncs } }, { app }) =>
      holdsView(await findHolds(app, given({ limit: most, sync: sync && knownSync(sync, app), syncs }))),
  }),
  define({
    id: 'list-closed-holds',
    path: '/api/holds/closed',
    summary: 'Holds that no longer wait, newest first: who decided, why, and the state of the changes',
    cost: 2,
    query: z.object({ sync: syncName.optional(), limit: limit(100, 20), cursor }),
    answer: closedHolds,
    refusals: [400, 404],
    handle: async ({ query: { sync, limit: most, cursor: after }, sight: { syncs } }, { app }) => {
      const asked = { limit: most + 1, sync: sync && knownSync(sync, app), syncs, after };
      return closedHoldsView(await findClosedHolds(app, given(asked)), most);
    },
  }),
  define({
    id: 'show-hold',
    path: '/api/holds/{id}',
    summary: 'One hold: its reason, its people in groups, and the effect of an approval',
    params: byHold,
    answer: holdDetail,
    refusals: [400, 404],
    handle: async ({ params }, { app }) => holdDetailView(await describeHold(app, params.id)),
  }),
  define({
    id: 'preview-hold',
    method: 'POST',
    path: '/api/holds/{id}/effect',
    summary: 'What an approval of some changes of a hold would do: files, requests and time',
    description: 'Changes nothing.',
    params: byHold,
    body: holdSelection,
    answer: effect,
    refusals: [400, 404],
    handle: async ({ params, body }, { app }) => effectView(await estimateHold(app, params.id, selectionOf(body))),
  }),
  decide('approve', 'Approve changes of a hold, all or some; the next run delivers them'),
  decide('reject', 'Reject changes of a hold, all or some, while their reason lasts'),
];
