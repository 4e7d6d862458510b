import { z } from 'zod';
import { type FieldName, fieldTable, maxCsvCustomField, maxDirectCustomField } from '../../core/person/fields.ts';
import { choiceSentence, must } from '../../core/run/problem-words.ts';
import { defaultDialect, monthLanguages } from '../../core/run/settings.ts';
import { documented, text, uniqueList, wholeNumber, writtenDateFormat } from './values.ts';

const search = z.strictObject({
  parameters: documented(
    z.enum(['query', 'body']).default(defaultDialect.search.parameters),
    'Where the user search expects its parameters.',
    'body',
  ),
  pageSize: documented(
    wholeNumber(1, 10_000).default(defaultDialect.search.pageSize),
    'Users requested per page. A platform that returns fewer is detected, and its page size is used.',
    200,
  ),
  hidden: documented(
    wholeNumber(0, 20).default(0),
    'Accounts that the platform counts in `totalElements` and never lists, such as its own administrator. An account that Rollcall manages is never taken for one of them.',
    1,
  ),
});

const upload = z.strictObject({
  encoding: documented(
    z.enum(['multipart', 'json', 'json-base64']).default(defaultDialect.upload.encoding),
    'Encoding of an uploaded provisioning file.',
    'json-base64',
  ),
  preprocessing: documented(
    z.boolean().default(defaultDialect.upload.preprocessing),
    "Asks the platform to apply its own field mapping to the file's columns.",
    true,
  ),
});

const statusText = uniqueList(text());

const status = z
  .strictObject({
    path: documented(
      z
        .string()
        .regex(/^\/[^?#\s]*\{id\}[^?#\s]*$/, { error: must('must be a path that begins with / and contains {id}') })
        .default(defaultDialect.status.path),
      "Path of a file's status; `{id}` is replaced by the file's id.",
      '/os-api/public-api/v1/admin/userFiles/{id}',
    ),
    done: documented(
      statusText.min(1).default([...defaultDialect.status.done]),
      'Final statuses of a processed file. Case does not matter.',
      ['Processed'],
    ),
    failed: documented(
      statusText.default([...defaultDialect.status.failed]),
      'Final statuses of a failed file. Case does not matter.',
      ['Failed', 'Error'],
    ),
    pending: documented(
      statusText.default([...defaultDialect.status.pending]),
      'Statuses of a pending file. Any other status counts as pending too, with a warning.',
      ['Processing'],
    ),
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
  header: documented(
    z.enum(['used', 'full']).default(defaultDialect.csv.header),
    'Columns of a file: those in use, or all of the contract.',
    'full',
  ),
  emptyCell: documented(
    z.enum(['clears', 'keeps']).default(defaultDialect.csv.emptyCell),
    'What the platform does with a blank cell: clears the field, or keeps it.',
    'keeps',
  ),
  delimiter: documented(
    z
      .enum([',', ';', '|', 'tab', '\t'], { error: must('must be one of "," ";" "|" tab') })
      .transform((name) => delimiters[name])
      .prefault(','),
    'Delimiter between two cells.',
    ';',
  ),
  bom: documented(z.boolean().default(defaultDialect.csv.bom), 'Starts the file with a byte order mark.', true),
  lineEnd: documented(
    z
      .enum(['lf', 'crlf'])
      .transform((name) => lineEnds[name])
      .prefault('lf'),
    'Line end.',
    'crlf',
  ),
  dateFormat: documented(
    writtenDateFormat().default(defaultDialect.csv.dateFormat),
    'Date format in a file.',
    'dd/MM/yyyy',
  ),
});

const customFieldLimit = z
  .strictObject({
    direct: documented(
      wholeNumber(0, maxDirectCustomField).default(defaultDialect.customFieldLimit.direct),
      'Highest custom field number in direct calls.',
      30,
    ),
    csv: documented(
      wholeNumber(0, maxCsvCustomField).default(defaultDialect.customFieldLimit.csv),
      'Highest custom field number in a file.',
      30,
    ),
  })
  .refine(({ direct, csv: inFile }) => direct <= inFile, {
    error: 'is higher than customFieldLimit.csv; a file accepts at least as many custom fields as a direct call',
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
  search: documented(search.prefault({}), 'The user search.', { parameters: 'body' }),
  upload: documented(upload.prefault({}), 'The upload of provisioning files.', { encoding: 'json' }),
  status: documented(status.prefault({}), 'The status of an uploaded file.', { done: ['Processed'] }),
  busyStatuses: documented(
    uniqueList(wholeNumber(400, 599)).default([...defaultDialect.busyStatuses]),
    'HTTP statuses of an upload that mean that another file is still processing. The upload waits and does not fail.',
    [409, 423],
  ),
  refusedStatuses: documented(
    uniqueList(wholeNumber(500, 599)).default([...defaultDialect.refusedStatuses]),
    'Server errors of a write that prove that nothing was applied. The write is sent again later. After any other server error its outcome is unknown.',
    [503],
  ),
  expiresIn: documented(
    z.enum(['seconds', 'milliseconds']).default(defaultDialect.expiresIn),
    'Unit of `expires_in` in the answer to a token exchange.',
    'milliseconds',
  ),
  enableBy: documented(
    z.enum(['U', 'I']).default(defaultDialect.enableBy),
    'The row command that enables a disabled user.',
    'I',
  ),
  csv: documented(csv.prefault({}), 'Format of provisioning files.', { delimiter: ';' }),
  put: documented(
    z.enum(['merges', 'replaces']).default(defaultDialect.put),
    'What an update by direct call does to fields that it does not contain: keeps or clears them.',
    'replaces',
  ),
  rolesToken: documented(
    z.enum(['access', 'application']).default(defaultDialect.rolesToken),
    'The token of the role calls: the `access` token, or the `application` token.',
    'application',
  ),
  userId: documented(
    z.enum(['id', 'uid', 'identification', 'created']).default(defaultDialect.userId),
    "The `userId` of an update: the user's `id`, `uid` or `identification`, or what create returned.",
    'uid',
  ),
  leaders: documented(
    z
      .strictObject({
        main: documented(
          z.enum(['refuses', 'replaces']).default(defaultDialect.leaders.main),
          'What the platform does with a new main leader of a user who has one: refuses the new one, or replaces the old one.',
          'replaces',
        ),
      })
      .prefault({}),
    'The leaders of users.',
    { main: 'replaces' },
  ),
  customFieldLimit: documented(customFieldLimit.prefault({}), 'Number of custom fields.', { csv: 30 }),
  mayClear: documented(
    mayClear.prefault([...defaultDialect.mayClear]),
    `Write-only fields (${writeOnlyFields.join(', ')}) that a write may clear where their value is not known, mapped or not.`,
    ['job', 'seniority'],
  ),
  acceptLanguage: documented(
    text().default(defaultDialect.acceptLanguage),
    '`Accept-Language` of requests that need one.',
    'es',
  ),
  monthNames: documented(
    uniqueList(z.enum(monthLanguages))
      .min(1)
      .default([...defaultDialect.monthNames]),
    'Languages of month names in dates, such as `5 ene. 2021`. A date with another name is not compared.',
    ['en', 'es', 'pt'],
  ),
});
