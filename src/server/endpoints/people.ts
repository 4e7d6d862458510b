import { z } from 'zod';
import { adoptPeople, planAdoption } from '../../app/accounts/adopt.ts';
import { findAccounts } from '../../app/accounts/list-accounts.ts';
import { findOrphans, moveOrphans } from '../../app/accounts/orphans.ts';
import type { AppIo } from '../../app/app-io.ts';
import { readHistory, tracePerson } from '../../app/people.ts';
import { onlyRead } from '../../app/person/answer.ts';
import { given } from '../../core/run/given.ts';
import { accountPage, accountPageView, accountTabs } from '../../views/accounts.ts';
import { adoptionOrder, orphansOrder, peopleOrder } from '../../views/orders.ts';
import {
  adoptions,
  adoptionsView,
  foundPeople,
  foundPeopleView,
  orphans,
  orphansMoved,
  orphansMovedView,
  orphansView,
  person,
  personPast,
  personPastView,
  personView,
} from '../../views/people.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import type { Sight } from '../http/admit.ts';
import { outOfScope } from '../http/admit.ts';
import {
  identification,
  instantOf,
  isIn,
  knownSync,
  limit,
  readIdentification,
  runId,
  signatureOf,
  syncName,
} from './parameters.ts';

const define = definerOf('people');

const offset = z.coerce.number().int().min(0).max(1_000_000).default(0).describe('Number of the first match');

const byPerson = z.object({ sync: syncName, identification });

/** Returns the identifications as they compare. Throws 404 for a user whose sync the caller does not see. */
async function inSight(ids: readonly string[], sync: string, sight: Sight, { engine }: AppIo) {
  const names = ids.map(readIdentification);
  const connection = engine.syncs.get(sync)?.settings.connection ?? '';
  const known = sight.syncs === undefined ? [] : (await engine.store.ledger.getMany(connection, names)).values();
  for (const { owner } of known) if (!isIn(sight, owner)) throw outOfScope('user');
  return names;
}

const asks = {
  method: 'POST',
  cost: 10,
  params: z.object({ sync: syncName }),
  answer: adoptions,
} as const;

export const peopleEndpoints: readonly Endpoint[] = [
  define({
    id: 'search-people',
    path: '/api/people',
    summary: 'Find people by name, e-mail or identification, in all syncs or one',
    description:
      'Searches the employees and users that the last accepted complete read of each sync showed. Parts of words match, and case and accents are ignored.',
    query: z.object({
      q: z.string().min(1).max(200).describe('Words that the data of the person must contain, in any order'),
      sync: syncName.optional(),
      offset,
      limit: limit(200, 50),
    }),
    answer: foundPeople,
    refusals: [400, 404],
    handle: async ({ query: { q, sync, offset, limit: most }, sight: { syncs } }, { app }) => {
      const only = sync && knownSync(sync, app);
      return foundPeopleView(
        await app.searchPeople(given({ text: q, spelling: 'exact' as const, offset, limit: most, sync: only, syncs })),
        offset,
      );
    },
  }),
  define({
    id: 'explain-person',
    path: '/api/syncs/{sync}/people/{identification}',
    summary: 'Explain one employee: the source, the mapping, the platform, the ledger, and the decision',
    description: 'Reads the whole source, so it counts as ten requests.',
    cost: 10,
    params: byPerson,
    query: z.object({
      row: z.enum(['true', 'false']).default('false').describe('Whether to return the columns that are not mapped too'),
    }),
    answer: person,
    refusals: [400, 404, 502],
    handle: async ({ params, query, signal, sight }, { app }) => {
      const sync = knownSync(params.sync, app);
      const [name = ''] = await inSight([params.identification], sync, sight, app);
      const trace = await tracePerson(app, sync, name, signal);
      return personView(sync, query.row === 'true' ? trace : onlyRead(trace));
    },
  }),
  define({
    id: 'person-history',
    path: '/api/syncs/{sync}/people/{identification}/history',
    summary: 'What runs did with one user, newest first, and the decision of one of them',
    description: 'Answers only from the store. `run` or `at` selects the run whose decision is explained.',
    params: byPerson,
    query: z.object({
      limit: limit(200, 20),
      run: runId.optional(),
      at: z.iso.datetime({ offset: true }).optional().describe('The last run about the person that began before then'),
    }),
    answer: personPast,
    refusals: [400, 404],
    handle: async ({ params, query, sight }, { app }) => {
      const sync = knownSync(params.sync, app);
      const [name = ''] = await inSight([params.identification], sync, sight, app);
      const asked = given({ ...query, before: instantOf(query.at) });
      return personPastView(await readHistory(app, sync, name, asked));
    },
  }),
  define({
    id: 'list-accounts',
    cost: 2,
    path: '/api/syncs/{sync}/accounts',
    summary: 'The platform accounts with their owner and reason, and likely people for unknown ones',
    description:
      'From the last accepted full read of the sync, updated with later writes. Parts of words match; case and accents are ignored. A token of some syncs gets the accounts of these syncs alone.',
    params: z.object({ sync: syncName }),
    query: z.object({
      state: z.enum(accountTabs).optional().describe('`conflict`: only accounts that may belong to other people'),
      q: z.string().min(1).max(200).optional().describe('Words of the name, e-mail or identification, in any order'),
      offset,
      limit: limit(200, 50),
    }),
    answer: accountPage,
    refusals: [400, 404],
    handle: async ({ params, query, sight: { syncs } }, { app }) =>
      accountPageView(await findAccounts(app, knownSync(params.sync, app), given({ ...query, syncs }))),
  }),
  define({
    ...asks,
    id: 'preview-adoption',
    path: '/api/syncs/{sync}/adopt/preview',
    summary: 'Show what adopting users would change',
    description: 'Changes nothing. May read the whole source, so it counts as ten requests.',
    body: peopleOrder,
    refusals: [400, 404, 502],
    handle: async ({ params, body: { ids }, signal, sight }, { app }) => {
      const sync = knownSync(params.sync, app);
      return adoptionsView({
        sync,
        adoptions: await planAdoption(app, sync, await inSight(ids, sync, sight, app), signal),
      });
    },
  }),
  define({
    ...asks,
    id: 'adopt-users',
    path: '/api/syncs/{sync}/adopt',
    summary: 'Move users from other syncs to this one, accept renames and conversions, or decide otherwise about them',
    description:
      'The next run of the sync decides about the users. A repeated request changes nothing more. `way` decides about people who seem to be the user of an account with another identification.',
    body: adoptionOrder,
    refusals: [400, 404, 502],
    handle: async ({ params, caller, body: { ids, way, until, ...order }, signal, sight }, { app }) => {
      const sync = knownSync(params.sync, app);
      const named = await inSight(ids, sync, sight, app);
      const end = until === undefined ? {} : { until: { at: Date.parse(until) } };
      const asked = { ...signatureOf(caller, order), ...given({ way }), ...end, signal };
      return adoptionsView({ sync, adoptions: await adoptPeople(app, sync, named, asked) });
    },
  }),
  define({
    id: 'list-orphans',
    path: '/api/orphans',
    summary: 'Users whom no sync disables, because their sync is not configured',
    answer: orphans,
    refusals: [],
    handle: async ({ sight }, { app }) => {
      const connections = app.syncs.filter(({ name }) => isIn(sight, name)).map(({ connection }) => connection);
      const found = await findOrphans(app.engine);
      return orphansView({ orphans: found.filter(({ connection }) => connections.includes(connection)) });
    },
  }),
  define({
    ...asks,
    id: 'adopt-orphans',
    path: '/api/syncs/{sync}/adopt-from',
    summary: 'Move the users of a sync that is not configured to this one, or leave them with a reason',
    description: 'The next run of the sync decides about the users.',
    body: orphansOrder,
    answer: orphansMoved,
    refusals: [400, 404],
    handle: async ({ params, caller, body: { from, leave, ...order } }, { app }) => {
      const sync = knownSync(params.sync, app);
      const moved = await moveOrphans(app, { sync, from, leaves: leave, ...signatureOf(caller, order) });
      return orphansMovedView({ ...moved, isDone: true });
    },
  }),
];
