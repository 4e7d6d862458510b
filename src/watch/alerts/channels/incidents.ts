import type { AlertTopic } from '../../../core/run/codes/code-names.ts';
import { given } from '../../../core/run/given.ts';
import { type AlertNotice, type Channel, type Severity, severities } from '../../../ports/alerts.ts';
import { linksOf, type Place, renderNotice } from '../render-notice.ts';
import { type ChannelIo, cut, openPosts, type SettingsOf } from './post-json.ts';

/* Receivers that keep an incident for each problem, from its begin to its end. */

/**
 * Identifies one problem at a receiver: the same from its begin to its end, and different for every deployment, subject and
 * topic.
 */
function incidentKey({ deployment }: Place, { subject: { kind, name } }: AlertNotice, topic: AlertTopic): string {
  return `rollcall ${deployment} ${kind} ${name} ${topic}`;
}

/** Identifies a test, which is over at once. */
function testKey({ deployment }: Place, { id }: AlertNotice): string {
  return `rollcall ${deployment} test ${id}`;
}

/** PagerDuty's Events API v2 in its default region; `url` overrides it. */
const eventsUrl = 'https://events.pagerduty.com/v2/enqueue';
const longestSummary = 1024;

/**
 * Triggers one incident per deployment, subject and topic, and resolves it when the problem ends. The dedup key stays, so
 * what got worse updates the incident, and a repeated event changes nothing.
 */
export function openPagerDuty(settings: SettingsOf<'pagerduty'>, io: ChannelIo): Channel {
  const url = settings.url?.reveal() ?? eventsUrl;
  return openPosts(settings, io, (notice) =>
    eventsOf(notice, io.place).map((event) => {
      return { url, body: JSON.stringify({ routing_key: settings.routingKey.reveal(), ...event }) };
    }),
  );
}

function eventsOf(notice: AlertNotice, place: Place): readonly object[] {
  const { subject, problems, recovered, kind, id } = notice;
  const about = `${subject.kind} ${subject.name}`;
  if (kind === 'test') {
    const key = { dedup_key: testKey(place, notice) };
    const payload = { summary: renderNotice(notice, place).title, source: place.deployment, severity: 'info' };
    // An incident that is resolved at once.
    return [
      { event_action: 'trigger', ...key, payload },
      { event_action: 'resolve', ...key },
    ];
  }
  // What is over already opens no incident.
  if (kind === 'note') return [];
  const keyOf = (topic: AlertTopic) => incidentKey(place, notice, topic);
  const links = linksOf(notice, place).map(({ url, text }) => ({ href: url, text }));
  return [
    ...problems.map(({ topic, code, severity, summary, details, unaffected, action }) => ({
      event_action: 'trigger',
      dedup_key: keyOf(topic),
      ...(links.length === 0 ? {} : { links }),
      payload: {
        summary: cut(`${about}: ${summary}`, longestSummary),
        source: place.deployment,
        severity,
        component: about,
        class: topic,
        timestamp: isoOf(notice.at),
        custom_details: { code, details, unaffected: unaffected ?? null, action, notice: id },
      },
    })),
    ...recovered.map(({ topic }) => ({ event_action: 'resolve', dedup_key: keyOf(topic) })),
  ];
}

const opsgenieUrl = 'https://api.opsgenie.com';
/** Limits of the Alert API: https://docs.opsgenie.com/docs/alert-api */
const longestMessage = 130;
const longestDescription = 15_000;
const priorities: Readonly<Record<Severity, string>> = { critical: 'P1', warning: 'P3', info: 'P5' };

interface Call {
  readonly path: string;
  readonly body: object;
}

/**
 * Opens one Opsgenie alert per subject and topic, identified by its alias, and closes it when the problem ends. A repeated
 * alert with the same alias only counts up there, so what got worse is added as a note.
 */
export function openOpsgenie(settings: SettingsOf<'opsgenie'>, io: ChannelIo): Channel {
  const base = settings.url?.reveal() ?? opsgenieUrl;
  const headers = { authorization: `GenieKey ${settings.apiKey.reveal()}` };
  return openPosts(settings, io, (notice) =>
    callsOf(notice, io.place).map(({ path, body }) => {
      return { url: `${base}${path}`, body: JSON.stringify({ ...body, source: 'rollcall' }), headers };
    }),
  );
}

function callsOf(notice: AlertNotice, place: Place): readonly Call[] {
  const { title, lines } = renderNotice(notice, place);
  const message = cut(title, longestMessage);
  const text = cut(lines.join('\n'), longestDescription);
  const on = (alias: string, verb: string, body: object): Call => {
    return { path: `/v2/alerts/${encodeURIComponent(alias)}/${verb}?identifierType=alias`, body };
  };
  if (notice.kind === 'test') {
    const alias = testKey(place, notice);
    return [{ path: '/v2/alerts', body: { message, alias, priority: 'P5' } }, on(alias, 'close', {})];
  }
  const opened = notice.problems.flatMap(({ topic, code, severity }) => {
    const alias = incidentKey(place, notice, topic);
    const shown = { alias, priority: priorities[severity], entity: notice.subject.name };
    const alert = { message, description: text, ...shown, tags: ['rollcall', topic, code] };
    return [{ path: '/v2/alerts', body: alert }, on(alias, 'notes', { note: text })];
  });
  const closed = notice.recovered.map(({ topic }) => on(incidentKey(place, notice, topic), 'close', { note: text }));
  return [...opened, ...closed];
}

/** Alertmanager ends an alert that is not sent again. Every reminder moves this end. */
const firesForMs = 30 * 86_400_000;

/**
 * Posts alerts to Prometheus Alertmanager (`POST /api/v2/alerts`), with the labels `alertname="Rollcall"`, `deployment`,
 * `sync` or `connection`, `topic` and `severity`, so that its routes and silences apply. The severity is a label, and
 * another label is another alert there: the alerts of the other severities end with the same call.
 */
export function openAlertmanager(settings: SettingsOf<'alertmanager'>, io: ChannelIo): Channel {
  const token = settings.token?.reveal();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return openPosts(settings, io, (notice) => {
    const url = `${settings.url.reveal().replace(/\/+$/, '')}/api/v2/alerts`;
    const alerts = alertsOf(notice, io.place);
    return alerts.length === 0 ? [] : [{ url, body: JSON.stringify(alerts), headers }];
  });
}

function alertsOf(notice: AlertNotice, place: Place): readonly object[] {
  // What is over already opens nothing there.
  if (notice.kind === 'note') return [];
  const { title, lines } = renderNotice(notice, place);
  const subject = { [notice.subject.kind]: notice.subject.name };
  const shown = {
    annotations: { summary: title, description: lines.join('\n') },
    ...given({ generatorURL: linksOf(notice, place)[0]?.url }),
  };
  const alert = (topic: string, severity: Severity, endsAt: number) => {
    const labels = { alertname: 'Rollcall', deployment: place.deployment, ...subject, topic, severity };
    return { labels, ...shown, endsAt: isoOf(endsAt) };
  };
  if (notice.kind === 'test') return [alert('test', 'info', notice.at + 60_000)];
  const fires = notice.problems.flatMap(({ topic, severity }) => {
    const others = severities.filter((other) => other !== severity);
    return [alert(topic, severity, notice.at + firesForMs), ...others.map((other) => alert(topic, other, notice.at))];
  });
  const ends = notice.recovered.flatMap(({ topic }) => severities.map((one) => alert(topic, one, notice.at)));
  return [...fires, ...ends];
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
