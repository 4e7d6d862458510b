import { z } from 'zod';
import { proxyProblem } from '../../core/run/addresses.ts';
import { given } from '../../core/run/given.ts';
import { must } from '../../core/run/problem-words.ts';
import { defaultLimits, type Limits } from '../../core/run/settings.ts';
import { dialect } from './dialect.ts';
import { documented, duration, secretText, text, wholeNumber } from './values.ts';

const limits = z
  .strictObject({
    requestsPerSecond: documented(
      z
        .number()
        .positive({ error: must('must be a number above 0') })
        .max(1000)
        .default(defaultLimits.requestsPerSecond),
      'Maximum number of requests to the platform per second.',
      10,
    ),
    concurrency: documented(
      wholeNumber(1, 64).default(defaultLimits.concurrency),
      'Maximum number of concurrent requests.',
      4,
    ),
    pageSize: documented(
      wholeNumber(1, 10_000).optional(),
      'Largest number of users to ask for per page. Scans begin with `dialect.search.pageSize`; after a quick one, the next asks for twice as many, up to this. Absent: pages do not grow.',
      2000,
    ),
    timeout: documented(
      duration('100ms', '10m').prefault('30s'),
      'Timeout of a request. After it, the answer counts as lost.',
    ),
  })
  .transform(({ timeout, pageSize, ...rest }): Limits => ({ ...rest, ...given({ pageSize }), timeoutMs: timeout }));

/** `connections.<name>`: one platform community. */
export const connectionShape = {
  baseUrl: documented(
    z.string({ error: must('must be the address of the platform, such as https://platform.example.com') }),
    'Address of the platform, without the `/os-api` and `/growth` parts. https only; http is accepted for this machine (localhost, 127.0.0.1, [::1]) or with `insecure: true`.',
    'https://platform.example.com',
  ),
  insecure: documented(
    z.boolean().default(false),
    'Accepts an `http://` address. Tokens and personal data then travel unencrypted.',
  ),
  applicationToken: documented(
    secretText().optional(),
    'The application token. It is sent with every exchange of a refresh token and identifies the community.',
    `\${env:ACME_APPLICATION_TOKEN}`,
  ),
  refreshToken: documented(
    secretText().optional(),
    'The first refresh token. It is used once per store; its successors are kept in the store, sealed with `encryptionKey`. A new value here replaces them.',
    `\${file:secrets/acme-refresh}`,
  ),
  accessToken: documented(
    secretText().optional(),
    'A fixed access token instead of a refresh token. Replace it here when it expires.',
    `\${env:ACME_ACCESS_TOKEN}`,
  ),
  proxy: documented(
    secretText()
      .superRefine((address, ctx) => {
        const message = proxyProblem(address.reveal());
        if (message !== undefined) ctx.addIssue({ code: 'custom', message });
      })
      .optional(),
    'HTTP proxy to the platform, for all calls of this connection; `none` for no proxy. Absent: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the environment.',
    'http://proxy.example.com:3128',
    `\${env:PROXY_URL}`,
  ),
  ca: documented(
    text()
      .refine((pem) => pem.includes('-----BEGIN CERTIFICATE-----'), {
        error: `must be certificates as PEM text, such as \${file:certs/ca.pem}`,
      })
      .optional(),
    'Certificates of authorities to trust besides the public ones, as PEM text: of the platform, or of a proxy that inspects TLS.',
    `\${file:certs/ca.pem}`,
  ),
  limits: documented(limits.prefault({}), 'Limits on the load of the platform.', { concurrency: 2 }),
  dialect: documented(
    dialect.prefault({}),
    'Properties of the platform that its API contract does not define: see [platform-assumptions.md](platform-assumptions.md).',
    { expiresIn: 'milliseconds' },
  ),
};

/** A connection as read, without its name. */
export type ConnectionInput = z.output<z.ZodObject<typeof connectionShape, z.core.$strict>>;
