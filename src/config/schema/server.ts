import { z } from 'zod';
import type { ServerConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import { must } from '../sentences.ts';
import { namePattern } from './root-names.ts';
import { secretText, text, wholeNumber } from './values.ts';

/** Shorter secrets could be guessed. */
const shortestSecret = 16;

const longSecret = () =>
  secretText().refine((value) => value.reveal().length >= shortestSecret, {
    error: `must have at least ${shortestSecret} characters; create one with: openssl rand -base64 32`,
  });

const token = z.strictObject({
  name: z
    .string()
    .regex(namePattern, { error: must('must be a name of letters, digits, dots, dashes and underscores, at most 63') })
    .meta({ description: 'Name of the user, shown in the audit and in the log.', examples: ['ops'] }),
  role: z.enum(['viewer', 'operator']).meta({
    description: '`viewer` may read everything; `operator` may also pause, start, approve, reject, cancel and retry.',
    examples: ['operator'],
  }),
  token: longSecret().meta({
    description: 'The bearer token, 16 characters or more. Only its hash is kept.',
    examples: [`\${env:OPS_TOKEN}`],
  }),
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

/** `server`: the HTTP API, health and the dashboard. */
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
          'The address under which people reach this server. Alerts then link to the run, to the held changes, and to what to do.',
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
  .transform(({ publicUrl, ...rest }): ServerConfig => (publicUrl === undefined ? rest : { ...rest, publicUrl }))
  .optional()
  .meta({
    description: 'The HTTP API, the dashboard and health, served by `rollcall start`: see [http-api.md](http-api.md).',
    examples: [{ port: 8080, tokens: [{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }] }],
  });
