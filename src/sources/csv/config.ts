import { z } from 'zod';
import { text } from '../kit/http/settings.ts';
import { Https, S3, Sftp } from './places/config.ts';

export const csvEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'macintosh'] as const;
export type CsvEncoding = (typeof csvEncodings)[number];

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
    compression: z
      .enum(compressions)
      .optional()
      .meta({ description: 'How the file is packed. Default: by the end of its name, `.gz` or `.zip`.' }),
    complete: z.enum(['stable', 'marker', 'trailer']).default('stable').meta({
      description: 'What proves that the file is complete: it no longer changes, a marker file, or its last record.',
    }),
    delimiter: z
      .preprocess((value) => (value === 'tab' || value === '\\t' ? '\t' : value), oneCharacter)
      .optional()
      .meta({ description: 'Default: found in the header line among `,` `;` `tab` and `|`.', examples: [';', 'tab'] }),
    encoding: z
      .enum(csvEncodings)
      .optional()
      .meta({ description: 'Default: by the byte order mark, else strict UTF-8.' }),
    quote: z
      .union([z.literal('none'), oneCharacter])
      .default('"')
      .meta({ description: 'Quote character of cells; `none` for files without quotes.' }),
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
        context.addIssue({ code: 'custom', path: [key], message: `is only read with complete: ${key}` });
      }
    }
    if (config.delimiter !== undefined && config.delimiter === config.quote) {
      context.addIssue({ code: 'custom', path: ['quote'], message: 'must differ from the delimiter' });
    }
  });

export type CsvConfig = z.infer<typeof CsvConfig>;

/** Every key of the section. */
export const csvKeys: readonly string[] = Object.keys(CsvConfig.shape);
