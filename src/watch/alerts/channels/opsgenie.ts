import type { AlertNotice, Channel, ChannelSettings, Severity } from '../../../ports/alerts.ts';
import { renderNotice } from '../render-notice.ts';
import { type ChannelIo, incidentKey, postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'opsgenie' }>;

const defaultUrl = 'https://api.opsgenie.com';
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
export function openOpsgenie(settings: Settings, { egress, place }: ChannelIo): Channel {
  const base = settings.url?.reveal() ?? defaultUrl;
  const headers = { authorization: `GenieKey ${settings.apiKey.reveal()}` };
  const callsOf = (notice: AlertNotice): readonly Call[] => {
    const { title, lines } = renderNotice(notice, place);
    const text = lines.join('\n').slice(0, longestDescription);
    const at = (alias: string, verb: string) => `/v2/alerts/${encodeURIComponent(alias)}/${verb}?identifierType=alias`;
    if (notice.kind === 'test') {
      const alias = `rollcall ${place.deployment} test ${notice.id}`;
      const body = { message: title.slice(0, longestMessage), alias, priority: 'P5', source: 'rollcall' };
      return [
        { path: '/v2/alerts', body },
        { path: at(alias, 'close'), body: { source: 'rollcall' } },
      ];
    }
    const opened = notice.problems.flatMap(({ topic, code, severity }) => {
      const alias = incidentKey(place, notice.subject, topic);
      const shown = { alias, priority: priorities[severity], source: 'rollcall', entity: notice.subject.name };
      const alert = {
        message: title.slice(0, longestMessage),
        description: text,
        ...shown,
        tags: ['rollcall', topic, code],
      };
      return [
        { path: '/v2/alerts', body: alert },
        { path: at(alias, 'notes'), body: { note: text, source: 'rollcall' } },
      ];
    });
    const closed = notice.recovered.map(({ topic }) => {
      const alias = incidentKey(place, notice.subject, topic);
      return { path: at(alias, 'close'), body: { note: text, source: 'rollcall' } };
    });
    return [...opened, ...closed];
  };
  return {
    settings,
    async send(notice, signal) {
      for (const { path, body } of callsOf(notice)) {
        await postJson({ url: `${base}${path}`, body: JSON.stringify(body), headers, signal, egress });
      }
      return undefined;
    },
  };
}
