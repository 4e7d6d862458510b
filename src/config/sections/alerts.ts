import { z } from 'zod';
import { plainFault } from '../../core/run/addresses.ts';
import { parseDuration } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { must } from '../../core/run/problem-words.ts';
import { type ChannelSettings, severities } from '../../ports/alerts.ts';
import { documented, duration, name, secretText, text, uniqueList } from './values.ts';

const kinds = ['webhook', 'slack', 'teams', 'email', 'pagerduty', 'opsgenie', 'alertmanager'] as const;
type Kind = (typeof kinds)[number];
const allOwnKeys = ['url', 'secret', 'token', 'channel', 'from', 'to', 'routingKey', 'apiKey'] as const;
type OwnKey = (typeof allOwnKeys)[number];

/** The keys that belong to some kinds only: required or optional. Any other key is rejected. */
const ownKeys: Readonly<Record<Kind, { readonly needs: readonly OwnKey[]; readonly may: readonly OwnKey[] }>> = {
  webhook: { needs: ['url'], may: ['secret'] },
  slack: { needs: [], may: ['url', 'token', 'channel'] },
  teams: { needs: ['url'], may: [] },
  email: { needs: ['url', 'from', 'to'], may: [] },
  pagerduty: { needs: ['routingKey'], may: ['url'] },
  opsgenie: { needs: ['apiKey'], may: ['url'] },
  alertmanager: { needs: ['url'], may: ['token'] },
};

export const address = () =>
  z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, { error: must('must be an e-mail address such as ops@example.com') });

const remindSentence = 'must be never, or a duration from 1m to 30d: a whole number and m, h or d';
/** `undefined`: never. */
const remindAfter = z
  .string({ error: must(remindSentence) })
  .regex(/^(never|\d{1,5}[mhd])$/, { error: must(remindSentence) })
  .transform((value, ctx) => {
    const ms = parseDuration(value);
    if (ms !== undefined && (ms < 60_000 || ms > 30 * 86_400_000))
      ctx.addIssue({ code: 'custom', message: remindSentence });
    return ms;
  });

const channel = z
  .strictObject({
    kind: documented(
      z.enum(kinds),
      'The kind of channel: a webhook of your own, Slack, a workflow of Teams, e-mail by SMTP, PagerDuty, Opsgenie, or Prometheus Alertmanager.',
      'slack',
    ),
    name: documented(
      name().optional(),
      'Its name in `rollcall alerts`. Absent: its kind, numbered from the second of that kind.',
      'night-shift',
    ),
    url: documented(
      secretText().optional(),
      'The destination: `https://…`; for e-mail `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS. PagerDuty and Opsgenie need one only outside their default region (`https://api.eu.opsgenie.com`); Slack needs none with a `token`.',
      `\${env:ALERT_URL}`,
    ),
    secret: documented(
      secretText().optional(),
      'Webhook only: signs each message in `x-rollcall-signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<body>`.',
      `\${env:ALERT_SECRET}`,
    ),
    from: documented(address().optional(), 'E-mail only: the sender.', 'rollcall@example.com'),
    to: documented(uniqueList(address()).optional(), 'E-mail only: the recipients.', ['ops@example.com']),
    token: documented(
      secretText().optional(),
      'Slack: a bot token with the scope `chat:write`, instead of `url`; notices about one run then go into one thread. Alertmanager: a bearer token, if it asks for one.',
      `\${env:SLACK_TOKEN}`,
    ),
    channel: documented(
      text().optional(),
      'Slack with `token` only: the channel, as an id or a name. Invite the bot to it.',
      'C0123456789',
    ),
    apiKey: documented(
      secretText().optional(),
      'Opsgenie only: the key of an API integration.',
      `\${env:OPSGENIE_KEY}`,
    ),
    routingKey: documented(secretText().optional(), "PagerDuty only: the integration's key.", `\${env:PAGERDUTY_KEY}`),
    severities: documented(
      uniqueList(z.enum(severities)).optional(),
      'Severities that the channel gets. `info` reports problems that have already ended, such as a failed file whose rows were sent again. Absent: all; for PagerDuty, Opsgenie and Alertmanager `[warning, critical]`.',
      ['critical'],
    ),
    after: documented(
      duration('0s', '7d').prefault('0s'),
      'Escalation: this channel gets only problems that are open this long without an acknowledgement (`rollcall alerts ack`).',
      '30m',
    ),
    remind: documented(
      remindAfter.prefault('12h'),
      'Interval of reminders for a problem that stays open without an acknowledgement; or `never`.',
      'never',
    ),
    syncs: documented(
      uniqueList(text()).optional(),
      'Sends only alerts of these syncs and of their connections. Absent: all.',
      ['people'],
    ),
    accept: documented(
      z.enum(['known', 'any']).default('known'),
      'Which answer counts as delivered. `known`: what this kind of receiver answers when it takes a message. After any other 2xx the notice is sent once more; then the other channels report it. `any`: every 2xx, for a receiver behind a gateway of your own.',
    ),
    insecure: documented(
      z.boolean().default(false),
      'Accepts `http://`, and `smtp://` without TLS or with a certificate that cannot be verified.',
    ),
  })
  .superRefine((value, ctx) => {
    const complain = (key: string, message: string): void => ctx.addIssue({ code: 'custom', path: [key], message });
    const { needs, may } = ownKeys[value.kind];
    for (const key of needs) if (value[key] === undefined) complain(key, `is required for ${value.kind}`);
    for (const key of allOwnKeys) {
      if (value[key] !== undefined && !needs.includes(key) && !may.includes(key)) {
        complain(key, `is not used for ${value.kind}; delete this key`);
      }
    }
    if (value.kind === 'slack' && value.token === undefined && value.url === undefined) {
      complain('url', 'is required for slack, unless it has a token and a channel');
    }
    if (value.kind === 'slack' && (value.token === undefined) !== (value.channel === undefined)) {
      const missing = value.token === undefined ? 'token' : 'channel';
      complain(missing, `is required for slack with a ${missing === 'token' ? 'channel' : 'token'}`);
    }
    const fault = value.url && addressFault(value.url.reveal(), value.kind, value.insecure);
    if (fault !== undefined) complain('url', fault);
    for (const key of ['to', 'severities', 'syncs'] as const) {
      if (value[key]?.length === 0) complain(key, 'must not be empty; delete it to mean all');
    }
  });

/** Returns what is wrong with the address of a channel, or undefined. */
export function addressFault(address: string, kind: Kind, isInsecure: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (kind === 'email') {
    const isMail = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
    return isMail ? undefined : 'must be smtps://user:password@host:465, or smtp://host:587';
  }
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'must be an address that begins with https://';
  return plainFault(url, isInsecure);
}

export const alerts = documented(
  z
    .array(channel)
    .superRefine((channels, ctx) => {
      const names = channels.map(({ name }) => name);
      names.forEach((name, i) => {
        if (name === undefined || names.indexOf(name) === i) return;
        const message = 'appears twice in the list; give each channel its own name';
        ctx.addIssue({ code: 'custom', path: [i, 'name'], message });
      });
    })
    .transform(named)
    .prefault([]),
  'Channels for alerts: a run fails, changes wait for approval, a sync has had no recent success, or tokens need an operator. A channel gets a message when a problem starts, gets worse or changes its reason. It gets a reminder while the problem is open, and a message when it ends.',
  [{ kind: 'slack', url: `\${env:SLACK_URL}` }],
);

/** Channels that open an incident for each problem get nothing that is over already. */
const pagers: readonly Kind[] = ['pagerduty', 'opsgenie', 'alertmanager'];

function named(channels: readonly z.output<typeof channel>[]): readonly ChannelSettings[] {
  const taken = new Set(channels.map(({ name }) => name));
  return channels.map(({ name, severities: wanted, syncs, after, remind, accept, ...own }) => {
    const ofPagers = pagers.includes(own.kind) ? (['warning', 'critical'] as const) : undefined;
    const base = {
      name: name ?? freeName(own.kind, taken),
      ...given({ severities: wanted ?? ofPagers, syncs, accept: accept === 'any' ? accept : undefined }),
      afterMs: after,
      remindMs: remind,
    };
    taken.add(base.name);
    return { ...base, ...settingsOf(own) };
  });
}

function freeName(kind: Kind, taken: ReadonlySet<string | undefined>): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? kind : `${kind}-${n}`;
    if (!taken.has(name)) return name;
  }
}

type Shared = 'name' | 'severities' | 'syncs' | 'afterMs' | 'remindMs' | 'accept';
type Own = Omit<z.output<typeof channel>, 'name' | 'severities' | 'syncs' | 'after' | 'remind' | 'accept'>;
/** Applies `Omit` to each kind of the union separately. */
type Settings = ChannelSettings extends infer One ? (One extends unknown ? Omit<One, Shared> : never) : never;

function settingsOf({ kind, url, insecure, ...own }: Own): Settings {
  const { secret, token, channel, from, to, routingKey, apiKey } = own;
  if (kind === 'pagerduty' && routingKey !== undefined) return { kind, routingKey, ...given({ url }) };
  if (kind === 'opsgenie' && apiKey !== undefined) return { kind, apiKey, ...given({ url }) };
  if (kind === 'slack' && token !== undefined && channel !== undefined)
    return { kind, token, channel, ...given({ url }) };
  if (url === undefined) throw new RangeError(`a channel of kind ${kind} passed the check without its keys`);
  switch (kind) {
    case 'email':
      return { kind, url, from: from ?? '', to: to ?? [], insecure };
    case 'webhook':
      return { kind, url, ...given({ secret }) };
    case 'alertmanager':
      return { kind, url, ...given({ token }) };
    case 'teams':
      return { kind, url };
    default:
      return { kind: 'slack', url };
  }
}
