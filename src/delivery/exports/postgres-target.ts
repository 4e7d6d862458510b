import { type Retry, RollcallError } from '../../core/run/errors.ts';
import type { ColumnType, ExportColumn, ExportTarget } from '../../core/run/exports.ts';
import { tlsTrouble } from '../../drivers/sql/connection-trouble.ts';
import type { ServerPlace } from '../../drivers/sql/database-url.ts';
import type { PostgresWriter } from '../../drivers/sql/postgres.ts';
import { finishFile } from './file-target.ts';

export interface PostgresTargetOptions {
  readonly place: ServerPlace;
  /** `table` or `schema.table`, of lower-case letters, digits and underscores. */
  readonly table: string;
  readonly columns: readonly ExportColumn[];
  /** The columns that name an item. */
  readonly key: readonly string[];
  /** Folder from which relative paths of certificates are resolved. */
  readonly folder: string;
  /** The configuration's key of the url, for messages. */
  readonly urlKey: string;
}

const statementTimeoutMs = 60_000;

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  id: 'bigint',
  text: 'text',
  number: 'double precision',
  flag: 'boolean',
  time: 'timestamptz',
  json: 'jsonb',
};

/**
 * Opens a table of a PostgreSQL database, and creates it when it does not exist. The rows of one step are one statement. A
 * row whose key is there already is not written, so that a step may be repeated.
 */
export function openPostgresTarget(options: PostgresTargetOptions): ExportTarget {
  const { place, columns, key, folder, urlKey } = options;
  const table = quoted(options.table);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const typed = columns.map(({ name, type }) => `${quoted(name)} ${sqlTypes[type]}`).join(', ');
  const create = `create table if not exists ${table} (${typed}, primary key (${key.map(quoted).join(', ')}))`;
  const insert = `insert into ${table} (${names}) select ${names} from jsonb_to_recordset($1::jsonb) as r (${typed}) on conflict do nothing`;
  let writer: PostgresWriter | undefined;
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explain(error, { place: place.name, table: options.table, urlKey });
    }
  };
  return {
    place: `${place.name} (${options.table})`,

    begin: (file, signal) =>
      explained(async () => {
        // It is left from the time when this export wrote files.
        if (file !== undefined) await finishFile(file);
        // The driver is loaded only where it is used.
        const { openPostgresWriter } = await import('../../drivers/sql/postgres.ts');
        writer = await openPostgresWriter(place, { folder, key: urlKey, statementTimeoutMs, signal });
        const [found] = await writer.run('select to_regclass($1) is not null as exists', [table]);
        if (found?.exists !== true) await writer.run(create);
        return undefined;
      }),

    append: (rows) =>
      explained(async () => {
        await writer?.run(insert, [JSON.stringify(rows)]);
        return undefined;
      }),

    finish: async () => {},

    close: async () => {
      await writer?.close();
      writer = undefined;
    },
  };
}

/** Quotes each part of a name. */
function quoted(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/** What to do, by SQLSTATE (PostgreSQL, appendix A), and whether it may be over at the next try. */
const troubles: readonly (readonly [codes: RegExp, advice: string, retry: Retry])[] = [
  [/^(28|3D)/, 'refuses the login, or does not exist: check user, password and database in URL', 'never'],
  [/^42501/, 'forbids to write TABLE: grant select and insert on it, or create on its schema', 'never'],
  [/^(42|22)/, 'has a TABLE with other columns: name another table, or add the missing columns', 'never'],
  [/^53100/, 'has a full disk: free some room. Nothing is lost', 'backoff'],
  [/^/, 'cannot be used: check that it runs and can be reached from here', 'backoff'],
];

function explain(
  error: unknown,
  { place, table, urlKey }: { readonly place: string; readonly table: string; readonly urlKey: string },
): unknown {
  if (error instanceof RollcallError || !(error instanceof Error)) return error;
  const tls = tlsTrouble(error, urlKey);
  const code = 'code' in error ? String(error.code) : '';
  const [, advice = '', retry = 'backoff'] = troubles.find(([codes]) => codes.test(code)) ?? [];
  const what = tls?.advice ?? advice.replace('URL', urlKey).replace('TABLE', `table ${table}`);
  const shown = tls?.shown ?? (/^[A-Z0-9_]{1,40}$/.test(code) ? code : 'no answer');
  return new RollcallError(`the database ${place} ${what} (${shown})`, { code: 'EXPORT_TARGET', retry, cause: error });
}
