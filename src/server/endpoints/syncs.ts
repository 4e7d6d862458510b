import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AppIo } from '../../app/app-io.ts';
import { findCorrections } from '../../app/person/corrections.ts';
import { orderPreview } from '../../app/previews.ts';
import { readRequest } from '../../app/request-ends.ts';
import { queueRun } from '../../app/requests.ts';
import { beginPause, describeMapping, endPause, readSyncStates } from '../../app/syncs.ts';
import { showSetUp } from '../../app/try-source.ts';
import { takeMessage } from '../../app/webhooks.ts';
import { languages } from '../../core/person/corrections.ts';
import { given } from '../../core/run/given.ts';
import { idsIn } from '../../core/setup/webhook-ways.ts';
import { mappingOrder, pauseOrder, runOrder, setUpOrder, webhookMessage, webhookOrder } from '../../views/orders.ts';
import { preview, previewView } from '../../views/previews.ts';
import { dataQuality, dataQualityView } from '../../views/reports.ts';
import {
  requested,
  requestedView,
  requestState,
  requestStateView,
  setUp,
  setUpView,
  sync,
  syncList,
  syncMapping,
  syncMappingView,
  syncView,
} from '../../views/syncs.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import { Refusal } from '../http/problem.ts';
import { read } from '../http/route-endpoint.ts';
import { syncsSeen } from './events.ts';
import { knownSync, readIdentification, requestId, scopeOf, signatureOf, syncName } from './parameters.ts';

const define = definerOf('syncs');

const bySync = z.object({ sync: syncName });

const pauseOrResume = {
  method: 'POST',
  params: bySync,
  answer: sync,
  refusals: [404, 409],
} as const;

async function stateOf(name: string, app: AppIo) {
  const found = (await readSyncStates(app)).find((state) => state.name === name);
  if (found === undefined) throw new RangeError('a known sync has no state');
  return syncView(found);
}

export const syncEndpoints: readonly Endpoint[] = [
  define({
    id: 'list-syncs',
    path: '/api/syncs',
    summary: 'Every sync: its state, last run, freshness and next slot',
    answer: syncList,
    handle: async ({ sight }, { app }) => syncsSeen(await readSyncStates(app), sight),
  }),
  define({
    ...pauseOrResume,
    id: 'pause-sync',
    path: '/api/syncs/{sync}/pause',
    summary: 'Pause a sync: no new run starts until the sync is resumed, or until a time',
    description: 'A current run continues; cancel it if it must stop. New requests wait.',
    body: pauseOrder,
    refusals: [400, 404, 409],
    handle: async ({ params, body, caller }, { app }) => {
      const until = body.until === undefined ? undefined : { at: Date.parse(body.until) };
      await beginPause(app, knownSync(params.sync, app), { ...signatureOf(caller), ...given({ until }) });
      return stateOf(params.sync, app);
    },
  }),
  define({
    ...pauseOrResume,
    id: 'resume-sync',
    path: '/api/syncs/{sync}/resume',
    summary: 'Resume a paused sync',
    description: 'Waiting requests start, and one run catches up missed slots.',
    handle: async ({ params, caller }, { app }) => {
      await endPause(app, knownSync(params.sync, app), signatureOf(caller));
      return stateOf(params.sync, app);
    },
  }),
  define({
    id: 'request-run',
    method: 'POST',
    path: '/api/syncs/{sync}/runs',
    summary: 'Request a run, for all employees or for named ones',
    description: 'The request is stored immediately. A deployment starts the run when the sync has no other run.',
    params: bySync,
    headers: z.object({
      'idempotency-key': z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A repeated key is the same request and starts no second run'),
    }),
    body: runOrder,
    status: 202,
    answer: requested,
    refusals: [400, 404, 422],
    handle: async ({ params, headers, body, caller }, { app }) => {
      const name = knownSync(params.sync, app);
      const key = headers['idempotency-key'];
      const scope = scopeOf(body.users, body.full);
      const own = key && `http:${caller.name}:${name}:${key}`;
      const report = await queueRun(app, name, {
        ...given({ scope, key: own }),
        ...signatureOf(caller, body),
      });
      if (!report.isNew && !isDeepStrictEqual(report.scope, scope)) {
        const detail = 'this Idempotency-Key was used for a different run: use a new key for a new request';
        throw new Refusal(422, 'KEY_REUSED', detail);
      }
      return requestedView(report);
    },
  }),
  define({
    id: 'show-request',
    path: '/api/requests/{id}',
    summary: 'State and outcome of a request for a run',
    description: '`id` is `trigger` in the answer to the request. The outcome is that of its run.',
    params: z.object({ id: requestId }),
    answer: requestState,
    refusals: [404],
    handle: async ({ params }, { app }) => requestStateView(await readRequest(app, params.id)),
  }),
  define({
    id: 'list-corrections',
    params: bySync,
    path: '/api/syncs/{sync}/data-quality',
    summary: 'What HR has to correct in the records of a sync, as the last full read showed them',
    query: z.object({ language: z.enum(languages).default('en') }),
    answer: dataQuality,
    refusals: [400, 404],
    handle: async ({ params, query: { language } }, { app }) =>
      dataQualityView(await findCorrections(app, knownSync(params.sync, app), language)),
  }),
  define({
    id: 'show-mapping',
    params: bySync,
    path: '/api/syncs/{sync}/mapping',
    summary: 'The mapping of a sync with fill-rates, and how much of each guard is used',
    answer: syncMapping,
    refusals: [404],
    handle: async ({ params }, { app }) => syncMappingView(await describeMapping(app, knownSync(params.sync, app))),
  }),
  define({
    id: 'set-up',
    params: bySync,
    method: 'POST',
    path: '/api/syncs/{sync}/set-up',
    summary: 'What each field and status of a sync can be, what speaks for it, and what each answer does to people',
    description:
      'Reads source and platform as a whole, and keeps what they show for ten minutes. Values are data of employees, so they need the role operator.',
    body: setUpOrder,
    answer: setUp,
    refusals: [400, 404, 409, 502],
    handle: async ({ params, body: { isFinal, ...order }, signal }, { app, setUp: end }) => {
      const sync = knownSync(params.sync, app);
      const shown = await showSetUp(app, sync, { ...order, sides: end?.sides ?? 'both', signal });
      if (isFinal && end?.write === undefined)
        throw new Refusal(409, 'CONFLICT', 'this server writes no configuration: copy the lines');
      const written = isFinal ? await end?.write?.(shown.yaml) : undefined;
      const canWrite = end?.write !== undefined;
      return setUpView({ ...shown, notes: canWrite ? [] : shown.notes, canWrite, written });
    },
  }),
  define({
    id: 'preview-mapping',
    params: bySync,
    method: 'POST',
    path: '/api/syncs/{sync}/mapping/preview',
    summary: 'Request a plan without effect with another mapping',
    description:
      'The mapping is stored with the preview, until it expires, and nowhere else. It cannot use `${env:…}` or `${file:…}`. The preview may show other fields of employees, so making and reading it need the role operator and the right to see people.',
    cost: 10,
    body: mappingOrder,
    status: 202,
    answer: preview,
    refusals: [400, 404, 409],
    handle: async ({ params, body: { mapping }, caller: { name: by } }, { app }) =>
      previewView(
        await orderPreview(app, knownSync(params.sync, app), { scope: { kind: 'all', isFull: true }, mapping, by }),
      ),
  }),
];

export const webhook: Endpoint = definerOf('webhooks')({
  id: 'webhook',
  method: 'POST',
  path: '/api/webhooks/{sync}',
  summary: 'Receive a message that employees changed in another system, and sync them now',
  description:
    'Signed as `server.webhooks` says. By default `x-rollcall-timestamp` has epoch seconds, and `x-rollcall-signature` has sha256= and the HMAC-SHA256 in hex over the timestamp, a period, the name of the sync, a period and the body. A message counts once. Rollcall does not trust its content: it reads the named employees from the source. Without names all are read, at most once in `minEvery`. A test of the HR system gets an empty object.',
  params: bySync,
  body: webhookMessage,
  answer: requested,
  refusals: [400, 404, 409],
  handle: async ({ params, body, signature: digest = '', caller, signal }, { app, settings }) => {
    const name = knownSync(params.sync, app);
    const way = settings.webhooks.get(params.sync);
    if (way === undefined) throw new RangeError('a verified message has no webhook');
    const isOwn = way.kind === 'rollcall';
    const ids = idsIn(isOwn ? read(webhookOrder, body, 'body') : body, way.people);
    if (isOwn) ids.forEach(readIdentification);
    const report = await takeMessage(app, name, { by: caller.name, digest, ids, way, signal });
    if (report !== undefined) return requestedView(report);
    const detail = 'this message was accepted before: do not repeat it, and sign a new message with a new time';
    throw new Refusal(409, 'SIGNATURE_USED', detail);
  },
});
