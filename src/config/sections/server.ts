import { z } from 'zod';
import type { Secret } from '../secret.ts';
import { duration, name, secretText, text, wholeNumber } from './values.ts';

/** Shorter secrets could be guessed. */
const shortestSecret = 16;

const longSecret = () =>
  secretText().refine((value) => value.reveal().length >= shortestSecret, {
    error: `must have at least ${shortestSecret} characters; create one with: openssl rand -base64 32`,
  });

const token = z.strictObject({
  name: name().meta({ description: 'Name of the user, shown in the audit and in the log.', examples: ['ops'] }),
  role: z.enum(['viewer', 'operator', 'admin']).meta({
    description:
      '`viewer` may read; `operator` may also pause, start, approve, reject, cancel, retry and read raw answers; `admin` may also refresh and revoke tokens.',
    examples: ['operator'],
  }),
  token: longSecret().meta({
    description: 'The bearer token, 16 characters or more. Only its hash is kept.',
    examples: [`\${env:OPS_TOKEN}`],
  }),
});

const groups = () =>
  z
    .array(text())
    .default([])
    .meta({
      description: 'Groups with this role, as the provider names them; `*`: every user.',
      examples: [['hr-it']],
    });

const openId = z.strictObject({
  issuer: z
    .string()
    .refine((value) => isIssuer(value), {
      error: 'must be the address of an OpenID Connect provider with https, such as https://login.example.com/tenant',
    })
    .meta({
      description:
        'Address of the identity provider. Its configuration is read from `/.well-known/openid-configuration` below it.',
      examples: ['https://login.example.com'],
    }),
  clientId: text().meta({ description: 'The id under which the provider knows Rollcall.', examples: ['rollcall'] }),
  clientSecret: secretText()
    .optional()
    .meta({
      description: 'The secret of the client. Without one, Rollcall is a public client, which proves itself by PKCE.',
      examples: [`\${env:OIDC_CLIENT_SECRET}`],
    }),
  scopes: z
    .array(text())
    .default(['openid', 'profile', 'email'])
    .meta({
      description: 'Scopes to request from the provider. Some providers require another scope for groups.',
      examples: [['openid', 'groups']],
    }),
  nameClaim: text()
    .default('email')
    .meta({
      description: 'The claim that names the user in the audit; if absent, `sub`.',
      examples: ['preferred_username'],
    }),
  groupsClaim: text()
    .default('groups')
    .meta({ description: 'The claim with the groups or roles of the user.', examples: ['roles'] }),
  roles: z
    .strictObject({ viewer: groups(), operator: groups(), admin: groups() })
    .refine(({ viewer, operator, admin }) => viewer.length + operator.length + admin.length > 0, {
      error: 'must name at least one group: without one, no user may sign in',
    })
    .meta({
      description: 'Which groups have which role. The highest role counts. A user without one is refused.',
      examples: [{ viewer: ['*'], operator: ['hr-it'], admin: ['platform-admins'] }],
    }),
  label: text()
    .default('single sign-on')
    .meta({ description: 'The name of the provider on the button of the page.', examples: ['Acme SSO'] }),
});

/** Without TLS only on this machine: tests and tunnels. */
function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, search, hash } = new URL(value);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return search === '' && hash === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}

const sessions = z
  .strictObject({
    idle: duration('1m', '24h')
      .prefault('30m')
      .meta({ description: 'Idle time after which a user is signed out.', examples: ['15m'] }),
    lifetime: duration('5m', '7d')
      .prefault('12h')
      .meta({
        description: 'Time after which every user must sign in again. Changed groups take effect at that time.',
        examples: ['8h'],
      }),
  })
  .prefault({})
  .transform(({ idle, lifetime }) => ({ idleMs: idle, lifetimeMs: lifetime }))
  .meta({
    description: 'Sessions of users who are signed in to the page.',
    examples: [{ idle: '15m', lifetime: '8h' }],
  });

const webhook = z.strictObject({
  secret: longSecret().meta({
    description: 'The HMAC-SHA256 key of the sender, 16 characters or more.',
    examples: [`\${env:PEOPLE_WEBHOOK_SECRET}`],
  }),
});

/** Also called for rejected tokens, which are not secrets yet. Each of them differs from all others. */
function revealed(token: Partial<Secret>, index: number): string {
  return token.reveal?.() ?? `refused ${index}`;
}

/** `server`: the HTTP API, health and the page. */
export const server = z
  .strictObject({
    host: text()
      .default('127.0.0.1')
      .meta({
        description:
          'Address to listen on. The server speaks plain HTTP: put a proxy with TLS in front before you open it to others (`0.0.0.0`).',
        examples: ['0.0.0.0'],
      }),
    port: wholeNumber(0, 65_535)
      .default(8080)
      .meta({ description: 'Port to listen on; 0: any free port.', examples: [8080] }),
    publicUrl: z
      .string()
      .refine((value) => URL.canParse(value) && /^https?:\/\/[^?#]+$/.test(value), {
        error: 'must be an address such as https://rollcall.example.com, without ? and #',
      })
      .transform((value) => value.replace(/\/+$/, ''))
      .optional()
      .meta({
        description:
          'The address at which users reach this server. Alerts then link to the run, the held changes and the runbook.',
        examples: ['https://rollcall.example.com'],
      }),
    tokens: z
      .array(token)
      .superRefine((tokens, ctx) => {
        const twice = (key: 'name' | 'token', message: string): void => {
          const values = tokens.map((one, i) => (key === 'name' ? one.name : revealed(one.token, i)));
          values.forEach((value, i) => {
            if (values.indexOf(value) < i) ctx.addIssue({ code: 'custom', path: [i, key], message });
          });
        };
        twice('name', 'appears twice in the list; give each user of the API its own name');
        twice('token', 'appears twice in the list; give each user of the API its own token');
      })
      .default([])
      .meta({
        description:
          'Users of the API. Each has a `name` (shown in the audit), a `role` (`viewer` reads, `operator` also acts) and a `token` of 16 characters or more. None: only health and webhooks answer.',
        examples: [[{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }]],
      }),
    openId: openId.optional().meta({
      description: 'Sign-in of users by OpenID Connect. Needs `publicUrl`: see [sign-in.md](sign-in.md).',
      examples: [{ issuer: 'https://login.example.com', clientId: 'rollcall', roles: { operator: ['hr'] } }],
    }),
    sessions,
    webhooks: z
      .record(z.string(), webhook)
      .default({})
      .meta({
        description:
          'Webhooks by sync. A sender with the secret can request a resync of named employees with `POST /api/webhooks/<sync>`.',
        examples: [{ people: { secret: `\${env:PEOPLE_WEBHOOK_SECRET}` } }],
      }),
    requestsPerMinute: wholeNumber(1, 100_000)
      .default(300)
      .meta({ description: 'Maximum number of requests per token and minute.', examples: [60] }),
  })
  .superRefine(({ openId: provider, publicUrl }, ctx) => {
    if (provider === undefined || publicUrl !== undefined) return;
    const message = 'needs "server.publicUrl": the provider sends users back to <publicUrl>/auth/callback';
    ctx.addIssue({ code: 'custom', path: ['openId'], message });
  })
  .optional()
  .meta({
    description: 'The HTTP API, the page and health, served by `rollcall start`: see [http-api.md](http-api.md).',
    examples: [{ port: 8080, tokens: [{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }] }],
  });

export type ServerConfig = NonNullable<z.output<typeof server>>;
