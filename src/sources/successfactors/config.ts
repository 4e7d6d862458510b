import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { HttpTls, HttpUrl, httpLimits, text } from '../kit/http/settings.ts';

/** Returns whether the text is an RSA key that can sign. It is not known whether SuccessFactors accepts others. */
function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

const client = {
  clientId: text().meta({ description: 'The API key of the OAuth client (Manage OAuth2 Client Applications).' }),
};

const Auth = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('saml').meta({ description: 'OAuth with a SAML assertion that Rollcall signs for each token.' }),
      ...client,
      user: text().meta({ description: 'The technical user whose rights are used: its user id, or its username.' }),
      nameIs: z
        .enum(['userId', 'username'])
        .default('userId')
        .meta({ description: 'Kind of name in `user`: user id or username.' }),
      privateKey: text()
        // Environment variables often have their line ends escaped.
        .transform((pem) => pem.replaceAll('\\n', '\n'))
        .refine(isRsaKey, 'must be an RSA private key as PEM, without a passphrase')
        .meta({ description: 'Private key of the certificate of the OAuth client, as PEM.' }),
      issuer: text().default('www.successfactors.com').meta({ description: 'Issuer of the assertion.' }),
    }),
    z.strictObject({
      kind: z.literal('assertion').meta({ description: 'OAuth with an assertion from another system.' }),
      ...client,
      assertion: text().meta({
        description: 'Signed SAML 2.0 assertion in base64. It expires, often after 10 minutes.',
      }),
    }),
    z.strictObject({
      kind: z.literal('basic').meta({ description: 'User and password. SAP announced its end for 20 November 2026.' }),
      user: text().meta({ description: 'Without company: `@companyId` is added.' }),
      password: z.string(),
    }),
  ])
  .meta({ description: 'How Rollcall authenticates.' });

export type SuccessFactorsAuth = z.infer<typeof Auth>;

/**
 * Default navigations of PerPerson. One that the user may not read makes SuccessFactors refuse the request: remove it
 * here.
 */
export const defaultExpand = [
  'personalInfoNav',
  'emailNav/emailTypeNav',
  'phoneNav',
  'personEmpTerminationInfoNav',
  'employmentNav/userNav',
  'employmentNav/jobInfoNav/emplStatusNav',
  'employmentNav/jobInfoNav/departmentNav',
  'employmentNav/jobInfoNav/divisionNav',
  'employmentNav/jobInfoNav/locationNav',
  'employmentNav/jobInfoNav/companyNav',
  'employmentNav/jobInfoNav/costCenterNav',
] as const;

/** The section `syncs.*.source` of kind `successfactors`. */
export const SuccessFactorsConfig = z.strictObject({
  kind: z.literal('successfactors'),
  url: HttpUrl.refine(
    (url) => new URL(url).pathname === '/',
    'must be only the address of the API server, without a path',
  ).meta({
    description: "The API server of the company's data center.",
    examples: ['https://api68.sapsf.eu'],
  }),
  companyId: text().meta({ description: 'The company ID, as in the login address.', examples: ['acmeT1'] }),
  auth: Auth,
  entity: z
    .enum(['PerPerson', 'User'])
    .default('PerPerson')
    .meta({ description: 'PerPerson with Employee Central; User without it.' }),
  expand: z
    .array(text())
    .default([...defaultExpand])
    .meta({
      description: 'Navigations to read with PerPerson.',
      examples: [['personalInfoNav', 'employmentNav/userNav']],
    }),
  filter: text()
    .optional()
    .meta({
      description:
        'A filter that selects people. Default: all with an employment (PerPerson), active and inactive (User).',
      examples: ["employmentNav/jobInfoNav/company eq '1710'"],
    }),
  future: z
    .enum(['hidden', 'shown'])
    .default('hidden')
    .meta({ description: 'Whether to read rows that start after today as well (PerPerson).' }),
  paging: z
    .enum(['snapshot', 'cursor'])
    .default('snapshot')
    .meta({ description: 'Which paging of SuccessFactors keeps the pages of one read together.' }),
  pageSize: z.int().min(1).max(1000).default(200).meta({ description: 'People per request.' }),
  statusCodes: z
    .record(z.string(), z.enum(['A', 'D', 'U', 'P', 'S', 'F', 'O', 'R', 'T']))
    .optional()
    .meta({
      description: "Codes of emplStatus by the ids of the company's own picklist, where emplStatusNav is not readable.",
      examples: [{ '4606': 'A' }],
    }),
  workEmailTypes: z
    .array(text())
    .default(['B'])
    .meta({ description: 'Types of work e-mail: codes of the picklist, or their ids.' }),
  limits: httpLimits('2m'),
  tls: HttpTls,
});

export type SuccessFactorsConfig = z.infer<typeof SuccessFactorsConfig>;
