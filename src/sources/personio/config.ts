import { z } from 'zod';
import { given } from '../../core/run/given.ts';
import { HttpTls, HttpUrl, httpLimits, text } from '../kit/http/settings.ts';

const login = {
  url: HttpUrl.refine((url) => new URL(url).pathname === '/', 'must be only the address, without a path or a version')
    .default('https://api.personio.de')
    .meta({ description: 'Address of the API, without its version.' }),
  clientId: text().meta({ description: 'Client ID of the API credential.' }),
  clientSecret: text().meta({ description: 'Its secret.', examples: [`\${env:PERSONIO_CLIENT_SECRET}`] }),
  partnerId: text().optional().meta({ description: 'X-Personio-Partner-ID, for partners of Personio.' }),
  appId: text().optional().meta({ description: 'X-Personio-App-ID, for partners of Personio.' }),
  tls: HttpTls,
};

export const V1Config = z.strictObject({
  kind: z.literal('personio'),
  api: z.literal('v1').meta({ description: 'The employees of the older API: one list, with names of departments.' }),
  ...login,
  attributes: z
    .array(text())
    .min(1)
    .optional()
    .meta({
      description: 'Attributes to request. Default: all that the credential may read.',
      examples: [['first_name', 'last_name', 'email', 'status', 'hire_date', 'termination_date', 'dynamic_33400']],
    }),
  pageSize: z.int().min(2).max(100).default(100).meta({ description: 'Employees per request.' }),
  total: z
    .enum(['exact', 'ignore'])
    .default('exact')
    .meta({ description: 'Whether total_elements of the last page must equal the number of returned employees.' }),
  limits: httpLimits('60s', 5),
});

export const V2Config = z.strictObject({
  kind: z.literal('personio'),
  api: z.literal('v2').meta({ description: 'The persons of the newer API, each with employments.' }),
  ...login,
  pageSize: z.int().min(1).max(50).default(50).meta({ description: 'Persons per request.' }),
  employments: z
    .boolean()
    .default(true)
    .meta({ description: "Whether to read each person's employments: dates, position, department. One request each." }),
  names: z.boolean().default(true).meta({
    description: 'Whether to read the names of departments, teams and offices. Employments hold only their ids.',
  }),
  orgUnitsPath: text().default('/v2/org-units').meta({ description: 'Path of the list of departments and teams.' }),
  workplacesPath: text().default('/v2/workplaces').meta({ description: 'Path of the list of offices.' }),
  limits: httpLimits('60s', 20),
});

export type V1Config = z.infer<typeof V1Config>;
export type V2Config = z.infer<typeof V2Config>;

/** The section `syncs.*.source` of kind `personio`. */
export const PersonioConfig = z.discriminatedUnion('api', [V1Config, V2Config]);
export type PersonioConfig = z.infer<typeof PersonioConfig>;

export function partnerHeaders({ partnerId, appId }: PersonioConfig): Readonly<Record<string, string>> {
  return given({ 'x-personio-partner-id': partnerId, 'x-personio-app-id': appId });
}
