import { defineKind } from '../kit/kind.ts';
import { SqlConfig } from './config.ts';
import { readSql, readSqlColumns } from './read.ts';

/** A query on the HR system's own database: PostgreSQL, MySQL, MariaDB or an SQLite file. */
export const sql = defineKind({
  kind: 'sql',
  title: 'a query on a PostgreSQL, MySQL, MariaDB or SQLite database',
  capabilities: { delta: false, point: true, terminated: 'configurable', future: 'configurable' },
  config: SqlConfig,
  folder: import.meta.dirname,
  isHttp: false,
  open: (config, { folder }) => ({
    // The query that does not show a person in one snapshot does not show them by their key either.
    looksUp: () => false,
    read: (request, io) => readSql(config, folder, request, io),
    fields: (io) => readSqlColumns(config, folder, io),
  }),
});
