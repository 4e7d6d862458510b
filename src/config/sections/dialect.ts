import { z } from 'zod';
import { type FieldName, fieldTable, maxCsvCustomField, maxDirectCustomField } from '../../core/person/fields.ts';
import { defaultDialect } from '../../core/run/settings.ts';
import { choiceSentence, must } from '../sentences.ts';
import { text, uniqueList, wholeNumber, writtenDateFormat } from './values.ts';

const search = z.strictObject({
  parameters: z
    .enum(['query', 'body'])
    .default(defaultDialect.search.parameters)
    .meta({ description: 'Where the user search expects its parameters.', examples: ['body'] }),
  pageSize: wholeNumber(1, 10_000)
    .default(defaultDialect.search.pageSize)
    .meta({
      description: 'Users requested per page. A platform that returns fewer is detected, and its page size is used.',
      examples: [200],
    }),
});

const upload = z.strictObject({
  encoding: z
    .enum(['multipart', 'json', 'json-base64'])
    .default(defaultDialect.upload.encoding)
    .meta({ description: 'Encoding of an uploaded provisioning file.', examples: ['json-base64'] }),
  preprocessing: z
    .boolean()
    .default(defaultDialect.upload.preprocessing)
    .meta({ description: "Asks the platform to apply its own field mapping to the file's columns.", examples: [true] }),
});

const statusText = uniqueList(text());

const status = z
  .strictObject({
    path: z
      .string()
      .regex(/^\/[^?#\s]*\{id\}[^?#\s]*$/, { error: must('must be a path that begins with / and holds {id}') })
      .default(defaultDialect.status.path)
      .meta({
        description: "Path of a file's status; `{id}` is replaced by the file's id.",
        examples: ['/os-api/public-api/v1/admin/userFiles/{id}'],
      }),
    done: statusText
      .min(1)
      .default([...defaultDialect.status.done])
      .meta({ description: 'Final statuses of a processed file. Case does not matter.', examples: [['Processed']] }),
    failed: statusText.default([...defaultDialect.status.failed]).meta({
      description: 'Final statuses of a failed file. Case does not matter.',
      examples: [['Failed', 'Error']],
    }),
    pending: statusText.default([...defaultDialect.status.pending]).meta({
      description: 'Statuses of a pending file. Any other status counts as pending too, with a warning.',
      examples: [['Processing']],
    }),
  })
  .superRefine(({ done, failed, pending }, ctx) => {
    const seen = new Map<string, string>();
    for (const [list, statuses] of Object.entries({ done, failed, pending })) {
      for (const [i, word] of statuses.entries()) {
        const other = seen.get(word.toLowerCase());
        const message = `is also listed in ${other}; a status can mean only one thing`;
        if (other !== undefined && other !== list) ctx.addIssue({ code: 'custom', path: [list, i], message });
        seen.set(word.toLowerCase(), list);
      }
    }
  });

const delimiters = { ',': ',', ';': ';', '|': '|', tab: '\t', '\t': '\t' } as const;
const lineEnds = { lf: '\n', crlf: '\r\n' } as const;

const csv = z.strictObject({
  header: z
    .enum(['used', 'full'])
    .default(defaultDialect.csv.header)
    .meta({ description: 'Columns of a file: those in use, or all of the contract.', examples: ['full'] }),
  emptyCell: z
    .enum(['clears', 'keeps'])
    .default(defaultDialect.csv.emptyCell)
    .meta({
      description: 'What the platform does with a blank cell: clears the field, or keeps it.',
      examples: ['keeps'],
    }),
  delimiter: z
    .enum([',', ';', '|', 'tab', '\t'], { error: must('must be one of "," ";" "|" tab') })
    .transform((name) => delimiters[name])
    .prefault(',')
    .meta({ description: 'Delimiter between two cells.', examples: [';'] }),
  bom: z
    .boolean()
    .default(defaultDialect.csv.bom)
    .meta({ description: 'Starts the file with a byte order mark.', examples: [true] }),
  lineEnd: z
    .enum(['lf', 'crlf'])
    .transform((name) => lineEnds[name])
    .prefault('lf')
    .meta({ description: 'Line end.', examples: ['crlf'] }),
  dateFormat: writtenDateFormat()
    .default(defaultDialect.csv.dateFormat)
    .meta({ description: 'Date format in a file.', examples: ['dd/MM/yyyy'] }),
});

const customFieldLimit = z
  .strictObject({
    direct: wholeNumber(0, maxDirectCustomField)
      .default(defaultDialect.customFieldLimit.direct)
      .meta({ description: 'Highest custom field number in direct calls.', examples: [30] }),
    csv: wholeNumber(0, maxCsvCustomField)
      .default(defaultDialect.customFieldLimit.csv)
      .meta({ description: 'Highest custom field number in a file.', examples: [30] }),
  })
  .refine(({ direct, csv: inFile }) => direct <= inFile, {
    error: 'allows more custom fields by direct call than by CSV; a file accepts at least as many',
    path: ['direct'],
  });

/** The fields that the platform stores and never returns. */
export const writeOnlyFields: readonly FieldName[] = fieldTable
  .filter((field) => !field.isReadable)
  .map(({ name }) => name);

const mayClear = uniqueList(
  z.string().refine((name) => writeOnlyFields.some((field) => field === name), {
    error: (issue) => choiceSentence(issue.input, writeOnlyFields),
  }),
).transform((names) => names as FieldName[]);

/** `connections.<name>.dialect`: core/settings `Dialect`. */
export const dialect = z.strictObject({
  search: search.prefault({}).meta({ description: 'The user search.', examples: [{ parameters: 'body' }] }),
  upload: upload
    .prefault({})
    .meta({ description: 'The upload of provisioning files.', examples: [{ encoding: 'json' }] }),
  status: status
    .prefault({})
    .meta({ description: 'The status of an uploaded file.', examples: [{ done: ['Processed'] }] }),
  busyStatuses: uniqueList(wholeNumber(400, 599))
    .default([...defaultDialect.busyStatuses])
    .meta({
      description:
        'HTTP statuses of an upload that mean that another file is still processing. The upload waits and does not fail.',
      examples: [[409, 423]],
    }),
  refusedStatuses: uniqueList(wholeNumber(500, 599))
    .default([...defaultDialect.refusedStatuses])
    .meta({
      description:
        'Server errors of a write that prove that nothing was applied. The write is sent again later. After any other server error its outcome is unknown.',
      examples: [[503]],
    }),
  expiresIn: z
    .enum(['seconds', 'milliseconds'])
    .default(defaultDialect.expiresIn)
    .meta({ description: 'Unit of `expires_in` in the answer to a token exchange.', examples: ['milliseconds'] }),
  enableBy: z
    .enum(['U', 'I'])
    .default(defaultDialect.enableBy)
    .meta({ description: 'The row command that enables a disabled user.', examples: ['I'] }),
  csv: csv.prefault({}).meta({ description: 'Format of provisioning files.', examples: [{ delimiter: ';' }] }),
  put: z
    .enum(['merges', 'replaces'])
    .default(defaultDialect.put)
    .meta({
      description: 'What an update by direct call does to fields that it does not contain: keeps or clears them.',
      examples: ['replaces'],
    }),
  rolesToken: z
    .enum(['access', 'application'])
    .default(defaultDialect.rolesToken)
    .meta({
      description:
        'The token of the role calls: the `access` token, or the `application` token, from which the platform may take the community.',
      examples: ['application'],
    }),
  userId: z
    .enum(['id', 'uid', 'identification', 'created'])
    .default(defaultDialect.userId)
    .meta({
      description: "The `userId` of an update: the user's `id`, `uid` or `identification`, or what create returned.",
      examples: ['uid'],
    }),
  customFieldLimit: customFieldLimit
    .prefault({})
    .meta({ description: 'Number of custom fields.', examples: [{ csv: 30 }] }),
  mayClear: mayClear.prefault([...defaultDialect.mayClear]).meta({
    description: `Unmapped write-only fields (${writeOnlyFields.join(', ')}) that a write may clear.`,
    examples: [['job', 'seniority']],
  }),
  acceptLanguage: text()
    .default(defaultDialect.acceptLanguage)
    .meta({ description: '`Accept-Language` of requests that need one.', examples: ['es'] }),
});
