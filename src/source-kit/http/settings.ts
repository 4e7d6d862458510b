import { z } from 'zod';
import { durationPattern, parseDuration } from '../../core/duration.ts';

const text = () => z.string().min(1);

const duration = (description: string, fallback: string) =>
  z
    .string()
    .regex(durationPattern, 'must be a whole number with its unit: 30s, 5m')
    .default(fallback)
    .transform((written) => parseDuration(written) ?? 0)
    .meta({ description, examples: [fallback] });

/**
 * `limits` of a source that is reached over HTTP, with its defaults: a longer timeout where one answer holds everybody,
 * another rate where the vendor names one.
 */
export const httpLimits = (timeout: string, requestsPerSecond = 5) =>
  z
    .strictObject({
      requestsPerSecond: z
        .number()
        .positive()
        .max(1000)
        .default(requestsPerSecond)
        .meta({ description: 'Requests begun in a second, at most.' }),
      timeout: duration('No whole answer within this time is a lost answer.', timeout),
      patience: duration('How long one request is tried again, waits included, or one long answer waited for.', '15m'),
    })
    .prefault({})
    .meta({ description: 'How fast the HR system is asked, and how long it is waited for.' });

export const HttpLimits = httpLimits('60s');

export type HttpLimits = z.infer<typeof HttpLimits>;

/** `tls` of a source that is reached over HTTPS: PEM texts, usually by `${file:…}`. */
export const HttpTls = z
  .strictObject({
    ca: text().optional().meta({ description: 'Certificates of the authorities to trust instead of the public ones.' }),
    cert: text().optional().meta({ description: 'Our certificate, where the HR system wants one (mutual TLS).' }),
    key: text().optional().meta({ description: 'The private key of `cert`.' }),
    passphrase: text().optional().meta({ description: 'What `key` is encrypted with.' }),
  })
  .refine((tls) => (tls.cert === undefined) === (tls.key === undefined), 'needs cert and key together')
  .optional()
  .meta({ description: 'Authorities and certificates of the connection, as PEM text.' });

export type HttpTls = z.infer<typeof HttpTls>;

/** An address without credentials. `http:` is for this machine alone: a token must not travel in the clear. */
export const HttpUrl = z.string().refine((written) => {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname, username, password } = new URL(written);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}, 'must be an https:// address without user and password (http:// only for 127.0.0.1 and localhost)');

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
