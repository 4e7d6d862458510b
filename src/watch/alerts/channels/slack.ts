import type { Channel, ChannelSettings } from '../../../ports/alerts.ts';
import { renderNotice } from '../render-notice.ts';
import type { ChannelIo } from './post-json.ts';
import { postJson, refused } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'slack' }>;

/** Slack truncates messages at 40,000 characters and recommends at most 4,000. */
const longestText = 3900;
const webApi = 'https://slack.com/api';

/**
 * Posts to a Slack incoming webhook; or, with a bot token, by the Web API, which answers with the id of the message. Only
 * then can later notices about the same run go into its thread.
 */
export function openSlack(settings: Settings, { egress, place }: ChannelIo): Channel {
  return {
    settings,
    async send(notice, signal, first) {
      const { title, lines } = renderNotice(notice, place);
      const text = `*${escapeSlack(title)}*\n${escapeSlack(lines.join('\n'))}`.slice(0, longestText);
      const message = { text, unfurl_links: false };
      if (!('token' in settings)) {
        await postJson({ url: settings.url.reveal(), body: JSON.stringify(message), signal, egress });
        return undefined;
      }
      const url = `${settings.url?.reveal() ?? webApi}/chat.postMessage`;
      // What gets worse is shown in the channel too. What is over stays in its thread.
      const thread = { thread_ts: first, reply_broadcast: notice.kind === 'problem' && notice.severity === 'critical' };
      const body = JSON.stringify({ channel: settings.channel, ...message, ...(first === undefined ? {} : thread) });
      const headers = { authorization: `Bearer ${settings.token.reveal()}` };
      const { ok, ts, error } = (await postJson({ url, body, headers, signal, egress })) as SlackAnswer;
      if (ok !== true) throw refused(url, knownErrors.find((code) => code === error) ?? 'an error');
      return typeof ts === 'string' ? ts : undefined;
    },
  };
}

/** https://api.slack.com/methods/chat.postMessage: it answers 200 also for errors. */
interface SlackAnswer {
  readonly ok?: unknown;
  readonly ts?: unknown;
  readonly error?: unknown;
}

/** Codes worth showing: an operator can act on them. */
const knownErrors = [
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
  'ratelimited',
  'restricted_action',
] as const;

/** Escapes the three characters of Slack's links and mentions, so that a row cannot mention `<!channel>`. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
