import type { Channel, ChannelSettings } from '../../../ports/alerts.ts';
import { factsOf, type NoticeFacts } from '../render-notice.ts';
import type { ChannelIo } from './post-json.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'teams' }>;

/** Teams shows at most this many buttons of a card. */
const mostButtons = 6;

/** Posts an adaptive card to a workflow of Teams ("when a webhook request is received"). */
export function openTeams(settings: Settings, { egress, place }: ChannelIo): Channel {
  return {
    settings,
    async send(notice, signal) {
      await postJson({
        url: settings.url.reveal(),
        body: JSON.stringify(cardOf(factsOf(notice, place))),
        signal,
        egress,
      });
      return undefined;
    },
  };
}

/** Teams takes cards up to version 1.4 everywhere. A webhook wants the card as an attachment of a message. */
function cardOf({ label, headline, tone, figures, parts, rest, links, footer }: NoticeFacts): object {
  // Text runs show text literally. In text blocks, a row could be Markdown.
  const text = (shown: string, more: object = {}) => ({
    type: 'RichTextBlock',
    spacing: 'Small',
    inlines: [{ type: 'TextRun', text: shown, ...more }],
  });
  const facts = figures.map(([title, value]) => ({ title, value: String(value) }));
  const actions = links.slice(0, mostButtons).map(({ text: title, url }) => ({ type: 'Action.OpenUrl', title, url }));
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            text(headline, { weight: 'Bolder', size: 'Medium', color: colors[tone] }),
            text(label, { isSubtle: true }),
            ...(facts.length === 0 ? [] : [{ type: 'FactSet', facts }]),
            ...parts.flatMap(({ summary, details, unaffected, action, isCommand, code }) => [
              text(summary),
              ...details.map((detail) => text(`- ${detail}`)),
              ...(unaffected === undefined ? [] : [text(`Not affected: ${unaffected}`)]),
              ...(action.length === 0 ? [] : [text('What to do:')]),
              ...action.map((line) => text(line, isCommand ? { fontType: 'Monospace' } : {})),
              ...(code === undefined ? [] : [text(code, { isSubtle: true })]),
            ]),
            ...rest.map((line) => text(line)),
            text(footer, { isSubtle: true }),
          ],
          ...(actions.length === 0 ? {} : { actions }),
        },
      },
    ],
  };
}

const colors = { critical: 'Attention', warning: 'Warning', info: 'Good', over: 'Good' } as const;
