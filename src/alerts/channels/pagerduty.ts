import type { AlertNotice, Channel, ChannelSettings } from '../../ports/alerts.ts';
import type { Egress } from '../../ports/egress.ts';
import type { Clock } from '../../ports/runtime.ts';
import { renderNotice } from '../render-notice.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'pagerduty' }>;

/** PagerDuty's Events API v2 in its default region; `url` overrides it. */
const eventsUrl = 'https://events.pagerduty.com/v2/enqueue';
const longestSummary = 1024;

/**
 * Triggers one incident per subject and topic, and resolves it when the problem ends. The dedup key is stable, so a
 * repeated event changes nothing.
 */
export function openPagerDuty(settings: Settings, _clock: Clock, egress?: Egress): Channel {
  const url = settings.url?.reveal() ?? eventsUrl;
  return {
    settings,
    async send(notice, signal) {
      for (const event of eventsOf(notice)) {
        await postJson({
          url,
          body: JSON.stringify({ routing_key: settings.routingKey.reveal(), ...event }),
          signal,
          egress,
        });
      }
    },
  };
}

function eventsOf(notice: AlertNotice): readonly object[] {
  const { subject, problems, recovered, kind, id } = notice;
  const about = `${subject.kind} ${subject.name}`;
  if (kind === 'test') {
    const key = { dedup_key: `rollcall test ${id}` };
    const payload = { summary: renderNotice(notice).title, source: 'rollcall', severity: 'info' };
    // An incident that is resolved at once.
    return [
      { event_action: 'trigger', ...key, payload },
      { event_action: 'resolve', ...key },
    ];
  }
  const keyOf = (topic: string) => `rollcall ${about} ${topic}`;
  return [
    ...problems.map(({ topic, severity, summary, details, unaffected, action }) => ({
      event_action: 'trigger',
      dedup_key: keyOf(topic),
      payload: {
        summary: `${about}: ${summary}`.slice(0, longestSummary),
        source: 'rollcall',
        severity,
        component: about,
        class: topic,
        timestamp: new Date(notice.at).toISOString(),
        custom_details: { details, unaffected: unaffected ?? null, action, notice: id },
      },
    })),
    ...recovered.map(({ topic }) => ({ event_action: 'resolve', dedup_key: keyOf(topic) })),
  ];
}
