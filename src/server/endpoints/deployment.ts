import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { auditPage, connectionList } from '../schema.ts';
import { auditView, connectionView } from '../views.ts';
import { cursor, knownSync, limit, nothing, runId, syncName } from './parameters.ts';

export const listConnections = defineEndpoint({
  id: 'list-connections',
  method: 'GET',
  path: '/api/connections',
  part: 'deployment',
  summary: 'The connections and the state of their tokens, without the tokens',
  needs: 'viewer',
  params: nothing,
  query: nothing,
  headers: nothing,
  body: undefined,
  status: 200,
  answer: connectionList,
  refusals: [],
  handle: async (_asked, { app }) => {
    return {
      connections: (await Promise.all(app.connections.map((name) => app.tokenStatus(name)))).map(connectionView),
    };
  },
});

export const listAudit = defineEndpoint({
  id: 'list-audit',
  method: 'GET',
  path: '/api/audit',
  part: 'deployment',
  summary:
    'The audit: who paused, requested, approved, rejected, cancelled, retried, refreshed and revoked, newest first',
  needs: 'viewer',
  params: nothing,
  query: z.object({
    sync: syncName.optional(),
    run: runId.optional(),
    by: z.string().min(1).max(100).optional().meta({ description: 'Name of a person or server token' }),
    since: z.iso.datetime({ offset: true }).optional().meta({ description: 'Only entries of this instant or later' }),
    limit: limit(200, 50),
    cursor,
  }),
  headers: nothing,
  body: undefined,
  status: 200,
  answer: auditPage,
  refusals: [400, 404, 409],
  handle: async ({ query: { sync, run, by, since, limit: most, cursor: before } }, { app }) => {
    const found = await app.audit({
      limit: most + 1,
      ...(sync === undefined ? {} : { sync: knownSync(sync, app) }),
      ...(run === undefined ? {} : { run }),
      ...(by === undefined ? {} : { by }),
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...(before === undefined ? {} : { before }),
    });
    const entries = found.slice(0, most).map(auditView);
    return { entries, next: found.length > most ? (entries.at(-1)?.id ?? null) : null };
  },
});
