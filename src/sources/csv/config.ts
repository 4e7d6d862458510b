import { z } from 'zod';
import { text } from '../kit/http/settings.ts';
import { Https, S3, Sftp } from './places/config.ts';

/** The encodings of the WHATWG Encoding Standard that a program writes on purpose, the usual ones first. */
export const csvEncodings = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'windows-1251', 'windows-1254'],
  ...['iso-8859-15', 'iso-8859-2', 'windows-1253', 'windows-1255', 'windows-1256', 'windows-1257', 'windows-1258'],
  ...['macintosh', 'x-mac-cyrillic', 'koi8-r', 'koi8-u', 'ibm866', 'windows-874', 'iso-8859-3', 'iso-8859-4'],
  ...['iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-8', 'iso-8859-8-i', 'iso-8859-10', 'iso-8859-13'],
  ...['iso-8859-14', 'iso-8859-16', 'gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'iso-2022-jp', 'euc-kr'],
] as const;
export type CsvEncoding = (typeof csvEncodings)[number];

/** Returns the name of the standard for any label of it: `latin1` is windows-1252. Leaves other values alone. */
function standardName(label: unknown): unknown {
  try {
    return typeof label === 'string' ? new TextDecoder(label).encoding : label;
  } catch {
    return label;
  }
}

const compressions = ['none', 'gzip', 'zip'] as const;
export type Compression = (typeof compressions)[number];

const oneCharacter = z
  .string()
  .refine(
    (text) => text.length === 1 && !/[\r\n]/.test(text) && text.charCodeAt(0) < 128,
    'must be one ASCII character',
  );

const places = ['path', 'sftp', 'https', 's3'] as const;

/** The section `syncs.*.source` of kind `csv`. */
export const CsvConfig = z
  .strictObject({
    kind: z.literal('csv'),
    path: text()
      .optional()
      .meta({
        description:
          'The file. A relative path is resolved from the folder of the configuration file. A `*` in its name stands for any characters: the newest such file is read.',
        examples: ['./employees.csv', './drop/employees-*.csv.gz'],
      }),
    sftp: Sftp.optional().meta({ description: 'Instead of `path`: a file on an SFTP server.' }),
    https: Https.optional().meta({ description: 'Instead of `path`: a file behind an https address.' }),
    s3: S3.optional().meta({ description: 'Instead of `path`: an object of an S3 or S3-compatible bucket.' }),
    newest: z
      .enum(['name', 'time'])
      .default('name')
      .meta({ description: 'With a `*`: which file is the newest, the last by name or the one written last.' }),
    all: z.boolean().default(false).meta({
      description:
        'With a `*`: read the newest file of each kind together, as one list. Files are of one kind if their names differ only in dates and numbers.',
    }),
    compression: z
      .enum(compressions)
      .optional()
      .meta({ description: 'Compression of the file. Default: by the extension `.gz` or `.zip`.' }),
    items: text()
      .optional()
      .meta({
        description:
          'Path of the list of people in a JSON file. `.` is the file itself: a list, or one object on each line.',
        examples: ['data.employees', '.'],
      }),
    complete: z.enum(['stable', 'marker', 'trailer']).default('stable').meta({
      description: 'What proves that the file is complete: it no longer changes, a marker file, or its last record.',
    }),
    delimiter: z
      .preprocess((value) => (value === 'tab' || value === '\\t' ? '\t' : value), oneCharacter)
      .optional()
      .meta({ description: 'Default: found in the header line among `,` `;` `tab` and `|`.', examples: [';', 'tab'] }),
    encoding: z
      .preprocess(
        standardName,
        z
          .string()
          .refine(
            (name) => csvEncodings.some((known) => known === name),
            'must be an encoding of the WHATWG standard: utf-8, windows-1252, windows-1250, iso-8859-2, …',
          )
          .transform((name) => name as CsvEncoding),
      )
      .optional()
      .meta({
        description:
          'An encoding of the WHATWG standard, by any of its names (`latin1`, `cp1250`). Default: UTF-8. A byte order mark takes precedence.',
        examples: ['windows-1252', 'windows-1250'],
      }),
    skipLines: z.int().min(0).max(1000).default(0).meta({
      description: 'Number of lines to skip above the header, such as a report title.',
    }),
    skipFooter: z.int().min(0).max(100).default(0).meta({
      description:
        'Rows at the end that are no people: a total, a note. Each has a value in at most half of the columns; a row with more counts as a person.',
    }),
    quote: z
      .union([z.literal('none'), oneCharacter])
      .default('"')
      .meta({ description: 'Quote character of cells; `none` for files without quotes.' }),
    escape: z.enum(['quote', 'backslash']).default('quote').meta({
      description:
        'The character that escapes a quote inside a quoted cell: another quote, or a backslash (MySQL, PHP, Spark). A backslash also escapes a delimiter, a line end and a backslash.',
    }),
    marker: text()
      .optional()
      .meta({
        description:
          '`complete: marker` only: a file, address or key written after the data. Default: that of the file with `.done` at its end.',
        examples: ['./employees.ok'],
      }),
    trailer: text()
      .optional()
      .meta({
        description:
          '`complete: trailer` only: how the last record begins. `T` is `T;1234`, `#rows=` is `#rows=1234`. Default `T`.',
        examples: ['T', '#rows='],
      }),
  })
  .superRefine((config, context) => {
    const named = places.filter((key) => config[key] !== undefined);
    if (named.length === 0) {
      context.addIssue({ code: 'custom', path: ['path'], message: 'is required (or one of sftp, https, s3 instead)' });
    }
    for (const key of named.slice(1)) {
      context.addIssue({
        code: 'custom',
        path: [key],
        message: `cannot be combined with ${named[0]}: only one place is read`,
      });
    }
    for (const key of ['marker', 'trailer'] as const) {
      if (config[key] !== undefined && config.complete !== key) {
        context.addIssue({ code: 'custom', path: [key], message: `is only used with complete: ${key}` });
      }
    }
    if (config.all && !(config.path ?? config.sftp?.path ?? config.s3?.key ?? '').includes('*')) {
      context.addIssue({ code: 'custom', path: ['all'], message: 'is only read with a * in the name of the file' });
    }
    if (config.delimiter !== undefined && config.delimiter === config.quote) {
      context.addIssue({ code: 'custom', path: ['quote'], message: 'must differ from the delimiter' });
    }
  });

export type CsvConfig = z.infer<typeof CsvConfig>;
