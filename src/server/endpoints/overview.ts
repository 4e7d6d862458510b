import { z } from 'zod';
import { type QuietRequest, quietAlerts } from '../../app/alerts.ts';
import type { AppIo } from '../../app/app-io.ts';
import { countDays, readOverview } from '../../app/overview.ts';
import { titlesOfAlert } from '../../core/run/codes/code-list.ts';
import type { AlertsReport, StandingProblem } from '../../ports/alerts.ts';
import { alertList, alertListView, quieted, quietedView } from '../../views/alerts.ts';
import { muteOrder, quietOrder } from '../../views/orders.ts';
import { dayList, dayListView, overview, overviewView } from '../../views/overview.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import type { Sight } from '../http/admit.ts';
import { defineStream } from './events.ts';
import { isIn, knownSync, limit, signatureOf, syncName, word } from './parameters.ts';

const define = definerOf('alerts');

const minuteMs = 60_000;

const acts = {
  method: 'POST',
  params: z.object({ name: word(63).describe('A sync, a connection, or `deployment`') }),
  answer: quieted,
  refusals: [400],
} as const;

function quiet(kind: Exclude<QuietRequest['kind'], 'mute'>, summary: string) {
  return define({
    ...acts,
    id: `${kind}-alerts`,
    path: `/api/alerts/{name}/${kind}`,
    summary,
    body: quietOrder,
    handle: async ({ params, caller, body }, { app }) => {
      return quietedView(await quietAlerts(app, params.name, { kind }, signatureOf(caller, body)));
    },
  });
}

/** Returns what concerns the syncs that the caller sees, their connections and their sources. */
function alertsSeen(report: AlertsReport, { syncs }: Pick<AppIo, 'syncs'>, sight: Sight): AlertsReport {
  if (sight.syncs === undefined) return report;
  const isSeen = ({ subject: { kind, name }, syncs: concerned = [] }: Pick<StandingProblem, 'subject' | 'syncs'>) => {
    if (kind === 'deployment' || kind === 'source') return concerned.some((sync) => isIn(sight, sync));
    return syncs.some((sync) => isIn(sight, sync.name) && name === (kind === 'sync' ? sync.name : sync.connection));
  };
  return {
    ...report,
    channels: [],
    standing: report.standing.filter(isSeen).map(withoutOthers),
    muted: report.muted.filter(isSeen),
    deliveries: report.deliveries.filter(({ notice }) => isSeen(notice)),
  };
}

/** Says only what kind of problem a connection or an HR system has, because its texts name the other syncs. */
function withoutOthers(problem: StandingProblem): StandingProblem {
  const { run: _run, count: _count, concerns: _concerns, syncs: _syncs, ...rest } = problem;
  if (rest.subject.kind === 'sync') return problem;
  const action = rest.subject.kind === 'source' ? 'rollcall check' : rest.action;
  return { ...rest, action, summary: rest.title ?? titlesOfAlert(rest.code)[0], details: [] };
}

export const alertEndpoints: readonly Endpoint[] = [
  define({
    id: 'list-alerts',
    path: '/api/alerts',
    summary: 'Open alerts, muted subjects, channels and the newest notices',
    query: z.object({ limit: limit(500, 50) }),
    answer: alertList,
    refusals: [400],
    handle: async ({ query, sight }, { app }) =>
      alertListView(alertsSeen(await app.alerts.report(query.limit), app, sight)),
  }),
  defineStream({
    id: 'stream-alerts',
    path: '/api/alerts/events',
    part: 'alerts',
    summary: 'Follow the alerts: events `alerts`',
    answer: alertList,
    event: 'alerts',
    read: (app) => app.alerts.report(20),
    show: (report, sight, app) => ({ state: alertListView(alertsSeen(report, app, sight)), isFinal: false }),
  }),
  quiet('ack', 'Acknowledge the open alerts: no reminder until one gets worse'),
  define({
    ...acts,
    id: 'mute-alerts',
    path: '/api/alerts/{name}/mute',
    summary: 'Send no alert of the subject for some time',
    body: muteOrder,
    handle: async ({ params, caller, body: { minutes, ...order } }, { app }) => {
      const request = { kind: 'mute', forMs: minutes * minuteMs } as const;
      return quietedView(await quietAlerts(app, params.name, request, signatureOf(caller, order)));
    },
  }),
  quiet('unmute', 'Send alerts of the subject again'),
];

const defineOverview = definerOf('overview');

/** Notices are no part of it. */
const readAll = (app: AppIo) => Promise.all([readOverview(app), app.alerts.report(0)]);

function seenOf([state, alerts]: Awaited<ReturnType<typeof readAll>>, sight: Sight, app: AppIo) {
  const syncs = state.syncs.filter(({ name }) => isIn(sight, name));
  return overviewView({ ...state, syncs }, alertsSeen(alerts, app, sight));
}

export const overviewEndpoints: readonly Endpoint[] = [
  defineOverview({
    id: 'show-overview',
    path: '/api/overview',
    summary: 'Health, state and open holds of every sync, the work, and the number of open alerts',
    description:
      'Health describes the recent runs, and state the current activity. Holds are counted from the store, regardless of the age of their run.',
    answer: overview,
    handle: async ({ sight }, { app }) => seenOf(await readAll(app), sight, app),
  }),
  defineStream({
    id: 'stream-overview',
    path: '/api/overview/events',
    part: 'overview',
    summary: 'Follow the overview: events `overview`',
    answer: overview,
    event: 'overview',
    read: readAll,
    show: (all, sight, app) => ({ state: seenOf(all, sight, app), isFinal: false }),
  }),
  defineOverview({
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
        await countDays(app, days, timezone),
        (name) => isIn(sight, name) && (only === undefined || name === only),
      );
    },
  }),
];
