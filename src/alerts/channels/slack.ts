import type { Channel, ChannelSettings } from '../../ports/alerts.ts';
import { renderNotice } from '../render-notice.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'slack' }>;

/** Slack cuts messages at 40,000 characters and asks for 4,000 at most. */
const longestText = 3900;

/** Posts to a Slack incoming webhook. */
export function openSlack(settings: Settings): Channel {
  return {
    settings,
    async send(notice, signal) {
      const { title, lines } = renderNotice(notice);
      const text = `*${escapeSlack(title)}*\n${escapeSlack(lines.join('\n'))}`.slice(0, longestText);
      await postJson({ url: settings.url.reveal(), body: JSON.stringify({ text, unfurl_links: false }), signal });
    },
  };
}

/** The three characters by which Slack knows links and mentions: a row must not call `<!channel>`. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
