import { expect, it } from 'vitest';
import { SqliteConnection } from '../src/store/sqlite-connection.ts';
import { employees, openOffice, usersOf } from './support/office.ts';

it('traces', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(10)) }, sync: { delivery: 'csv' } });
  await office.writeEmployees(employees(10));
  await office.apply();
  await office.writeEmployees(employees(11, { E2: { last: 'Nuñez' }, E3: { status: 'left' } }));
  const proto = SqliteConnection.prototype as unknown as { execute: (q: { sql: string }) => unknown };
  const old = proto.execute;
  const seen = new Map<string, number>();
  const order: string[] = [];
  let all = 0;
  Error.stackTraceLimit = 60;
  proto.execute = function (this: { inTransaction: boolean }, query) {
    const sql = query.sql;
    const isTx = this.inTransaction;
    if (!isTx || /^begin/i.test(sql)) {
      all += 1;
      const stack = (new Error().stack ?? '').split('\n').map((l) => /(?:at (?:async )?(\S+).*)\/src\/(run|store|work|app|main|watch)\/([\w/.-]+):(\d+)/.exec(l)).filter((m) => m !== null).map((m) => `${m[2]}/${m[3]}:${m[4]}`);
      const where = stack.filter((s) => !/database|sqlite|row-writer|plan-access/.test(s)).slice(0, 3).join(' < ');
      const key = `${where} | ${sql.slice(0, 60)}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      order.push(key);
    }
    return old.call(this, query);
  };
  const { run } = await office.apply();
  proto.execute = old;
  expect(run.outcome).toBe('succeeded');
  console.log('ALL', all);
  for (const line of order) console.log(line);
});
