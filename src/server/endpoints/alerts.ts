import { z } from 'zod';
import type { QuietRequest } from '../../app/alerts.ts';
import { quietAlerts } from '../../app/alerts.ts';
import type { AppIo } from '../../app/app-io.ts';
import type { AlertSubject, AlertsReport } from '../../ports/alerts.ts';
import { alertList, alertListView, quieted, quietedView } from '../../views/alerts.ts';
import { muteOrder, quietOrder } from '../../views/orders.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import type { Sight } from '../http/admit.ts';
import { defineStream } from './events.ts';
import { isIn, limit, signatureOf, word } from './parameters.ts';

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

/** Returns what concerns the syncs that the caller sees, and their connections. */
export function alertsSeen(report: AlertsReport, { syncs }: Pick<AppIo, 'syncs'>, sight: Sight): AlertsReport {
  if (sight.syncs === undefined) return report;
  const isSeen = ({ subject: { kind, name } }: { readonly subject: AlertSubject }): boolean =>
    syncs.some((sync) => isIn(sight, sync.name) && name === (kind === 'sync' ? sync.name : sync.connection)) &&
    kind !== 'deployment';
  return {
    ...report,
    channels: [],
    standing: report.standing.filter(isSeen),
    muted: report.muted.filter(isSeen),
    deliveries: report.deliveries.filter(({ notice }) => isSeen(notice)),
  };
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
    read: async (app, _id, sight) => ({
      state: alertListView(alertsSeen(await app.alerts.report(20), app, sight)),
      isFinal: false,
    }),
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
