import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RunScope } from '../../ports/store.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Refusal } from '../http/problem.ts';
import { signatureHeader, timestampHeader } from '../http/webhook-signature.ts';
import { requested, runOrder, sync, syncList, webhookOrder } from '../schema.ts';
import type { ServerApp } from '../server-parts.ts';
import { requestedView, syncView } from '../views.ts';
import { knownSync, nothing, scopeOf, syncName } from './parameters.ts';

const bySync = z.object({ sync: syncName });

export const listSyncs = defineEndpoint({
  id: 'list-syncs',
  method: 'GET',
  path: '/api/syncs',
  part: 'syncs',
  summary: 'Every sync: its state, last run, freshness and next slot',
  needs: 'viewer',
  params: nothing,
  query: nothing,
  headers: nothing,
  body: undefined,
  status: 200,
  answer: syncList,
  refusals: [],
  handle: async (_asked, { app }) => ({ syncs: (await app.syncStates()).map(syncView) }),
});

/** Pausing and resuming differ in a word. */
function stopOrGo(word: 'pause' | 'resume', summary: string, description: string): Endpoint {
  return defineEndpoint({
    id: `${word}-sync`,
    method: 'POST',
    path: `/api/syncs/{sync}/${word}`,
    part: 'syncs',
    summary,
    description,
    needs: 'operator',
    params: bySync,
    query: nothing,
    headers: nothing,
    body: undefined,
    status: 200,
    answer: sync,
    refusals: [404, 409],
    handle: async ({ params, caller }, { app }) => {
      await app[word](knownSync(params.sync, app), caller.name);
      return stateOf(params.sync, app);
    },
  });
}

export const pauseSync = stopOrGo(
  'pause',
  'Begin no run of the sync until it is resumed',
  'A run under way goes on: cancel it if it should not. What is asked for meanwhile waits.',
);

export const resumeSync = stopOrGo(
  'resume',
  'Let a paused sync run again',
  'What waited begins, and slots that were missed are caught up once.',
);

export const requestRun = defineEndpoint({
  id: 'request-run',
  method: 'POST',
  path: '/api/syncs/{sync}/runs',
  part: 'syncs',
  summary: 'Ask for a run, of everybody or of named people',
  description: 'It is stored at once, and a deployment begins it when no other run of the sync is under way.',
  needs: 'operator',
  params: bySync,
  query: nothing,
  headers: z.object({
    'idempotency-key': z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The same key again is the same request, and starts nothing twice' }),
  }),
  body: runOrder,
  status: 202,
  answer: requested,
  refusals: [400, 404, 422],
  handle: async ({ params, headers, body, caller }, { app }) => {
    const name = knownSync(params.sync, app);
    const key = headers['idempotency-key'];
    const scope = scopeOf(body.users, body.full);
    const report = await app.request(name, {
      scope,
      kind: 'manual',
      by: caller.name,
      ...(key === undefined ? {} : { key: `http:${caller.name}:${name}:${key}` }),
    });
    if (!report.isNew && !isSameScope(report.scope, scope)) {
      const detail = 'this Idempotency-Key was used for another run: take a new key for a new request';
      throw new Refusal(422, 'KEY_REUSED', detail);
    }
    return requestedView(report);
  },
});

export const webhook = defineEndpoint({
  id: 'webhook',
  method: 'POST',
  path: '/api/webhooks/{sync}',
  part: 'webhooks',
  summary: 'Another system says which employees changed: they are synced now',
  description:
    'Signed with the secret of server.webhooks: HMAC-SHA256 over timestamp, a full stop and the body. A signature counts once, within 5 minutes.',
  needs: 'signature',
  params: bySync,
  query: nothing,
  headers: z.object({
    [timestampHeader]: z.string().optional().meta({ description: 'Epoch seconds' }),
    [signatureHeader]: z.string().optional().meta({ description: 'sha256= and the HMAC in hex' }),
  }),
  body: webhookOrder,
  status: 202,
  answer: requested,
  refusals: [400, 404, 409],
  handle: async ({ params, body, signature = '', caller }, { app }) => {
    const name = knownSync(params.sync, app);
    const scope = scopeOf(body.identifications);
    // The trigger's row is the memory of used signatures: of two at once, one is first.
    const key = `webhook:${name}:${createHash('sha256').update(signature).digest('hex')}`;
    const report = await app.request(name, { scope, kind: 'webhook', by: caller.name, key });
    if (report.isNew) return requestedView(report);
    throw new Refusal(409, 'SIGNATURE_USED', 'this very request was taken before: sign a new one with a new timestamp');
  },
});

async function stateOf(name: string, app: ServerApp) {
  const found = (await app.syncStates()).find((state) => state.name === name);
  if (found === undefined) throw new RangeError('a known sync has no state');
  return syncView(found);
}

function isSameScope(one: RunScope, other: RunScope): boolean {
  if (one.kind === 'all' && other.kind === 'all') return one.isFull === other.isFull;
  if (one.kind === 'all' || other.kind === 'all') return false;
  const [a, b] = [one, other].map(({ identifications }) => JSON.stringify([...identifications].sort()));
  return a === b;
}
