import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { pastChanges } from '../schema.ts';
import { person, personView } from '../schemas/person.ts';
import { pastView } from '../views.ts';
import { identification, knownSync, limit, nothing, readIdentification, syncName } from './parameters.ts';

const byPerson = z.object({ sync: syncName, identification });

export const explainPerson = defineEndpoint({
  id: 'explain-person',
  method: 'GET',
  path: '/api/syncs/{sync}/people/{identification}',
  part: 'people',
  summary: 'Explain one employee: the source, the mapping, the platform, the ledger, and the decision',
  description: 'Reads the whole source, so it counts as ten requests.',
  needs: 'viewer',
  cost: 10,
  params: byPerson,
  query: nothing,
  headers: nothing,
  body: undefined,
  status: 200,
  answer: person,
  refusals: [400, 404, 502],
  handle: async ({ params, signal }, { app }) => {
    const sync = knownSync(params.sync, app);
    return personView(sync, await app.why(sync, readIdentification(params.identification), signal));
  },
});

export const personHistory = defineEndpoint({
  id: 'person-history',
  method: 'GET',
  path: '/api/syncs/{sync}/people/{identification}/history',
  part: 'people',
  summary: 'The changes of one user in former runs, newest first',
  needs: 'viewer',
  params: byPerson,
  query: z.object({ limit: limit(200, 20) }),
  headers: nothing,
  body: undefined,
  status: 200,
  answer: pastChanges,
  refusals: [400, 404],
  handle: async ({ params, query }, { app }) => {
    const sync = knownSync(params.sync, app);
    return pastView(await app.history(sync, readIdentification(params.identification), query.limit));
  },
});
