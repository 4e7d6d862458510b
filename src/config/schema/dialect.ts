import { z } from 'zod';
import { type FieldName, fieldTable, maxCsvCustomField, maxDirectCustomField } from '../../core/fields.ts';
import { defaultDialect } from '../../core/settings.ts';
import { choiceSentence, must } from '../sentences.ts';
import { text, uniqueList, wholeNumber, writtenDateFormat } from './values.ts';

const search = z.strictObject({
  parameters: z
    .enum(['query', 'body'])
    .default(defaultDialect.search.parameters)
    .meta({ description: 'Where the user search looks for its parameters.', examples: ['body'] }),
  pageSize: wholeNumber(1, 10_000)
    .default(defaultDialect.search.pageSize)
    .meta({
      description: 'Users asked for per page. A platform that gives fewer is noticed and followed.',
      examples: [200],
    }),
});

const upload = z.strictObject({
  encoding: z
    .enum(['multipart', 'json', 'json-base64'])
    .default(defaultDialect.upload.encoding)
    .meta({ description: 'How a provisioning file travels.', examples: ['json-base64'] }),
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
        description: "Where a file's status is read; `{id}` stands for the file's id.",
        examples: ['/os-api/public-api/v1/admin/userFiles/{id}'],
      }),
    done: statusText
      .min(1)
      .default([...defaultDialect.status.done])
      .meta({ description: 'Statuses of a file that is processed. Case does not matter.', examples: [['Processed']] }),
    failed: statusText.default([...defaultDialect.status.failed]).meta({
      description: 'Statuses of a file that is given up. Case does not matter.',
      examples: [['Failed', 'Error']],
    }),
    pending: statusText.default([...defaultDialect.status.pending]).meta({
      description: 'Statuses of a file still in work. Any other status is taken as this, with a warning.',
      examples: [['Processing']],
    }),
  })
  .superRefine(({ done, failed, pending }, ctx) => {
    const seen = new Map<string, string>();
    for (const [list, statuses] of Object.entries({ done, failed, pending })) {
      for (const [i, word] of statuses.entries()) {
        const other = seen.get(word.toLowerCase());
        const message = `stands in ${other} already; a status means one thing`;
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
    .meta({ description: 'Columns of a file: those in use, or all that the contract names.', examples: ['full'] }),
  emptyCell: z
    .enum(['clears', 'keeps'])
    .default(defaultDialect.csv.emptyCell)
    .meta({
      description: 'What the platform does with a blank cell: empties the field, or leaves it.',
      examples: ['keeps'],
    }),
  delimiter: z
    .enum([',', ';', '|', 'tab', '\t'], { error: must('must be one of "," ";" "|" tab') })
    .transform((name) => delimiters[name])
    .prefault(',')
    .meta({ description: 'What stands between two cells.', examples: [';'] }),
  bom: z
    .boolean()
    .default(defaultDialect.csv.bom)
    .meta({ description: 'Begins the file with a byte order mark.', examples: [true] }),
  lineEnd: z
    .enum(['lf', 'crlf'])
    .transform((name) => lineEnds[name])
    .prefault('lf')
    .meta({ description: 'What ends a line.', examples: ['crlf'] }),
  dateFormat: writtenDateFormat()
    .default(defaultDialect.csv.dateFormat)
    .meta({ description: 'How dates are written in a file.', examples: ['dd/MM/yyyy'] }),
});

const customFieldLimit = z
  .strictObject({
    direct: wholeNumber(0, maxDirectCustomField)
      .default(defaultDialect.customFieldLimit.direct)
      .meta({ description: 'Highest custom field that create and update take.', examples: [30] }),
    csv: wholeNumber(0, maxCsvCustomField)
      .default(defaultDialect.customFieldLimit.csv)
      .meta({ description: 'Highest custom field that a file takes.', examples: [30] }),
  })
  .refine(({ direct, csv: inFile }) => direct <= inFile, {
    error: 'takes more custom fields by direct call than by CSV; a file takes at least as many',
    path: ['direct'],
  });

/** The fields that the platform stores and never shows. */
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
        'HTTP statuses by which an upload is told that another file is still processing: a wait, no failure.',
      examples: [[409, 423]],
    }),
  expiresIn: z
    .enum(['seconds', 'milliseconds'])
    .default(defaultDialect.expiresIn)
    .meta({ description: 'Unit of `expires_in` in the answer to a token exchange.', examples: ['milliseconds'] }),
  enableBy: z
    .enum(['U', 'I'])
    .default(defaultDialect.enableBy)
    .meta({ description: 'The row command that enables a disabled user again.', examples: ['I'] }),
  csv: csv.prefault({}).meta({ description: 'How provisioning files look.', examples: [{ delimiter: ';' }] }),
  put: z
    .enum(['merges', 'replaces'])
    .default(defaultDialect.put)
    .meta({
      description: 'What an update by direct call does to fields that it does not name: keeps them, or empties them.',
      examples: ['replaces'],
    }),
  userId: z
    .enum(['id', 'uid', 'identification', 'created'])
    .default(defaultDialect.userId)
    .meta({
      description: "What an update's `userId` is: the user's `id`, `uid` or `identification`, or what create returned.",
      examples: ['uid'],
    }),
  customFieldLimit: customFieldLimit
    .prefault({})
    .meta({ description: 'How many custom fields there are.', examples: [{ csv: 30 }] }),
  mayClear: mayClear.prefault([...defaultDialect.mayClear]).meta({
    description: `Write-only fields (${writeOnlyFields.join(', ')}) that no mapping names and that a write may empty.`,
    examples: [['job', 'seniority']],
  }),
  acceptLanguage: text()
    .default(defaultDialect.acceptLanguage)
    .meta({ description: '`Accept-Language` of requests that need one.', examples: ['es'] }),
});
