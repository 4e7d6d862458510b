import { z } from 'zod';
import { parseDatabaseUrl } from '../../drivers/sql/database-url.ts';
import { durationText, text } from '../kit/http/settings.ts';
import { readStatement } from './statement.ts';

/** Highest number of records on a page of any source. */
const mostRows = 1_000;

/**
 * The section `syncs.*.source` of kind `sql`. Relative paths are resolved from the folder of the configuration file.
 */
export const SqlConfig = z
  .strictObject({
    kind: z.literal('sql'),
    url: text().meta({
      description:
        'The database: `postgres://`, `mysql://` (MariaDB too) or `sqlite:PATH`. A server takes `?sslmode=` disable, ' +
        'require, verify-ca or verify-full (the default; on this machine disable), and `sslrootcert`, `sslcert`, `sslkey` with paths of PEM files.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
      examples: ['${env:HR_DATABASE_URL}', 'sqlite:./hr.db'],
    }),
    query: text()
      .optional()
      .meta({
        description: 'One select that returns a row for each employee, leavers included. Its columns are the fields.',
        examples: ['select employee_id, first_name, last_name, work_email, status from hr.employees'],
      }),
    queryFile: text()
      .optional()
      .meta({ description: 'A file that holds the query, instead of `query`.', examples: ['./employees.sql'] }),
    key: text().meta({
      description: 'The column that identifies an employee: never null, never twice.',
      examples: ['employee_id'],
    }),
    statementTimeout: durationText('1s', '24h', '5m').meta({
      description: 'Timeout of a statement.',
      examples: ['5m'],
    }),
    fetchRows: z
      .int()
      .min(1)
      .max(mostRows)
      .default(mostRows)
      .meta({ description: 'Rows held in memory at a time.', examples: [mostRows] }),
  })
  .superRefine(({ url, query, queryFile }, context) => {
    const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if ((query === undefined) === (queryFile === undefined)) refuse('query', 'or queryFile is required, but not both');
    const place = parseDatabaseUrl(url);
    if ('problem' in place) refuse('url', place.problem);
    else if (query !== undefined) {
      const statement = readStatement(query, place.dialect);
      if ('problem' in statement) refuse('query', statement.problem);
    }
  });

export type SqlConfig = z.infer<typeof SqlConfig>;
