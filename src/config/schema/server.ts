import { z } from 'zod';
import type { ServerConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import { must } from '../sentences.ts';
import { namePattern } from './root-names.ts';
import { secretText, text, wholeNumber } from './values.ts';

/** Shorter ones could be guessed. */
const shortestSecret = 16;

const longSecret = () =>
  secretText().refine((value) => value.reveal().length >= shortestSecret, {
    error: `must have at least ${shortestSecret} characters; make one with: openssl rand -base64 32`,
  });

const token = z.strictObject({
  name: z
    .string()
    .regex(namePattern, { error: must('must be letters, digits, dots, dashes and underscores, 63 at most') })
    .meta({ description: 'Who uses it: shown in the audit and in the log.', examples: ['ops'] }),
  role: z.enum(['viewer', 'operator']).meta({
    description:
      '`viewer` may look at everything; `operator` may also pause, start, approve, reject, cancel and retry.',
    examples: ['operator'],
  }),
  token: longSecret().meta({
    description: 'The bearer token, 16 characters or more. Only its hash is kept.',
    examples: [`\${env:OPS_TOKEN}`],
  }),
});

const webhook = z.strictObject({
  secret: longSecret().meta({
    description: 'The key of the HMAC-SHA256 with which the sender signs, 16 characters or more.',
    examples: [`\${env:PEOPLE_WEBHOOK_SECRET}`],
  }),
});

/** This also looks at tokens that were refused, which are no secrets yet: each counts as different from all others. */
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
          'Address to listen on. It speaks plain HTTP: before you let others reach it (`0.0.0.0`), put a proxy with TLS in front.',
        examples: ['0.0.0.0'],
      }),
    port: wholeNumber(0, 65_535)
      .default(8080)
      .meta({ description: 'Port to listen on; 0: any free one.', examples: [8080] }),
    tokens: z
      .array(token)
      .superRefine((tokens, ctx) => {
        const twice = (key: 'name' | 'token', message: string): void => {
          const values = tokens.map((one, i) => (key === 'name' ? one.name : revealed(one.token, i)));
          values.forEach((value, i) => {
            if (values.indexOf(value) < i) ctx.addIssue({ code: 'custom', path: [i, key], message });
          });
        };
        twice('name', 'stands twice in the list; give each user of the API a name of its own');
        twice('token', 'stands twice in the list; give each user of the API a token of its own');
      })
      .default([])
      .meta({
        description:
          'Who may use the API. Each has a `name` (shown in the audit), a `role` (`viewer` looks, `operator` also acts) and a `token` of 16 characters or more. None: only health and webhooks answer.',
        examples: [[{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }]],
      }),
    webhooks: z
      .record(z.string(), webhook)
      .default({})
      .meta({
        description:
          'Per sync: who knows the secret may ask for a resync of named employees with `POST /api/webhooks/<sync>`.',
        examples: [{ people: { secret: `\${env:PEOPLE_WEBHOOK_SECRET}` } }],
      }),
    requestsPerMinute: wholeNumber(1, 100_000)
      .default(300)
      .meta({ description: 'Requests of one token in a minute, at most.', examples: [60] }),
  })
  .transform((value): ServerConfig => value)
  .optional()
  .meta({
    description: 'The HTTP API, the dashboard and health, opened by `rollcall start`: see [http-api.md](http-api.md).',
    examples: [{ port: 8080, tokens: [{ name: 'ops', role: 'operator', token: `\${env:OPS_TOKEN}` }] }],
  });
