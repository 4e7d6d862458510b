import { z } from 'zod';
import { proxyProblem } from '../../core/run/addresses.ts';
import { defaultLimits } from '../../core/run/settings.ts';
import { must } from '../sentences.ts';
import { dialect } from './dialect.ts';
import { duration, secretText, text, wholeNumber } from './values.ts';

const limits = z.strictObject({
  requestsPerSecond: z
    .number()
    .positive({ error: must('must be a number above 0') })
    .max(1000)
    .default(defaultLimits.requestsPerSecond)
    .meta({ description: 'Maximum number of requests to the platform per second.', examples: [10] }),
  concurrency: wholeNumber(1, 64)
    .default(defaultLimits.concurrency)
    .meta({ description: 'Maximum number of concurrent requests.', examples: [4] }),
  pageSize: wholeNumber(1, 10_000)
    .optional()
    .meta({
      description:
        'Largest number of users to ask for per page. Scans begin with `dialect.search.pageSize`; after a quick one, the next asks for twice as many, up to this. Absent: pages do not grow.',
      examples: [2000],
    }),
  timeout: duration('100ms', '10m')
    .prefault('30s')
    .meta({ description: 'Timeout of a request. After it, the answer counts as lost.', examples: ['30s'] }),
});

/** `connections.<name>`: one platform community. */
export const connectionShape = {
  baseUrl: z.string({ error: must('must be the address of the platform, such as https://platform.example.com') }).meta({
    description:
      'Address of the platform, without the `/os-api` and `/growth` parts. https only; http is accepted for this machine (localhost, 127.0.0.1, [::1]) or with `insecure: true`.',
    examples: ['https://platform.example.com'],
  }),
  insecure: z
    .boolean()
    .default(false)
    .meta({
      description: 'Accepts an `http://` address. Tokens and personal data then travel unencrypted.',
      examples: [false],
    }),
  applicationToken: secretText()
    .optional()
    .meta({
      description:
        'The application token. It is sent with every exchange of a refresh token and identifies the community.',
      examples: [`\${env:ACME_APPLICATION_TOKEN}`],
    }),
  refreshToken: secretText()
    .optional()
    .meta({
      description:
        'The first refresh token. It is used once per store; its successors are kept in the store, sealed with `encryptionKey`. A new value here replaces them.',
      examples: [`\${file:secrets/acme-refresh}`],
    }),
  accessToken: secretText()
    .optional()
    .meta({
      description: 'A fixed access token instead of a refresh token. Replace it here when it expires.',
      examples: [`\${env:ACME_ACCESS_TOKEN}`],
    }),
  proxy: secretText()
    .superRefine((address, ctx) => {
      const message = proxyProblem(address.reveal());
      if (message !== undefined) ctx.addIssue({ code: 'custom', message });
    })
    .optional()
    .meta({
      description:
        'HTTP proxy to the platform, for all calls of this connection; `none` for no proxy. Absent: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the environment.',
      examples: ['http://proxy.example.com:3128', `\${env:PROXY_URL}`],
    }),
  ca: text()
    .refine((pem) => pem.includes('-----BEGIN CERTIFICATE-----'), {
      error: `must be certificates as PEM text, such as \${file:certs/ca.pem}`,
    })
    .optional()
    .meta({
      description:
        'Certificates of authorities to trust besides the public ones, as PEM text: of the platform, or of a proxy that inspects TLS.',
      examples: [`\${file:certs/ca.pem}`],
    }),
  limits: limits
    .prefault({})
    .meta({ description: 'Limits on the load of the platform.', examples: [{ concurrency: 2 }] }),
  dialect: dialect.prefault({}).meta({
    description:
      'Properties of the platform that its API contract does not define: see [platform-assumptions.md](platform-assumptions.md).',
    examples: [{ expiresIn: 'milliseconds' }],
  }),
};

/** A connection as read, without its name. */
export type ConnectionInput = z.output<z.ZodObject<typeof connectionShape, z.core.$strict>>;
