import { z } from 'zod';
import { findAudit } from '../../app/audit.ts';
import { changeTokens, readTokens } from '../../app/connections.ts';
import { notFound } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import { auditActions } from '../../ports/store-operations.ts';
import { auditEntryView, auditPage, connection, connectionList, connectionView } from '../../views/connections.ts';
import { cancelOrder } from '../../views/orders.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import { cursor, instantOf, isIn, knownSync, limit, runId, signatureOf, syncName, word } from './parameters.ts';

const define = definerOf('deployment');

function changeToken(verb: 'refresh' | 'revoke', summary: string, description: string): Endpoint {
  return define({
    id: `${verb}-token`,
    method: 'POST',
    path: `/api/connections/{name}/token/${verb}`,
    summary,
    description,
    cost: 10,
    params: z.object({ name: word(63).describe('Name of the connection') }),
    body: cancelOrder,
    answer: connection,
    refusals: [400, 404, 502],
    handle: async ({ params: { name }, caller, body, signal }, { app }) => {
      if (!app.connections.has(name)) {
        throw notFound(`no connection is called ${name}: see GET /api/connections`);
      }
      const order = { ...signatureOf(caller, body), signal };
      return connectionView(await changeTokens(app, verb, name, order), app.syncs);
    },
  });
}

export const deploymentEndpoints: readonly Endpoint[] = [
  define({
    id: 'list-connections',
    path: '/api/connections',
    summary: 'The connections and the state of their tokens, without the tokens',
    answer: connectionList,
    handle: async ({ sight }, { app }) => {
      const syncs = app.syncs.filter(({ name }) => isIn(sight, name));
      const isSeen = (name: string) => sight.syncs === undefined || syncs.some((sync) => sync.connection === name);
      const reports = [...app.connections.keys()].filter(isSeen).map((name) => readTokens(app, name));
      return { connections: (await Promise.all(reports)).map((report) => connectionView(report, syncs)) };
    },
  }),
  define({
    id: 'list-audit',
    path: '/api/audit',
    summary:
      'The audit: who paused, requested, approved, rejected, canceled, retried, refreshed and revoked, newest first',
    query: z.object({
      sync: syncName.optional(),
      run: runId.optional(),
      by: z.string().min(1).max(100).optional().describe('Name of a person or server token'),
      action: z.enum(auditActions).optional().describe('Only entries about this action'),
      connection: word(63).optional().describe('Only entries about the token of this connection'),
      since: z.iso.datetime({ offset: true }).optional().describe('Only entries of this instant or later'),
      until: z.iso.datetime({ offset: true }).optional().describe('Only entries before this instant'),
      limit: limit(200, 50),
      cursor,
    }),
    answer: auditPage,
    refusals: [400, 404, 409],
    handle: async ({ query, sight: { syncs } }, { app }) => {
      const { sync, run, by, action, connection: about, since, until, limit: most, cursor: before } = query;
      const actions = action && [action];
      const asked = { run, by, actions, connection: about, since: instantOf(since), until: instantOf(until), before };
      const found = await findAudit(
        app,
        given({ limit: most + 1, sync: sync && knownSync(sync, app), syncs, ...asked }),
      );
      const entries = found.slice(0, most).map(auditEntryView);
      return { entries, next: found.length > most ? (entries.at(-1)?.id ?? null) : null };
    },
  }),
  changeToken(
    'refresh',
    'Refresh the token of a connection now',
    'Presents the stored or configured refresh token, even if automatic refreshes wait.',
  ),
  changeToken(
    'revoke',
    'Revoke the tokens of a connection',
    'Runs of its syncs fail until a new token is configured, or the token is refreshed.',
  ),
];
