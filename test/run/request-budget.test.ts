import { expect, it } from 'vitest';
import { renderBudget } from '../../src/cli/render/counts.ts';
import { totalOf } from '../../src/core/run/requests.ts';
import { drawFrom } from '../support/drawn.ts';
import { type Office, type OfficeOptions, openOffice, type Row } from '../support/office.ts';

const person = (n: number, fields: Row = {}): Row => ({
  id: `U${n}`,
  first: `Ana${n}`,
  last: 'Díaz',
  mail: `u${n}@example.com`,
  status: 'active',
  ...fields,
});
const people = (from: number, to: number, fields: Row = {}): Row[] =>
  Array.from({ length: to - from + 1 }, (_, i) => person(from + i, fields));
const seeds = (count: number) => [
  ...people(1, count).map(
    ({ id: identification = '', first: firstName = '', last: lastName = '', mail: email = '' }) => ({
      identification,
      enabled: true,
      fields: { firstName, lastName, email },
    }),
  ),
];
const open = { absolute: 10_000, percent: 100 };
const guards = { creates: open, updates: open, disables: open, removes: open, enables: open, emailChanges: open };

/** An office with so many users, pages of 50 and files of 100 rows. */
async function officeOf(users: number, sync: OfficeOptions['sync'] = {}, checkpoint?: OfficeOptions['checkpoint']) {
  return openOffice({
    sandbox: { people: seeds(users), quirks: { maxPageSize: 50 } },
    dialect: { search: { pageSize: 50 } },
    sync: { delivery: 'csv', batchRows: 100, guards, ...sync },
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
}

const sentBy = ({ sandbox }: Office): number =>
  Object.values(sandbox.state.requests).reduce((sum, count) => sum + count, 0);

const cases: readonly (readonly [string, number, OfficeOptions['sync'], readonly Row[]])[] = [
  ['nothing to change', 120, {}, people(1, 120)],
  ['one file of updates', 300, {}, [...people(1, 80, { first: 'Bo' }), ...people(81, 300)]],
  ['many files, half creates', 500, {}, [...people(1, 250, { first: 'Bo' }), ...people(251, 750)]],
  ['few updates in a large directory', 2000, {}, [...people(1, 60, { first: 'Bo' }), ...people(61, 2000)]],
  ['few direct creates and updates', 100, { delivery: 'auto' }, [...people(1, 5, { first: 'Bo' }), ...people(6, 108)]],
  ['leavers', 150, {}, [...people(1, 20, { status: 'left' }), ...people(21, 150)]],
  [
    'e-mails that move from one to the next',
    100,
    {},
    [
      person(1, { mail: 'new@example.com' }),
      person(2, { mail: 'u1@example.com' }),
      person(3, { mail: 'u2@example.com' }),
      ...people(4, 100),
    ],
  ],
  ['lookups that are never young enough', 300, { settle: { every: '2s', lookWithin: '0s' } }, people(1, 500)],
  ['files of few rows', 100, { batchRows: 20 }, people(1, 400)],
  ['a proof after each file', 300, { settle: { every: '2s', proofWithin: '0s' } }, people(1, 500)],
];

it.each(drawFrom(cases, 2))(
  'a run sends about as many requests as the plan showed: %s',
  async (_, users, sync, rows) => {
    const office = await officeOf(users, sync);
    await office.writeEmployees(rows);
    const shown = await office.plan();
    const { budget } = shown.facts;
    if (budget === undefined) throw new Error('the plan has no budget');
    const before = sentBy(office);
    const { run, batches } = await office.apply();
    const sent = sentBy(office) - before;

    expect(run.outcome).toBe(rows.length === 120 ? 'nothing-to-do' : 'succeeded');
    expect(totalOf(run.requests)).toBe(sent);
    // Each user of a small run counts as read before its change, which a disable does not need.
    expect(Math.abs(budget.requests - sent)).toBeLessThanOrEqual(sent * 0.3 + 22);
    expect(budget.files).toBe(batches.filter(({ kind }) => kind === 'csv').length);
    expect(run.plan?.budget).toEqual(budget);
  },
);

it('held changes have a budget of their own', async () => {
  const office = await officeOf(200, { guards: { ...guards, creates: { absolute: 5, percent: 1 } } });
  await office.writeEmployees([...people(1, 10, { first: 'Bo' }), ...people(11, 400)]);
  const { facts, digest } = await office.plan();
  const [budget, withHeld] = [facts.budget, facts.budgetWithHeld];

  expect(budget?.files).toBe(1);
  expect(withHeld?.files).toBe(3);
  const before = sentBy(office);
  await office.apply({ approve: digest });
  expect(sentBy(office) - before).toBeLessThanOrEqual((withHeld?.requests ?? 0) * 1.3);
  expect(withHeld && renderBudget(withHeld)).toMatch(/^3 files, about \d+ requests, 1 s at 1,000\/s$/);
});

it('two syncs that work at once on one connection each know their own requests', async () => {
  const office = await openOffice({
    sandbox: { people: seeds(100), quirks: { maxPageSize: 50 } },
    dialect: { search: { pageSize: 50 } },
    limits: { concurrency: 1 },
    sync: { delivery: 'csv', guards },
    syncs: {
      others: {
        connection: 'acme',
        source: { kind: 'csv', path: './others.csv', complete: 'stable' },
        policy: 'sync',
        mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
        lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
        guards,
      },
    },
  });
  await office.writeEmployees([...people(1, 40, { first: 'Bo' })]);
  await office.writeEmployees(people(41, 100), 'others.csv');
  const before = sentBy(office);
  const [{ run: one }, { run: other }] = await Promise.all([office.apply(), office.apply({ sync: 'others' })]);

  expect(totalOf(one.requests) + totalOf(other.requests)).toBe(sentBy(office) - before);
  expect(one.requests.upload).toBe(1);
  expect(other.requests).toEqual({ scan: 4 });
});
