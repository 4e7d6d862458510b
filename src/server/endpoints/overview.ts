import { z } from 'zod';
import type { AppIo } from '../../app/app-io.ts';
import { countDays, readOverview } from '../../app/overview.ts';
import { dayList, dayListView, overview, overviewView } from '../../views/overview.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import type { Sight } from '../http/admit.ts';
import { alertsSeen } from './alerts.ts';
import { defineStream } from './events.ts';
import { isIn, knownSync, limit, syncName } from './parameters.ts';

const define = definerOf('overview');

async function readAll(app: AppIo, sight: Sight) {
  // Notices are no part of it.
  const [state, alerts] = await Promise.all([readOverview(app), app.alerts.report(1)]);
  const syncs = state.syncs.filter(({ name }) => isIn(sight, name));
  return overviewView({ ...state, syncs }, alertsSeen(alerts, app, sight));
}

export const overviewEndpoints: readonly Endpoint[] = [
  define({
    id: 'show-overview',
    path: '/api/overview',
    summary: 'Health, state and open holds of every sync, the work, and the number of open alerts',
    description:
      'Health describes the recent runs, and state the current activity. Holds are counted from the store, regardless of the age of their run.',
    answer: overview,
    handle: ({ sight }, { app }) => readAll(app, sight),
  }),
  defineStream({
    id: 'stream-overview',
    path: '/api/overview/events',
    part: 'overview',
    summary: 'Follow the overview: events `overview`',
    answer: overview,
    event: 'overview',
    read: async (app, _id, sight) => ({ state: await readAll(app, sight), isFinal: false }),
  }),
  define({
    id: 'list-days',
    path: '/api/overview/days',
    summary: 'Runs and applied changes of every sync by day',
    cost: 2,
    query: z.object({
      days: limit(90, 7).describe('Number of days, today included; at most 90'),
      timezone: z.string().min(1).max(64).default('UTC').describe('IANA name of the zone of the days'),
      sync: syncName.optional(),
    }),
    answer: dayList,
    refusals: [400, 404],
    handle: async ({ query: { days, timezone, sync }, sight }, { app }) => {
      const only = sync === undefined ? undefined : knownSync(sync, app);
      return dayListView(
        await countDays(app, { days, timezone }),
        (name) => isIn(sight, name) && (only === undefined || name === only),
      );
    },
  }),
];
