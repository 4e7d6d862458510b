import { createHmac } from 'node:crypto';
import { type AlertNotice, type Channel, type ChannelSettings, threadOf } from '../../../ports/alerts.ts';
import { linksOf, type Place, renderNotice, titleOf } from '../render-notice.ts';
import type { ChannelIo } from './post-json.ts';
import { postJson } from './post-json.ts';

type Settings = Extract<ChannelSettings, { kind: 'webhook' }>;

/**
 * Posts the notice as JSON. With a secret, `x-rollcall-signature: t=<unix seconds>,v1=<hex>` signs it: HMAC-SHA256 with
 * the secret over `<t>.<body>`. A receiver compares it in constant time and rejects an old `t`. `x-rollcall-notice` is
 * the id of the notice, the same in every attempt.
 */
export function openWebhook(settings: Settings, { clock, egress, place }: ChannelIo): Channel {
  return {
    settings,
    async send(notice, signal) {
      const body = JSON.stringify(webhookBody(notice, place));
      const seconds = Math.floor(clock.now() / 1000);
      const secret = settings.secret?.reveal();
      const headers = {
        'x-rollcall-notice': notice.id,
        ...(secret === undefined ? {} : { 'x-rollcall-signature': `t=${seconds},v1=${sign(secret, seconds, body)}` }),
      };
      await postJson({ url: settings.url.reveal(), body, headers, signal, egress });
      return undefined;
    },
  };
}

/** Returns HMAC-SHA256 (hex) over `<seconds>.<body>`. */
export function sign(secret: string, seconds: number, body: string): string {
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
