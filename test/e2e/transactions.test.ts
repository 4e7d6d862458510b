import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { employees, openOffice, usersOf } from '../support/office.ts';

const ofTime = ['update "leases" set "until_at"', 'select "store_identity"'];

/**
 * Lists the statements outside a transaction, and the beginnings of transactions, of stores that are opened from now on
 * in this test. Renewals of leases depend on the time alone, and the proof of the store goes with each of them.
 */
function listTransactions(): string[] {
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
        if (!this.inTransaction && !ofTime.some((begin) => sql.startsWith(begin))) seen.push(sql);
        return execute(...values);
      }) as never;
    }
    return statement;
  } as typeof prepare;
  return seen;
}

it('a small run takes few transactions, and each further poll of its file three more', async () => {
  const seen = listTransactions();
  const office = await openOffice({
    sandbox: { people: usersOf(employees(60)) },
    sync: { delivery: 'csv' },
  });
  const transactionsOf = async (rows: Parameters<typeof office.applyRows>[0]) => {
    seen.length = 0;
    const { run, batches } = await office.applyRows(rows);
    return { outcome: run.outcome, polls: batches[0]?.polls ?? 0, count: seen.length };
  };
  await transactionsOf(employees(60));
  const quiet = await transactionsOf(employees(60));
  expect(quiet.outcome).toBe('nothing-to-do');
  expect(quiet.count, seen.join('\n')).toBeLessThanOrEqual(24);
  const rows = employees(60, { E3: { last: 'Paz' }, E7: { last: 'Sol' }, E9: { last: 'Mar' } });
  const { outcome, polls, count } = await transactionsOf(rows);
  expect(outcome).toBe('succeeded');
  // 44, and on a slow machine a renewal of the file's lease.
  expect(count - 3 * (polls - 1), seen.join('\n')).toBeLessThanOrEqual(46);
});
