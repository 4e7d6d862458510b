import { z } from 'zod';
import { HttpTls, HttpUrl, httpLimits, text } from '../kit/http/settings.ts';
import { employmentStatuses } from '../kit/status.ts';

/** Fields that the platform's common fields need. */
const usualFields = [
  'root.id',
  'root.firstName',
  'root.surname',
  'root.displayName',
  'root.email',
  'work.employeeIdInCompany',
  'work.startDate',
  'work.title',
  'work.department',
  'work.site',
  'work.reportsTo',
  'internal.status',
  'internal.lifecycleStatus',
  'internal.terminationDate',
];

/** The section `syncs.*.source` of kind `hibob`. */
export const HibobConfig = z.strictObject({
  kind: z.literal('hibob'),
  url: HttpUrl.default('https://api.hibob.com/v1').meta({ description: 'Address of the API, with its version.' }),
  serviceUser: text().meta({ description: 'ID of the service user.', examples: ['SERVICE-4711'] }),
  token: text().meta({ description: 'Its token.', examples: [`\${env:HIBOB_TOKEN}`] }),
  fields: z
    .array(text())
    .min(1)
    .max(400)
    .default(usualFields)
    .meta({
      description: 'Field ids to request, as `GET /company/people/fields` names them. `root.id` is always added.',
      examples: [['root.id', 'root.email', 'work.title', 'custom.field_1696238423']],
    }),
  mayBeAbsent: z.array(text()).default(['internal.terminationDate']).meta({
    description: 'Fields that may be empty for all employees. Any other field without a value holds the run.',
  }),
  showInactive: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether to read people who left. Without them, leavers only become missing.' }),
  statuses: z
    .record(z.string(), z.enum(employmentStatuses))
    .default({})
    .meta({
      description: 'Meaning of lifecycle statuses that differs from the default.',
      examples: [{ 'garden leave': 'terminated', probation: 'active' }],
    }),
  batchSize: z.int().min(1).max(1000).optional().meta({
    description:
      'Reads all ids first, then people in batches of this size, for companies whose single answer is too large.',
  }),
  limits: httpLimits('30m', 0.8),
  tls: HttpTls,
});

export type HibobConfig = z.infer<typeof HibobConfig>;
