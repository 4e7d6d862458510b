import type { AlertNotice, Channel, ChannelSettings } from '../../../ports/alerts.ts';
import { type Place, renderNotice } from '../render-notice.ts';
import type { ChannelIo } from './post-json.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'teams' }>;

/** Posts an adaptive card to a Teams incoming webhook (a workflow "when a webhook request is received"). */
export function openTeams(settings: Settings, { egress, place }: ChannelIo): Channel {
  return {
    settings,
    async send(notice, signal) {
      await postJson({ url: settings.url.reveal(), body: JSON.stringify(cardOf(notice, place)), signal, egress });
      return undefined;
    },
  };
}

function cardOf(notice: AlertNotice, place: Place): object {
  const { title, lines } = renderNotice(notice, place);
  // Text runs show text literally. In text blocks, a row could be Markdown.
  const plain = (text: string) => ({ type: 'RichTextBlock', spacing: 'Small', inlines: [{ type: 'TextRun', text }] });
  const head = { type: 'TextRun', text: title, weight: 'Bolder', size: 'Medium', color: colorOf(notice) };
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'RichTextBlock', inlines: [head] }, ...lines.map(plain)],
        },
      },
    ],
  };
}

function colorOf({ kind, severity }: AlertNotice): string {
  if (kind !== 'problem' && kind !== 'reminder') return 'Good';
  return severity === 'critical' ? 'Attention' : 'Warning';
}
