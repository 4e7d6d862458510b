import type { AlertTopic } from '../../../core/run/codes/alert-entries.ts';
import type { AlertNotice, Channel, ChannelSettings } from '../../../ports/alerts.ts';
import { linksOf, type Place, renderNotice } from '../render-notice.ts';
import { type ChannelIo, incidentKey, postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'pagerduty' }>;

/** PagerDuty's Events API v2 in its default region; `url` overrides it. */
const eventsUrl = 'https://events.pagerduty.com/v2/enqueue';
const longestSummary = 1024;

/**
 * Triggers one incident per deployment, subject and topic, and resolves it when the problem ends. The dedup key stays, so
 * what got worse updates the incident, and a repeated event changes nothing.
 */
export function openPagerDuty(settings: Settings, { egress, place }: ChannelIo): Channel {
  const url = settings.url?.reveal() ?? eventsUrl;
  return {
    settings,
    async send(notice, signal) {
      for (const event of eventsOf(notice, place)) {
        await postJson({
          url,
          body: JSON.stringify({ routing_key: settings.routingKey.reveal(), ...event }),
          signal,
          egress,
        });
      }
      return undefined;
    },
  };
}

function eventsOf(notice: AlertNotice, place: Place): readonly object[] {
  const { subject, problems, recovered, kind, id } = notice;
  const about = `${subject.kind} ${subject.name}`;
  if (kind === 'test') {
    const key = { dedup_key: `rollcall ${place.deployment} test ${id}` };
    const payload = { summary: renderNotice(notice, place).title, source: place.deployment, severity: 'info' };
    // An incident that is resolved at once.
    return [
      { event_action: 'trigger', ...key, payload },
      { event_action: 'resolve', ...key },
    ];
  }
  // What is over already opens no incident.
  if (kind === 'note') return [];
  const keyOf = (topic: AlertTopic) => incidentKey(place, subject, topic);
  const links = linksOf(notice, place).map(({ url, text }) => ({ href: url, text }));
  return [
    ...problems.map(({ topic, code, severity, summary, details, unaffected, action }) => ({
      event_action: 'trigger',
      dedup_key: keyOf(topic),
      ...(links.length === 0 ? {} : { links }),
      payload: {
        summary: `${about}: ${summary}`.slice(0, longestSummary),
        source: place.deployment,
        severity,
        component: about,
        class: topic,
        timestamp: new Date(notice.at).toISOString(),
        custom_details: { code, details, unaffected: unaffected ?? null, action, notice: id },
      },
    })),
    ...recovered.map(({ topic }) => ({ event_action: 'resolve', dedup_key: keyOf(topic) })),
  ];
}
