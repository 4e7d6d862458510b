import { z } from 'zod';
import { adoptPeople, planAdoption } from '../../app/adopt.ts';
import { adoptionOrder, peopleOrder } from '../../views/orders.ts';
import { adoptions, adoptionsView } from '../../views/people.ts';
import { defineEndpoint } from '../endpoint.ts';
import { knownSync, readIdentification, signatureOf, syncName } from './parameters.ts';

const asks = {
  method: 'POST',
  part: 'people',
  needs: 'operator',
  cost: 10,
  params: z.object({ sync: syncName }),
  answer: adoptions,
} as const;

export const previewAdoption = defineEndpoint({
  ...asks,
  id: 'preview-adoption',
  path: '/api/syncs/{sync}/adopt/preview',
  summary: 'Show what adopting users would change',
  description: 'Changes nothing. May read the whole source, so it counts as ten requests.',
  body: peopleOrder,
  refusals: [400, 404, 502],
  handle: async ({ params, body: { ids }, signal }, { app }) => {
    const sync = knownSync(params.sync, app);
    return adoptionsView({ sync, adoptions: await planAdoption(app, sync, ids.map(readIdentification), signal) });
  },
});

export const adoptUsers = defineEndpoint({
  ...asks,
  id: 'adopt-users',
  path: '/api/syncs/{sync}/adopt',
  summary: 'Move users from other syncs to this one, or accept renames and conversions',
  description: 'The next run of the sync decides about the users. A repeated request changes nothing more.',
  body: adoptionOrder,
  refusals: [400, 404, 502],
  handle: async ({ params, caller, body: { ids, ...order }, signal }, { app }) => {
    const sync = knownSync(params.sync, app);
    const { by, signed } = signatureOf(caller, order);
    const adopted = await adoptPeople(app, sync, ids.map(readIdentification), { by, signal, ...signed });
    return adoptionsView({ sync, adoptions: adopted });
  },
});
