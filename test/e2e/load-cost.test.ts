import { expect, it } from 'vitest';
import { loadPeople } from '../../bench/load-people.ts';
import { openOffice } from '../support/office.ts';

const pageSize = 100;

/** Requests of a load of which half are creates and half updates, and the floor: `npm run bench:load` in small. */
async function costOf(changes: number): Promise<{ readonly sent: number; readonly floor: number }> {
  const creates = changes / 2;
  const all = { absolute: 2 * changes, percent: 100 };
  const office = await openOffice({
    sandbox: { people: loadPeople(changes), quirks: { maxPageSize: pageSize }, processingMs: 200 },
    dialect: { search: { pageSize } },
    sync: {
      delivery: 'csv',
      mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', area: 'area' },
      guards: { creates: all, updates: all },
      settle: {},
    },
  });
  const rows = [...loadPeople(changes + creates)].map(({ identification: id, fields }, i) => ({
    id,
    first: fields.firstName ?? '',
    last: fields.lastName ?? '',
    mail: fields.email ?? '',
    area: i < changes - creates ? 'South' : (fields.area ?? ''),
    status: 'active',
  }));
  const { run, batches } = await office.applyRows(rows);
  expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: changes } });
  const sent = Object.values(office.sandbox.state.requests).reduce((sum, count) => sum + count, 0);
  // A scan starts with a search that counts the enabled users.
  const scan = (users: number): number => Math.ceil(users / pageSize) + 1;
  return { sent, floor: scan(changes) + 2 * batches.length + scan(changes + creates) };
}

it('a load costs at most 1.5 times the requests that it needs, and twice the load at most 2.1 times the requests', async () => {
  const small = await costOf(600);
  const large = await costOf(1200);

  expect(small.sent / small.floor).toBeLessThanOrEqual(1.5);
  expect(large.sent / large.floor).toBeLessThanOrEqual(1.5);
  expect(large.sent / small.sent).toBeLessThanOrEqual(2.1);
});
