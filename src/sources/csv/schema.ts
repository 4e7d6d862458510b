import { z } from 'zod';

export const csvEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'macintosh'] as const;
export type CsvEncoding = (typeof csvEncodings)[number];

const oneCharacter = z
  .string()
  .refine(
    (text) => text.length === 1 && !/[\r\n]/.test(text) && text.charCodeAt(0) < 128,
    'must be one ASCII character',
  );

/** `syncs.*.source` of kind `csv`. Paths are meant from the folder of the configuration file. */
export const CsvConfig = z
  .strictObject({
    kind: z.literal('csv'),
    /** The file with one employee per row, and a header. */
    path: z.string().min(1),
    /** What proves that the file is whole: it stands still (`stable`), a marker file, or its last record. */
    complete: z.enum(['stable', 'marker', 'trailer']).default('stable'),
    /** Default: found in the header line among `,` `;` tab and `|`. */
    delimiter: z.preprocess((value) => (value === 'tab' || value === '\\t' ? '\t' : value), oneCharacter).optional(),
    /** Default: by the byte order mark, else strict UTF-8. */
    encoding: z.enum(csvEncodings).optional(),
    /** Default `"`; `none` for files that do not quote. */
    quote: z.union([z.literal('none'), oneCharacter]).default('"'),
    /** `complete: marker` only. Default: the path with `.done` at its end. */
    marker: z.string().min(1).optional(),
    /** `complete: trailer` only: how the last record begins. `T` is `T;1234`, `#rows=` is `#rows=1234`. Default `T`. */
    trailer: z.string().min(1).optional(),
  })
  .superRefine((config, context) => {
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
