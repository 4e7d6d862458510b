import { z } from 'zod';
import { HttpAuth, HttpLimits, HttpTls, HttpUrl, text } from '../kit/http/settings.ts';

/** RFC 7643, 4.3. Its dots would act as a path in a mapping, so records call it `enterprise`. */
const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** The section `syncs.*.source` of kind `scim`. */
export const ScimConfig = z.strictObject({
  kind: z.literal('scim'),
  baseUrl: HttpUrl.meta({
    description: 'Address of the SCIM service, without `/Users`.',
    examples: ['https://idp.example.com/scim/v2'],
  }),
  resource: z
    .string()
    .regex(/^\/[^?#]+$/, 'must begin with /')
    .default('/Users')
    .meta({ description: 'Path of the people, added to `baseUrl`.' }),
  auth: HttpAuth,
  attributes: z
    .array(text())
    .min(1)
    .optional()
    .meta({
      description:
        'Attributes to request. SCIM omits empty attributes, so this list tells an empty value from one that is not shown. ' +
        'Those of an extension begin with its short name. `id`, `userName` and `active` are always added.',
      examples: [['name.givenName', 'name.familyName', 'emails', 'enterprise.department']],
    }),
  extensions: z
    .record(z.string().regex(/^[A-Za-z]\w*$/, 'must be a word'), text())
    .default({})
    .transform((written) => ({ enterprise: enterpriseUrn, ...written }))
    .meta({
      description: 'Short names of schema extensions, under which records hold them; `enterprise` is known.',
      examples: [{ acme: 'urn:example:acme:2.0:User' }],
    }),
  filter: text()
    .optional()
    .meta({ description: 'A SCIM filter that selects the people.', examples: ['userType eq "Employee"'] }),
  filters: z.boolean().default(true).meta({
    description: 'Whether to use filters for lookups and deltas. Without them all users are read.',
  }),
  paging: z.enum(['auto', 'index', 'cursor']).default('auto').meta({
    description: 'Pages by index (RFC 7644) or cursor (RFC 9865). `auto` asks the server which it supports.',
  }),
  pageSize: z
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .meta({ description: 'Users per request; servers may return fewer.' }),
  sortBy: z
    .union([text(), z.literal(false)])
    .default('id')
    .meta({ description: 'Attribute that keeps the order of pages; false for servers that refuse to sort.' }),
  total: z
    .enum(['exact', 'unreliable', 'ignored'])
    .default('unreliable')
    .meta({
      description:
        '`totalResults` is exact: it ends the read, and must equal the number of users. Unreliable: pages are read until ' +
        'an empty one, and only a larger total makes the read incomplete. Ignored: it is not used.',
    }),
  limits: HttpLimits,
  tls: HttpTls,
});

export type ScimConfig = z.infer<typeof ScimConfig>;
