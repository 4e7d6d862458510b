import { expect, it } from 'vitest';
import { listTransactions } from '../support/listed-transactions.ts';
import { employees, openOffice, usersOf } from '../support/office.ts';

const ofTime = ['update "leases" set "until_at"', 'select "store_identity"'];

/** Renewals of leases depend on the time alone, and the proof of the store goes with each of them. */
const isOfTime = (sql: string) => ofTime.some((begin) => sql.startsWith(begin));

it('a small run takes few transactions, and each further poll of its file three more', async () => {
  const seen = listTransactions();
  const office = await openOffice({
    sandbox: { people: usersOf(employees(60)) },
    sync: { delivery: 'csv' },
  });
  const transactionsOf = async (rows: Parameters<typeof office.applyRows>[0]) => {
    seen.length = 0;
    const { run, batches } = await office.applyRows(rows);
    return { outcome: run.outcome, polls: batches[0]?.polls ?? 0, count: seen.filter((sql) => !isOfTime(sql)).length };
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
