import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';

/**
 * Lists the statements outside a transaction, and the beginnings of transactions, of stores that are opened from now on
 * in this test.
 */
export function listTransactions(): string[] {
  const seen: string[] = [];
  const { prepare } = Sqlite.prototype;
  onTestFinished(() => {
    Sqlite.prototype.prepare = prepare;
  });
  Sqlite.prototype.prepare = function (this: Sqlite.Database, sql: string) {
    const statement = prepare.call(this, sql);
    for (const name of ['run', 'all'] as const) {
      const execute: (...values: unknown[]) => unknown = statement[name].bind(statement) as never;
      statement[name] = ((...values: unknown[]) => {
        if (!this.inTransaction) seen.push(sql);
        return execute(...values);
      }) as never;
    }
    return statement;
  } as typeof prepare;
  return seen;
}
