import {
  type AlertNotice,
  type Channel,
  type ChannelSettings,
  type Severity,
  severities,
} from '../../../ports/alerts.ts';
import { linksOf, renderNotice } from '../render-notice.ts';
import type { ChannelIo } from './post-json.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'alertmanager' }>;

/** Alertmanager ends an alert that is not sent again. Every reminder moves this end. */
const firesForMs = 30 * 86_400_000;

/**
 * Posts alerts to Prometheus Alertmanager (`POST /api/v2/alerts`), with the labels `alertname="Rollcall"`, `deployment`,
 * `sync` or `connection`, `topic` and `severity`, so that its routes and silences apply. The severity is a label, and
 * another label is another alert there: the alerts of the other severities end with the same call.
 */
export function openAlertmanager(settings: Settings, { egress, place }: ChannelIo): Channel {
  const alertsOf = (notice: AlertNotice): readonly object[] => {
    const { title, lines } = renderNotice(notice, place);
    const subject = { [notice.subject.kind]: notice.subject.name };
    const labelsOf = (topic: string, severity: Severity) => {
      return { alertname: 'Rollcall', deployment: place.deployment, ...subject, topic, severity };
    };
    const isoOf = (at: number) => new Date(at).toISOString();
    const annotations = { summary: title, description: lines.join('\n') };
    const [link] = linksOf(notice, place);
    const shown = { annotations, ...(link === undefined ? {} : { generatorURL: link.url }) };
    const ends = (topic: string, all: readonly Severity[]) =>
      all.map((severity) => ({ labels: labelsOf(topic, severity), ...shown, endsAt: isoOf(notice.at) }));
    if (notice.kind === 'test') {
      return [{ labels: labelsOf('test', 'info'), ...shown, endsAt: isoOf(notice.at + 60_000) }];
    }
    const fires = notice.problems.flatMap(({ topic, severity }) => [
      { labels: labelsOf(topic, severity), ...shown, endsAt: isoOf(notice.at + firesForMs) },
      ...ends(
        topic,
        severities.filter((other) => other !== severity),
      ),
    ]);
    return [...fires, ...notice.recovered.flatMap(({ topic }) => ends(topic, severities))];
  };
  return {
    settings,
    async send(notice, signal) {
      const url = `${settings.url.reveal().replace(/\/+$/, '')}/api/v2/alerts`;
      const token = settings.token?.reveal();
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      // What is over already opens nothing there.
      const alerts = notice.kind === 'note' ? [] : alertsOf(notice);
      if (alerts.length > 0) await postJson({ url, body: JSON.stringify(alerts), headers, signal, egress });
      return undefined;
    },
  };
}
