import { z } from 'zod';
import { durationPattern, durationWithin } from '../../../core/run/formats.ts';

export const text = () => z.string().min(1);

/** A duration within bounds, both included, which becomes milliseconds. */
export const durationText = (from: string, to: string, fallback: string) => {
  const { sentence, read } = durationWithin(from, to);
  return z
    .string()
    .regex(durationPattern, sentence)
    .default(fallback)
    .transform((written, context) => {
      const ms = read(written);
      if (ms === undefined) context.addIssue({ code: 'custom', message: sentence });
      return ms ?? Number.NaN;
    });
};

/**
 * Returns the schema of `limits` for a source over HTTP. A kind can set other defaults: a longer timeout where one
 * answer holds all employees, or the rate that the vendor documents.
 */
export const httpLimits = (timeout: string, requestsPerSecond = 5) =>
  z
    .strictObject({
      requestsPerSecond: z
        .number()
        .positive()
        .max(1000)
        .default(requestsPerSecond)
        .meta({ description: 'Maximum number of requests per second.' }),
      timeout: durationText('100ms', '7d', timeout).meta({
        description: 'A request without a complete answer within this time fails.',
        examples: [timeout],
      }),
      deadline: durationText('1s', '7d', '15m').meta({
        description: 'Maximum time for one request with its retries and waits, or for one long answer.',
        examples: ['15m'],
      }),
    })
    .prefault({})
    .meta({ description: 'Rate of requests to the HR system, and timeouts.' });

export const HttpLimits = httpLimits('60s');

export type HttpLimits = z.infer<typeof HttpLimits>;

/** The section `tls` of a source over HTTPS. Values are PEM texts, usually `${file:…}`. */
export const HttpTls = z
  .strictObject({
    ca: text().optional().meta({ description: 'Certificates of the authorities to trust instead of the public ones.' }),
    cert: text().optional().meta({ description: 'Client certificate, if the HR system requires one (mutual TLS).' }),
    key: text().optional().meta({ description: 'The private key of `cert`.' }),
    passphrase: text().optional().meta({ description: 'Passphrase of `key`.' }),
  })
  .refine((tls) => (tls.cert === undefined) === (tls.key === undefined), 'needs cert and key together')
  .optional()
  .meta({ description: 'Authorities and certificates of the connection, as PEM text.' });

export type HttpTls = z.infer<typeof HttpTls>;

/**
 * An address without credentials. `http:` is allowed for this machine only, because tokens must not travel
 * unencrypted.
 */
export const HttpUrl = z.string().refine((written) => {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname, username, password } = new URL(written);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}, 'must be an https:// address without user and password (http:// only for 127.0.0.1 and localhost)');

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

const oauth = {
  tokenUrl: HttpUrl.meta({ description: 'Address of the token endpoint.' }),
  clientId: text().meta({ description: 'Client id of Rollcall in the HR system.' }),
  scope: text().optional().meta({ description: 'Scopes to request, separated by spaces.' }),
  clientAuth: z
    .enum(['basic', 'body'])
    .default('body')
    .meta({ description: 'Where client id and secret go: an Authorization header, or the form (RFC 6749, 2.3.1).' }),
  parameters: z.record(z.string(), z.string()).optional().meta({ description: 'Additional form fields: `audience`.' }),
};

/** The section `auth` of a source over HTTP. */
export const HttpAuth = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({
      kind: z.literal('basic'),
      username: text().meta({ description: 'Name of the account.' }),
      password: z.string().meta({ description: 'Password of the account; empty if the name is an API key.' }),
    }),
    z.strictObject({ kind: z.literal('bearer'), token: text().meta({ description: 'A token that does not rotate.' }) }),
    z.strictObject({
      kind: z.literal('headers'),
      headers: z.record(z.string(), text()).meta({ description: 'Headers that hold keys, by name: `x-api-key`.' }),
    }),
    z.strictObject({
      kind: z.literal('client-credentials'),
      clientSecret: text().meta({ description: 'The secret of `clientId`.' }),
      ...oauth,
    }),
    z.strictObject({
      kind: z.literal('refresh-token'),
      clientSecret: text().optional().meta({ description: 'The secret of `clientId`, if it has one.' }),
      refreshToken: text().meta({ description: 'The first refresh token. Later ones are kept in the store, sealed.' }),
      ...oauth,
    }),
  ])
  .meta({ description: 'How Rollcall authenticates.' });

export type HttpAuth = z.infer<typeof HttpAuth>;
