import { z } from 'zod';
import { HttpAuth, HttpUrl, httpLimits, text } from '../kit/http/settings.ts';

/** The ways to read people, with the names of the required fields in each. */
const waysToRead = {
  datasets: {
    key: 'eeid',
    status: 'status',
    employmentStatus: 'employmentStatus',
    hireDate: 'hireDate',
    terminationDate: 'terminationDate',
  },
  employees: {
    key: 'employeeId',
    status: 'status',
    employmentStatus: 'employmentStatusName',
    hireDate: 'hireDate',
    terminationDate: null,
  },
  report: {
    key: 'id',
    status: 'status',
    employmentStatus: 'employmentHistoryStatus',
    hireDate: 'hireDate',
    terminationDate: 'terminationDate',
  },
} as const;

const statusField = (what: string, names: string) =>
  text()
    .nullable()
    .optional()
    .meta({ description: `Field: ${what}. Default ${names}; null if the account has no such field.` });

const StatusSettings = z
  .strictObject({
    map: z
      .record(text(), z.enum(['leave', 'suspended', 'terminated']))
      .default({})
      .meta({
        description: "Meaning of the account's employment statuses, except those of normal employment.",
        examples: [{ 'Maternity Leave': 'leave', Garden: 'suspended', Terminated: 'terminated' }],
      }),
    field: statusField('Active or Inactive', 'status'),
    employmentStatus: statusField(
      'the employment status',
      'employmentStatus, employmentStatusName or employmentHistoryStatus, by `api`',
    ),
    hireDate: statusField('the first day', 'hireDate'),
    terminationDate: statusField('the day of leaving', 'terminationDate (none with api: employees)'),
  })
  .prefault({})
  .meta({ description: 'Fields from which `rollcallStatus` is derived. They are added to `fields`.' });

/** The section `syncs.*.source` of kind `bamboohr`. */
export const BamboohrConfig = z
  .strictObject({
    kind: z.literal('bamboohr'),
    company: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]*$/i, 'must be the word before .bamboohr.com')
      .meta({ description: 'The word before .bamboohr.com in your address.', examples: ['acme'] }),
    baseUrl: HttpUrl.optional().meta({
      description: 'Base address of the API, if it is not `https://COMPANY.bamboohr.com/api`.',
    }),
    auth: HttpAuth.meta({
      description: 'An API key: kind basic, with the key as username and any password. Or refresh-token (OAuth).',
    }),
    api: z.enum(['datasets', 'employees', 'report']).default('datasets').meta({
      description: 'The employee dataset (v2), the list of employees (OAuth), or a custom report (old, all fields).',
    }),
    fields: z
      .array(text())
      .min(1)
      .max(350)
      .meta({
        description: 'Every field that you map, by its name in this api. Key and status fields are added.',
        examples: [['employeeNumber', 'firstName', 'lastName', 'email', 'jobInformationDepartment']],
      }),
    key: text().optional().meta({
      description: 'The field that identifies an employee. Default eeid, employeeId or id, by `api`.',
    }),
    status: StatusSettings,
    pageSize: z.int().min(1).max(2500).default(1000).meta({
      description: 'Employees per request; datasets give 1000 at most, and a report has no pages.',
    }),
    limits: httpLimits('5m'),
  })
  .transform((written, context) => {
    const { api, company, status, key } = written;
    if (api === 'datasets' && written.pageSize > 1000) {
      context.addIssue({ code: 'custom', path: ['pageSize'], message: 'must be at most 1000 with api: datasets' });
    }
    const usual = waysToRead[api];
    const named = (own: string | null | undefined, common: string | null): string | null =>
      own === undefined ? common : own;
    const baseUrl = written.baseUrl ?? `https://${company.toLowerCase()}.bamboohr.com/api`;
    return {
      ...written,
      baseUrl: baseUrl.replace(/\/+$/, ''),
      key: key ?? usual.key,
      status: {
        map: { Terminated: 'terminated' as const, ...status.map },
        field: named(status.field, usual.status),
        employmentStatus: named(status.employmentStatus, usual.employmentStatus),
        hireDate: named(status.hireDate, usual.hireDate),
        terminationDate: named(status.terminationDate, usual.terminationDate),
      },
    };
  });

export type BamboohrConfig = z.output<typeof BamboohrConfig>;

export function statusInputs({ status }: BamboohrConfig): readonly string[] {
  const { field, employmentStatus, hireDate, terminationDate } = status;
  return [field, employmentStatus, hireDate, terminationDate].filter((name) => name !== null);
}

/** Returns every field to request, each once: the key, the fields, and those of the status. */
export function requestedFields(config: BamboohrConfig): readonly string[] {
  return [...new Set([config.key, ...config.fields, ...statusInputs(config)])];
}
