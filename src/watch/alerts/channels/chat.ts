import type { Channel } from '../../../ports/alerts.ts';
import { factsOf, type NoticeFacts, renderNotice } from '../render-notice.ts';
import { type ChannelIo, cut, openPosts, postJson, type SettingsOf } from './post-json.ts';

/** Limits of Block Kit: https://docs.slack.dev/reference/block-kit/blocks */
const longestText = 3000;
const longestHeader = 150;
const mostFields = 10;
const mostButtons = 25;
const mostBlocks = 50;
const webApi = 'https://slack.com/api';

/**
 * Posts to a Slack incoming webhook; or, with a bot token, by the Web API, which answers with the id of the message. Only
 * then can later notices about the same run go into its thread.
 */
export function openSlack(settings: SettingsOf<'slack'>, { egress, place }: ChannelIo): Channel {
  return {
    settings,
    async send(notice, signal, first) {
      const { title, lines } = renderNotice(notice, place);
      // Shown by notifications, and where blocks are not.
      const text = cut(`*${escapeSlack(title)}*\n${escapeSlack(lines.join('\n'))}`, longestText);
      const message = { text, blocks: blocksOf(factsOf(notice, place)), unfurl_links: false };
      if (!('token' in settings)) {
        await postJson(settings, { url: settings.url.reveal(), body: JSON.stringify(message), signal, egress });
        return undefined;
      }
      const url = `${settings.url?.reveal() ?? webApi}/chat.postMessage`;
      // What gets worse is shown in the channel too. What is over stays in its thread.
      const thread = { thread_ts: first, reply_broadcast: notice.kind === 'problem' && notice.severity === 'critical' };
      const body = JSON.stringify({ channel: settings.channel, ...message, ...(first === undefined ? {} : thread) });
      const headers = { authorization: `Bearer ${settings.token.reveal()}` };
      const { ts } = await postJson(settings, { url, body, headers, signal, egress });
      return typeof ts === 'string' ? ts : undefined;
    },
  };
}

const plain = (text: string) => ({ type: 'plain_text', text: cut(text, longestText), emoji: false });
const marked = (text: string) => ({ type: 'mrkdwn', text: cut(text, longestText) });

/** The headline, the counts, what happened, what to do as text to copy, and a button for each link. */
function blocksOf({ label, headline, figures, parts, rest, links, footer }: NoticeFacts): readonly object[] {
  const fields = figures.slice(0, mostFields);
  const buttons = links.slice(0, mostButtons).map(({ text, url }, i) => {
    return { type: 'button', text: plain(text), url, action_id: `link-${i}` };
  });
  const context = (texts: readonly string[]) => ({ type: 'context', elements: [plain(texts.join('\n'))] });
  const blocks = [
    { type: 'header', text: plain(cut(headline, longestHeader)) },
    context([label]),
    ...(fields.length === 0
      ? []
      : [
          {
            type: 'section',
            fields: fields.map(([name, value]) => marked(`*${escapeSlack(name)}*\n${escapeSlack(String(value))}`)),
          },
        ]),
    ...parts.flatMap(({ summary, details, unaffected, action, isCommand, code }) => [
      { type: 'section', text: plain([summary, ...details.map((detail) => `• ${detail}`)].join('\n')) },
      ...(action.length === 0
        ? []
        : [
            { type: 'section', text: isCommand ? marked(codeBlock(action)) : plain(`What to do: ${action.join(' ')}`) },
          ]),
      ...(unaffected === undefined && code === undefined
        ? []
        : [
            context([
              ...(unaffected === undefined ? [] : [`Not affected: ${unaffected}`]),
              ...(code === undefined ? [] : [code]),
            ]),
          ]),
    ]),
    ...rest.map((text) => ({ type: 'section', text: plain(text) })),
  ];
  const end = [...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]), context([footer])];
  return [...blocks.slice(0, mostBlocks - end.length), ...end];
}

function codeBlock(lines: readonly string[]): string {
  return `*What to do*\n\`\`\`${cut(escapeSlack(lines.join('\n')).replaceAll('`', "'"), longestText - 50)}\`\`\``;
}

/** Escapes the three characters of Slack's links and mentions, so that a row cannot mention `<!channel>`. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Teams shows at most this many buttons of a card. */
const mostCardButtons = 6;

/** Posts an adaptive card to a workflow of Teams ("when a webhook request is received"). */
export function openTeams(settings: SettingsOf<'teams'>, io: ChannelIo): Channel {
  return openPosts(settings, io, (notice) => {
    return [{ url: settings.url.reveal(), body: JSON.stringify(cardOf(factsOf(notice, io.place))) }];
  });
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
  const actions = links
    .slice(0, mostCardButtons)
    .map(({ text: title, url }) => ({ type: 'Action.OpenUrl', title, url }));
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
            text(headline, { weight: 'Bolder', size: 'Medium', color: toneColors[tone] }),
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

const toneColors = { critical: 'Attention', warning: 'Warning', info: 'Good', over: 'Good' } as const;
