import { isIP } from 'node:net';
import { z } from 'zod';
import { accessRoles } from '../../core/guard/access.ts';
import { isLoopback, plainFault } from '../../core/run/addresses.ts';
import { given } from '../../core/run/given.ts';
import { webhookKinds, webhookWays } from '../../core/setup/webhook-ways.ts';
import type { Secret } from '../secret.ts';
import { documented, duration, name, secretText, text, wholeNumber } from './values.ts';

/** Shorter secrets could be guessed. */
const shortestSecret = 16;

const longSecret = () =>
  secretText().refine((value) => value.reveal().length >= shortestSecret, {
    error: `must have at least ${shortestSecret} characters; create one with: openssl rand -base64 32`,
  });

/** Where a role counts. */
function scope() {
  return {
    syncs: documented(
      z.array(text()).min(1).optional(),
      'The syncs that the role covers. Other syncs are hidden from it. Absent: all syncs, and the deployment itself.',
      ['people-uy'],
    ),
    people: documented(
      z.boolean().optional(),
      '`false`: answers have no personal data, and pages of people are refused. A `monitor` never sees people.',
      false,
    ),
  };
}

const token = z
  .strictObject({
    name: documented(name(), 'Name of the user, shown in the audit and in the log.', 'ops'),
    role: documented(
      z.enum(accessRoles),
      '`monitor` reads states and numbers, without people. `viewer` may read. `operator` may also pause, start, approve, reject, cancel, retry and read raw answers. `admin` may also refresh and revoke tokens and end sessions.',
      'operator',
    ),
    ...scope(),
    token: documented(
      longSecret(),
      'The bearer token, 16 characters or more. Only its hash is kept.',
      `\${env:OPS_TOKEN}`,
    ),
  })
  .transform(given);

const groups = () =>
  documented(
    z
      .array(
        z.union([
          text(),
          z
            .strictObject({
              group: documented(text(), 'The group, as the provider names it.', 'hr-uy'),
              ...scope(),
            })
            .transform(given),
        ]),
      )
      .default([]),
    'Groups with this role, as the provider names them, each with its syncs and `people` if it has a scope; `*`: every user.',
    ['hr-it', { group: 'hr-uy', syncs: ['people-uy'], people: false }],
  );

const openId = z.strictObject({
  issuer: documented(
    z.string().refine((value) => isIssuer(value), {
      error: 'must be the address of an OpenID Connect provider with https, such as https://login.example.com/tenant',
    }),
    'Address of the identity provider. Its configuration is read from `/.well-known/openid-configuration` below it.',
    'https://login.example.com',
  ),
  clientId: documented(text(), 'The client id of Rollcall at the provider.', 'rollcall'),
  clientSecret: documented(
    secretText().optional(),
    'The secret of the client. Without one, Rollcall is a public client, which proves itself by PKCE.',
    `\${env:OIDC_CLIENT_SECRET}`,
  ),
  scopes: documented(
    z.array(text()).default(['openid', 'profile', 'email']),
    'Scopes to request from the provider. Some providers require another scope for groups.',
    ['openid', 'groups'],
  ),
  nameClaim: documented(
    text().default('email'),
    'The claim that is shown for the user. It is a label: the identity is always `sub`.',
    'preferred_username',
  ),
  groupsClaim: documented(text().default('groups'), 'The claim with the groups or roles of the user.', 'roles'),
  roles: documented(
    z
      .strictObject({ monitor: groups(), viewer: groups(), operator: groups(), admin: groups() })
      .refine((roles) => Object.values(roles).some((some) => some.length > 0), {
        error: 'must name at least one group: without one, no user may sign in',
      }),
    'Which groups have which role, and where. The roles of all groups of a user add up. A user without one is refused.',
    { viewer: ['hr-auditors'], operator: ['hr-it'], admin: ['platform-admins'] },
  ),
  label: documented(
    text().default('single sign-on'),
    'The name of the provider on the button of the page.',
    'Acme SSO',
  ),
});

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Without TLS only on this machine: tests and tunnels. */
function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && plainFault(url) === undefined;
}

const sessions = documented(
  z
    .strictObject({
      idle: documented(duration('1m', '24h').prefault('30m'), 'Idle time after which a user is signed out.', '15m'),
      lifetime: documented(
        duration('5m', '7d').prefault('12h'),
        'Time after which every user must sign in again. Changed groups take effect at that time.',
        '8h',
      ),
    })
    .prefault({})
    .transform(({ idle, lifetime }) => ({ idleMs: idle, lifetimeMs: lifetime })),
  'Sessions of users who are signed in to the page.',
  { idle: '15m', lifetime: '8h' },
);

const webhook = z
  .strictObject({
    kind: documented(
      z.enum(webhookKinds).default('rollcall'),
      'The kind of sender: see [Sync at once](sync-at-once.md). The other keys override its defaults.',
      'personio',
    ),
    secret: documented(
      longSecret(),
      'The key with which the sender signs, or the token that it sends. 16 characters or more.',
      `\${env:PEOPLE_WEBHOOK_SECRET}`,
    ),
    minEvery: documented(
      duration('10s', '1h').prefault('5m'),
      'Minimum time between two full reads for messages without names. Later messages share the next read.',
      '15m',
    ),
    header: documented(text().toLowerCase().optional(), 'The header with the signature or the token.', 'x-signature'),
    algorithm: documented(
      z.enum(['sha256', 'sha512', 'token']).optional(),
      'The hash of the HMAC. `token`: the header contains the secret itself, so the body is not authenticated.',
      'sha512',
    ),
    encoding: documented(z.enum(['hex', 'base64']).optional(), 'How the HMAC is written.', 'base64'),
    prefix: documented(z.string().optional(), 'Prefix of the signature or the token in the header.', 'sha256='),
    signs: documented(
      text().includes('{body}', { error: 'must contain {body}' }).toLowerCase().optional(),
      'What is signed: text with `{body}`, `{sync}`, and the name of the header with the time, if it is signed.',
      '{x-timestamp}.{body}',
    ),
    people: documented(
      z.array(text()).min(1).optional(),
      'Where the message has the ids of people. Dots reach inside, also into each entry of a list.',
      ['worker.id'],
    ),
    field: documented(
      text().optional(),
      'The field of the source with these ids. A message with an unknown id counts as one without names.',
      'employeeNumber',
    ),
  })
  .transform(({ kind, minEvery: minEveryMs, ...own }) => ({ ...webhookWays[kind], ...given(own), kind, minEveryMs }));

/** `server`: the HTTP API, health and the page. */
export const server = documented(
  z
    .strictObject({
      host: documented(
        text().default('127.0.0.1'),
        'Address to listen on. The server speaks plain HTTP: put a proxy with TLS in front before you open it to others (`0.0.0.0`).',
        '0.0.0.0',
      ),
      port: documented(wholeNumber(0, 65_535).default(8080), 'Port to listen on; 0: any free port.'),
      metricsPort: documented(
        wholeNumber(0, 65_535).optional(),
        'A port of its own for `/metrics`, which `port` then does not serve. It needs no token, so only your monitoring may reach it. Absent: `/metrics` is on `port`.',
        9464,
      ),
      metrics: documented(
        z.enum(['token', 'open']).default('token'),
        'Who reads `/metrics` on `port`. `token`: one of `tokens` with any role and no `syncs`. `open`: every client. The metrics name syncs and count people.',
        'open',
      ),
      publicUrl: documented(
        z
          .string()
          .refine((value) => URL.canParse(value) && /^https?:\/\/[^?#]+$/.test(value), {
            error: 'must be an address such as https://rollcall.example.com, without ? and #',
          })
          .transform((value) => value.replace(/\/+$/, ''))
          .optional(),
        'The address at which users reach this server. Alerts then link to the run, the held changes and the runbook.',
        'https://rollcall.example.com',
      ),
      tokens: documented(
        z
          .array(token)
          .superRefine((tokens, ctx) => {
            const twice = (key: 'name' | 'token', message: string): void => {
              // Rejected tokens are no secrets yet. Each of them differs from all others.
              const textOf = ({ reveal }: Partial<Secret>, i: number) => reveal?.() ?? `refused ${i}`;
              const values = tokens.map((one, i) => (key === 'name' ? one.name : textOf(one.token, i)));
              values.forEach((value, i) => {
                if (values.indexOf(value) < i) ctx.addIssue({ code: 'custom', path: [i, key], message });
              });
            };
            twice('name', 'appears twice in the list; give each user of the API its own name');
            twice('token', 'appears twice in the list; give each user of the API its own token');
          })
          .default([]),
        'Users of the API. Each has a `name` (shown in the audit), a `role`, and a `token` of 16 characters or more. `syncs` and `people` limit the role. None: only health and webhooks answer.',
        [{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }],
      ),
      signInLink: documented(
        z.enum(accessRoles).optional(),
        'Role of a link that `rollcall start` prints on the terminal, and that signs in once. Each use makes the next link. Its sessions end with the process. Only for a `host` of this machine.',
        'admin',
      ),
      openId: documented(
        openId.optional(),
        'Sign-in of users by OpenID Connect. Needs `publicUrl`: see [sign-in.md](sign-in.md).',
        { issuer: 'https://login.example.com', clientId: 'rollcall', roles: { operator: ['hr'] } },
      ),
      sessions,
      webhooks: documented(
        z.record(z.string(), webhook).default({}),
        'Webhooks by sync: another system calls `POST /api/webhooks/<sync>` when employees change, and a run starts at once.',
        { people: { kind: 'personio', secret: `\${env:PEOPLE_WEBHOOK_SECRET}` } },
      ),
      trustedProxies: documented(
        z.array(text().refine(isNetwork, { error: 'must be an address or a network such as 10.0.0.0/8' })).default([]),
        'Addresses and networks of the proxies in front. Only their `X-Forwarded-For` is trusted. Sign-in limits and the audit then use the address of the client.',
        ['10.0.0.0/8'],
      ),
      requestsPerMinute: documented(
        wholeNumber(1, 100_000).default(300),
        'Maximum number of requests per token and minute.',
        60,
      ),
    })
    .superRefine(({ openId: provider, publicUrl, signInLink, host }, ctx) => {
      if (signInLink !== undefined && !isLoopback(host)) {
        const message =
          'needs a host of this machine, such as 127.0.0.1, because the link on the terminal must not sign in other users';
        ctx.addIssue({ code: 'custom', path: ['signInLink'], message });
      }
      if (provider === undefined || publicUrl !== undefined) return;
      const message = 'needs "server.publicUrl": the provider sends users back to <publicUrl>/auth/callback';
      ctx.addIssue({ code: 'custom', path: ['openId'], message });
    })
    .optional(),
  'The HTTP API, the page and health, served by `rollcall start`: see [http-api.md](http-api.md).',
  { port: 8080, tokens: [{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }] },
);

export type ServerConfig = NonNullable<z.output<typeof server>>;
