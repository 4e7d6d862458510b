import { z } from 'zod';
import { durationText, HttpAuth, HttpLimits, HttpTls, HttpUrl, text } from '../kit/http/settings.ts';
import { employmentStatuses } from '../kit/status.ts';
import { BodyTemplate, FieldSettings, Joins, listKeys, path, Query, ReadySettings } from './list-config.ts';
import { presetKeys, presetNames } from './presets.ts';

const presence = (meaning: string) =>
  z
    .enum(['always', 'configurable', 'unknown', 'never'])
    .default('unknown')
    .meta({ description: `${meaning}.` });

const StatusSettings = z
  .strictObject({
    from: path('Path of the raw status. Without it, the status is derived only from the dates.', 'status').optional(),
    map: z
      .record(z.string(), z.enum(employmentStatuses))
      .default({})
      .meta({ description: 'Meaning of each raw status, ignoring case. Others are `unknown` and cause no change.' }),
    hireDate: path('First day of work. Before it an active person is `prehire`.', 'start_date').optional(),
    terminationDate: path('Last day of work. After it a person is `terminated`.', 'end_date').optional(),
  })
  .refine(({ from, terminationDate }) => from !== undefined || terminationDate !== undefined, {
    message: 'needs from or terminationDate',
  })
  .meta({ description: 'Derives the field `rollcallStatus`.' });
export type StatusSettings = z.infer<typeof StatusSettings>;

const Lookup = z.strictObject({
  query: Query.optional().meta({ description: 'Parameters, with `{value}`.', examples: [{ email: '{value}' }] }),
  path: text()
    .optional()
    .meta({
      description: 'Path of one person, with `{value}`. A 404 means that the person does not exist.',
      examples: ['/v1/people/{value}'],
    }),
});
export type Lookup = z.infer<typeof Lookup>;

const DeltaSettings = z.strictObject({
  query: Query.meta({ description: 'Parameters, with `{since}`.', examples: [{ modified_after: '{since}' }] }),
  format: z.enum(['iso', 'date', 'epoch-seconds', 'epoch-ms']).default('iso').meta({
    description:
      'Format of the instant. A `date` starts two days earlier, so that time zones and inclusive limits do not matter.',
  }),
  overlap: durationText('0s', '366d', '5m').meta({
    description: 'Overlap with the previous read, for clock differences and late changes.',
  }),
});
export type DeltaSettings = z.infer<typeof DeltaSettings>;

const PartSettings = z
  .strictObject({
    query: Query.meta({
      description:
        'Parameters of each part: with `{part}`, or with `{from}` and `{to}` (its last day) or `{until}` (the day after it).',
      examples: [{ company: '{part}' }],
    }),
    of: z
      .array(text())
      .min(1)
      .optional()
      .meta({ description: 'Names of the parts: companies, locations.', examples: [['AT', 'CH']] }),
    windows: z
      .strictObject({
        from: z.iso.date('must be a date: 1990-01-01').meta({ description: 'The earliest possible first day.' }),
        days: z.int().min(1).max(36_600).default(365).meta({ description: 'How many days a part has.' }),
        ahead: durationText('0s', '36500d', '365d').meta({
          description: 'How far beyond today the parts go, for future hires.',
        }),
      })
      .optional()
      .meta({ description: 'Parts by windows of days.' }),
  })
  .refine(({ of, windows }) => (of === undefined) !== (windows === undefined), 'needs either of or windows');
export type PartSettings = z.infer<typeof PartSettings>;

const keys = {
  kind: z.literal('rest'),
  preset: z
    .union([z.enum(presetNames), text()])
    .refine((preset) => presetKeys(preset) !== undefined, {
      message: `must be one of ${presetNames.join(', ')}, or a YAML file with keys of this section: \${file:hr.yaml}`,
    })
    .optional()
    .meta({
      description:
        'An HR system whose settings are known, or a file with settings of your own. Other keys override it; null removes a key.',
      examples: ['rippling', `\${file:hr.yaml}`],
    }),
  baseUrl: HttpUrl.meta({ description: 'Where the API is.', examples: ['https://hr.example.com/api'] }),
  method: z.enum(['GET', 'POST']).default('GET').meta({ description: 'HTTP method of the list request.' }),
  headers: z
    .record(z.string().toLowerCase(), z.string())
    .default({})
    .meta({ description: 'Headers of every request.' }),
  body: BodyTemplate.optional().meta({ description: 'JSON body of a POST.' }),
  ...listKeys,
  end: z
    .strictObject({
      statuses: z
        .array(z.int().min(201).max(499))
        .default([])
        .meta({ description: 'Statuses of an answer.', examples: [[204]] }),
      emptyObject: z.boolean().default(false).meta({ description: 'Whether `{}` is such a sign.' }),
      nullList: z
        .boolean()
        .default(false)
        .meta({ description: 'Whether null instead of the list means that no further page exists.' }),
    })
    .prefault({})
    .meta({
      description: 'Other signs that there is no further page: a status (204, 404), or `{}`. Never on the first page.',
    }),
  auth: HttpAuth,
  tls: HttpTls,
  limits: HttpLimits,
  fields: z
    .record(z.string(), FieldSettings)
    .default({})
    .meta({ description: 'New names, plain dates, and picks from lists.' }),
  hidden: path(
    'Path of the names of fields that the credentials may not see, in the answer or in the record.',
    '_restricted',
  ).optional(),
  expect: z.array(text()).default([]).meta({ description: 'Required fields: one that no record has holds the run.' }),
  status: StatusSettings.optional(),
  join: Joins.optional().meta({
    description: 'One or more lists whose records belong to employees, or to which employees refer.',
  }),
  ready: ReadySettings.optional().meta({
    description: 'Endpoint where the HR system reports whether its data is complete.',
  }),
  point: z.record(z.string(), Lookup).default({}).meta({ description: 'By field: how to look up one person.' }),
  parts: PartSettings.optional().meta({
    description: 'For lists that the API returns only in parts. All parts are read, one after the other.',
  }),
  delta: DeltaSettings.optional().meta({ description: 'How to read only changed employees.' }),
  holds: z
    .strictObject({ terminated: presence('People who left'), future: presence('People hired for later') })
    .prefault({})
    .meta({ description: 'Whether a full read includes people who left, and future hires.' }),
};

const required = ['baseUrl', 'path', 'items', 'key', 'paging', 'auth'] as const;
const { baseUrl, path: listPath, items, key, paging, auth, ...rest } = keys;

/**
 * The section `syncs.*.source` of kind `rest`, with its preset filled in. Required keys are checked here, because a
 * preset may set them.
 */
export const RestConfig = z
  .strictObject({
    ...rest,
    baseUrl: baseUrl.optional(),
    path: listPath.optional(),
    items: items.optional(),
    key: key.optional(),
    paging: paging.optional(),
    auth: auth.optional(),
  })
  .transform((config, context) => {
    const { baseUrl, path, items, key, paging, auth } = config;
    if (config.body !== undefined && config.method === 'GET') {
      context.addIssue({ code: 'custom', path: ['body'], message: 'is only sent with method: POST' });
    }
    if (paging?.style === 'page-in-body' && config.method === 'GET') {
      context.addIssue({ code: 'custom', path: ['method'], message: 'must be POST with paging.style: page-in-body' });
    }
    if (paging !== undefined && 'lastPage' in paging && paging.lastPage === 'total' && config.total === undefined) {
      context.addIssue({ code: 'custom', path: ['total'], message: 'is required with paging.lastPage: total' });
    }
    for (const name of required) {
      if (config[name] === undefined) context.addIssue({ code: 'custom', path: [name], message: 'is required' });
    }
    if (
      baseUrl === undefined ||
      path === undefined ||
      items === undefined ||
      key === undefined ||
      paging === undefined ||
      auth === undefined
    ) {
      return z.NEVER;
    }
    return { ...config, baseUrl, path, items, key, paging, auth };
  });

export type RestConfig = z.infer<typeof RestConfig>;
