import type { SqlDialect } from './database-url.ts';

interface Dialect {
  readonly name: (column: string) => string;
  readonly text: (column: string) => string;
  /** Compares byte by byte, because a collation may treat `a` and `A` as equal. */
  readonly bytes: (column: string) => string;
}

const doubleQuoted = (column: string): string => `"${column.replaceAll('"', '""')}"`;

const dialects: Readonly<Record<SqlDialect, Dialect>> = {
  postgres: {
    name: doubleQuoted,
    text: (column) => `${column}::text`,
    bytes: (column) => `${column}::text`,
  },
  mysql: {
    name: (column) => `\`${column.replaceAll('`', '``')}\``,
    text: (column) => `cast(${column} as char)`,
    bytes: (column) => `cast(${column} as binary)`,
  },
  sqlite: {
    name: doubleQuoted,
    text: (column) => `cast(${column} as text)`,
    bytes: (column) => `cast(${column} as blob)`,
  },
};

/** The statements around a query. The query is never parsed: it is used in parentheses, as a table. */
export function sqlWords(dialect: SqlDialect, query: string) {
  const { name, text, bytes } = dialects[dialect];
  // The query has its own lines, because it may end with a comment.
  const all = `(\n${query}\n) as rollcall_rows`;
  return {
    /** Returns the columns and no row. */
    noRows: `select * from ${all} limit 0`,
    /** Returns one row of three numbers: rows, rows with a key, distinct keys. */
    count: (key: string) => `select count(*), count(${name(key)}), count(distinct ${bytes(name(key))}) from ${all}`,
    /** Returns rows in order of the key: all, or those whose column is one of some texts. */
    rows(key: string, named: { readonly column: string; readonly isAmong: string } | undefined) {
      const column = named === undefined ? '' : `trim(${text(name(named.column))})`;
      const where = named === undefined ? '' : `where ${column} ${named.isAmong} or lower(${column}) ${named.isAmong} `;
      return `select * from ${all} ${where}order by ${name(key)}`;
    },
  };
}

/**
 * Returns possible spellings of an identification: unchanged, in lower case, and in composed and decomposed Unicode.
 */
export function spellings(identifications: readonly string[]): readonly string[] {
  const all = identifications.flatMap((asked) => {
    const text = asked.trim();
    return [text, text.toLowerCase()].flatMap((cased) => [cased, cased.normalize('NFC'), cased.normalize('NFD')]);
  });
  return [...new Set(all)];
}
