import type { Channel, ChannelSettings } from '../../ports/alerts.ts';
import type { Egress } from '../../ports/egress.ts';
import type { Clock } from '../../ports/runtime.ts';
import { renderNotice } from '../render-notice.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'slack' }>;

/** Slack truncates messages at 40,000 characters and recommends at most 4,000. */
const longestText = 3900;

/** Posts to a Slack incoming webhook. */
export function openSlack(settings: Settings, _clock: Clock, egress?: Egress): Channel {
  return {
    settings,
    async send(notice, signal) {
      const { title, lines } = renderNotice(notice);
      const text = `*${escapeSlack(title)}*\n${escapeSlack(lines.join('\n'))}`.slice(0, longestText);
      await postJson({
        url: settings.url.reveal(),
        body: JSON.stringify({ text, unfurl_links: false }),
        signal,
        egress,
      });
    },
  };
}

/** Escapes the three characters of Slack's links and mentions, so that a row cannot mention `<!channel>`. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
