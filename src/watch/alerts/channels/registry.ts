import { createHmac } from 'node:crypto';
import { given } from '../../../core/run/given.ts';
import { type AlertNotice, type Channel, type ChannelSettings, threadOf } from '../../../ports/alerts.ts';
import { linksOf, type Place, renderNotice, titleOf, withCommands } from '../render-notice.ts';
import { openSlack, openTeams } from './chat.ts';
import { openEmail } from './email.ts';
import { openAlertmanager, openOpsgenie, openPagerDuty } from './incidents.ts';
import { type ChannelIo, openPosts } from './post-json.ts';

type Settings<Kind extends ChannelSettings['kind']> = Extract<ChannelSettings, { kind: Kind }>;

type Openers = {
  readonly [Kind in ChannelSettings['kind']]: (settings: Settings<Kind>, io: ChannelIo) => Channel;
};

/** Every kind of channel, one line each. */
const channelKinds: Openers = {
  webhook: openWebhook,
  slack: openSlack,
  teams: openTeams,
  email: openEmail,
  pagerduty: openPagerDuty,
  opsgenie: openOpsgenie,
  alertmanager: openAlertmanager,
};

/** Opens a channel. Connects and sends nothing before the first notice. */
export function openChannel(settings: ChannelSettings, io: ChannelIo): Channel {
  const open = channelKinds[settings.kind] as (settings: ChannelSettings, io: ChannelIo) => Channel;
  const channel = open(settings, io);
  return {
    settings,
    send: (notice, signal, first) => channel.send(withCommands(notice, io.place), signal, first),
  };
}

/**
 * Posts the notice as JSON. With a secret, `x-rollcall-signature: t=<unix seconds>,v1=<hex>` signs it: HMAC-SHA256 with
 * the secret over `<t>.<body>`. A receiver compares it in constant time and rejects an old `t`. `x-rollcall-notice` is
 * the id of the notice, the same in every attempt.
 */
function openWebhook(settings: Settings<'webhook'>, io: ChannelIo): Channel {
  return openPosts(settings, io, (notice) => {
    const body = JSON.stringify(webhookBody(notice, io.place));
    const seconds = Math.floor(io.clock.now() / 1000);
    const secret = settings.secret?.reveal();
    const signature = secret === undefined ? undefined : `t=${seconds},v1=${sign(secret, seconds, body)}`;
    const headers = { 'x-rollcall-notice': notice.id, ...given({ 'x-rollcall-signature': signature }) };
    return [{ url: settings.url.reveal(), body, headers }];
  });
}

/** Returns HMAC-SHA256 (hex) over `<seconds>.<body>`. */
function sign(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}

/** Version 1 of the body. Later versions only add keys. */
function webhookBody(notice: AlertNotice, place: Place): object {
  const { id, kind, subject, severity, at, problems, recovered, standing } = notice;
  const { title, lines } = renderNotice(notice, place);
  return {
    version: 1,
    id,
    kind,
    severity,
    subject,
    deployment: place.deployment,
    thread: threadOf(notice) ?? null,
    links: linksOf(notice, place),
    at: new Date(at).toISOString(),
    title,
    text: lines.join('\n'),
    problems: problems.map((problem) => {
      const { topic, code, severity, summary, details, unaffected, action, run, figures = [] } = problem;
      const words = { title: titleOf(problem), figures: figures.map(([name, value]) => ({ name, value })) };
      const shown = { topic, code, severity, ...words, summary, details, unaffected: unaffected ?? null, action };
      return { ...shown, run: run ?? null };
    }),
    recovered: recovered.map(({ topic, code, severity, summary, since }) => {
      return { topic, code, severity, summary, since: new Date(since).toISOString() };
    }),
    standing: standing.map(({ topic }) => topic),
  };
}
