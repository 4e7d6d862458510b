import { z } from 'zod';
import { HttpAuth, HttpTls, HttpUrl, httpLimits, text } from '../kit/http/settings.ts';

const StatusColumns = z
  .strictObject({
    active: text().default('Active_Status').meta({ description: 'Column: 1 while employed, 0 else.' }),
    terminated: text().default('Terminated').meta({ description: 'Column: 1 after the employment has ended.' }),
    onLeave: text().default('On_Leave').meta({ description: 'Column: 1 while on leave.' }),
    hireDate: text().default('Hire_Date').meta({ description: 'Column: first day.' }),
    terminationDate: text().default('Termination_Date').meta({ description: 'Column: last day.' }),
  })
  .prefault({})
  .meta({ description: 'The columns from which `rollcallStatus` is derived. Only those in `columns` are used.' });

export const RaasConfig = z
  .strictObject({
    kind: z.literal('workday'),
    api: z.literal('raas').meta({ description: 'A report of yours, as JSON (Reports-as-a-Service).' }),
    url: HttpUrl.meta({
      description: 'The JSON address of the report, from Actions > Web Service > View URLs, without `format`.',
      examples: ['https://wd3-services1.myworkday.com/ccx/service/customreport2/acme/ISU_Rollcall/Rollcall_Employees'],
    }),
    auth: HttpAuth,
    columns: z
      .array(text())
      .min(1)
      .meta({
        description:
          'Every column to read, by its XML alias. Workday omits empty values, so only this tells them apart.',
        examples: [['WID', 'Employee_ID', 'First_Name', 'Last_Name', 'Work_Email', 'Active_Status']],
      }),
    key: text()
      .default('WID')
      .meta({ description: 'The column with a unique value in each row.', examples: ['WID'] }),
    countColumn: text().optional().meta({
      description:
        'A column that repeats the number of rows of the report in each row. It proves that no row is missing.',
    }),
    prompts: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Prompt values of the report, by their aliases.', examples: [{ Include_Terminated: '1' }] }),
    status: StatusColumns,
    limits: httpLimits('30m'),
    tls: HttpTls,
  })
  .superRefine(({ columns, key }, context) => {
    if (columns.includes(key)) return;
    context.addIssue({ code: 'custom', path: ['key'], message: `must be one of columns; ${key} is not` });
  });

export const SoapConfig = z.strictObject({
  kind: z.literal('workday'),
  api: z.literal('soap').meta({ description: 'Get_Workers of the Human_Resources web service (SOAP).' }),
  url: HttpUrl.refine(
    (url) => /\/Human_Resources\/v\d+\.\d+$/.test(url),
    'must end with a version, such as /Human_Resources/v45.0',
  ).meta({
    description: 'Address of the web service with its version, as View WSDL shows it.',
    examples: ['https://wd3-services1.myworkday.com/ccx/service/acme/Human_Resources/v45.0'],
  }),
  auth: HttpAuth.meta({
    description: 'Kind `basic` is sent in the envelope (WS-Security), as `ISU@tenant`. Tokens are sent in the header.',
  }),
  workers: z
    .enum(['all', 'employees', 'contingent'])
    .default('all')
    .meta({ description: 'Employees, contingent workers, or both.' }),
  include: z
    .array(z.enum(['organizations', 'managementChain']))
    .default(['organizations'])
    .meta({ description: 'Parts to request besides person and employment. Request only what you map.' }),
  pageSize: z.int().min(1).max(999).default(200).meta({ description: 'Workers per request.' }),
  limits: httpLimits('5m'),
  tls: HttpTls,
});

export type RaasConfig = z.infer<typeof RaasConfig>;
export type SoapConfig = z.infer<typeof SoapConfig>;

/** The section `syncs.*.source` of kind `workday`. */
export const WorkdayConfig = z.discriminatedUnion('api', [RaasConfig, SoapConfig]);
export type WorkdayConfig = z.infer<typeof WorkdayConfig>;
