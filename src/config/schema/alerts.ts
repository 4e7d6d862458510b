import { z } from 'zod';
import type { ChannelSettings } from '../../ports/alerts.ts';
import { must } from '../sentences.ts';
import { namePattern } from './root-names.ts';
import { secretText, text, uniqueList } from './values.ts';

const kinds = ['webhook', 'slack', 'teams', 'email', 'pagerduty'] as const;
type Kind = (typeof kinds)[number];
type OwnKey = 'url' | 'secret' | 'from' | 'to' | 'routingKey';

/** The keys that belong to some kinds only: required or optional. Any other key is rejected. */
const ownKeys: Readonly<Record<Kind, { readonly needs: readonly OwnKey[]; readonly may: readonly OwnKey[] }>> = {
  webhook: { needs: ['url'], may: ['secret'] },
  slack: { needs: ['url'], may: [] },
  teams: { needs: ['url'], may: [] },
  email: { needs: ['url', 'from', 'to'], may: [] },
  pagerduty: { needs: ['routingKey'], may: ['url'] },
};

const address = () =>
  z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, { error: must('must be an e-mail address such as ops@example.com') });

const channel = z
  .strictObject({
    kind: z.enum(kinds).meta({
      description:
        'The kind of channel: a webhook of your own, an incoming webhook of Slack or Teams, e-mail, or PagerDuty.',
      examples: ['slack'],
    }),
    name: z
      .string()
      .regex(namePattern, {
        error: must('must be a name of letters, digits, dots, dashes and underscores, at most 63'),
      })
      .optional()
      .meta({
        description: 'Its name in `rollcall alerts`. Absent: its kind, numbered from the second of that kind.',
        examples: ['night-shift'],
      }),
    url: secretText()
      .optional()
      .meta({
        description:
          'The destination: `https://…`; for e-mail `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS. PagerDuty needs one only outside its default region.',
        examples: [`\${env:ALERT_URL}`],
      }),
    secret: secretText()
      .optional()
      .meta({
        description:
          'Webhook only: signs each message in `x-rollcall-signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<body>`.',
        examples: [`\${env:ALERT_SECRET}`],
      }),
    from: address()
      .optional()
      .meta({ description: 'E-mail only: the sender.', examples: ['rollcall@example.com'] }),
    to: uniqueList(address())
      .optional()
      .meta({ description: 'E-mail only: the recipients.', examples: [['ops@example.com']] }),
    routingKey: secretText()
      .optional()
      .meta({ description: "PagerDuty only: the integration's key.", examples: [`\${env:PAGERDUTY_KEY}`] }),
    severities: uniqueList(z.enum(['warning', 'critical']))
      .optional()
      .meta({ description: 'Which alerts. Absent: all.', examples: [['critical']] }),
    syncs: uniqueList(text())
      .optional()
      .meta({
        description: 'Sends only alerts of these syncs and of their connections. Absent: all.',
        examples: [['people']],
      }),
    insecure: z
      .boolean()
      .default(false)
      .meta({
        description: 'Accepts `http://`, and `smtp://` without TLS or with a certificate that cannot be verified.',
        examples: [false],
      }),
  })
  .superRefine((value, ctx) => {
    const complain = (key: string, message: string): void => ctx.addIssue({ code: 'custom', path: [key], message });
    const { needs, may } = ownKeys[value.kind];
    for (const key of needs) if (value[key] === undefined) complain(key, `is required for ${value.kind}`);
    for (const key of ['url', 'secret', 'from', 'to', 'routingKey'] as const) {
      if (value[key] !== undefined && !needs.includes(key) && !may.includes(key)) {
        complain(key, `is not used for ${value.kind}; delete this key`);
      }
    }
    const fault = value.url && addressFault(value.url.reveal(), value.kind, value.insecure);
    if (fault !== undefined) complain('url', fault);
    for (const key of ['to', 'severities', 'syncs'] as const) {
      if (value[key]?.length === 0) complain(key, 'must not be empty; delete it to mean all');
    }
  });

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function addressFault(address: string, kind: Kind, isInsecure: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (kind === 'email') {
    const isMail = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
    return isMail ? undefined : 'must be smtps://user:password@host:465, or smtp://host:587';
  }
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'must be an address that begins with https://';
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !isInsecure) {
    return 'must begin with https://; http:// is accepted for this machine only, or with insecure: true beside it';
  }
  return undefined;
}

/** `alerts`: the channels that receive alerts. */
export const alerts = z
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
  .prefault([])
  .meta({
    description:
      'Channels for alerts: a run fails, changes wait for approval, a sync has had no success for too long, or tokens need a person. Each sends one message when a problem starts, gets worse or changes its reason, and one when it ends.',
    examples: [[{ kind: 'slack', url: `\${env:SLACK_URL}` }]],
  });

function named(channels: readonly z.output<typeof channel>[]): readonly ChannelSettings[] {
  const taken = new Set(channels.map(({ name }) => name));
  return channels.map(({ name, severities, syncs, ...own }) => {
    const base = {
      name: name ?? freeName(own.kind, taken),
      ...(severities === undefined ? {} : { severities }),
      ...(syncs === undefined ? {} : { syncs }),
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

type Own = Omit<z.output<typeof channel>, 'name' | 'severities' | 'syncs'>;
/** Applies `Omit` to each kind of the union separately. */
type Settings = ChannelSettings extends infer One
  ? One extends unknown
    ? Omit<One, 'name' | 'severities' | 'syncs'>
    : never
  : never;

function settingsOf({ kind, url, secret, from, to, routingKey, insecure }: Own): Settings {
  if (kind === 'pagerduty' && routingKey !== undefined) {
    return { kind, routingKey, ...(url === undefined ? {} : { url }) };
  }
  if (url === undefined) throw new RangeError(`a channel of kind ${kind} passed the check without its keys`);
  if (kind === 'email') return { kind, url, from: from ?? '', to: to ?? [], insecure };
  if (kind === 'webhook') return { kind, url, ...(secret === undefined ? {} : { secret }) };
  return { kind: kind === 'teams' ? 'teams' : 'slack', url };
}
