import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { tracePerson } from '../../src/app/people.ts';
import { employees, type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

/** The answer about each person, and the step at which it ends. */
async function answers(office: Office, ids: readonly string[]): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const id of ids) {
    const { answer, steps } = await tracePerson(office.app, 'people', id, AbortSignal.timeout(60_000));
    const stops = steps.filter(({ state }) => state === 'stopped' || state === 'partly');
    told[id] = [answer, ...stops.map(({ step, state }) => `${step} ${state}`)].join(' | ');
  }
  return told;
}

it('the answer about a person says what happens and why, and the step that ends it is never passed', async () => {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(20)) },
    sync: {
      delivery: 'csv',
      mapping: { ...plainMapping, lastName: { from: 'last', keepLocalEdits: true } },
      scope: "dept != 'Ops'",
      protected: ['E4'],
      guards: { disables: { absolute: 0, percent: 0 }, creates: { absolute: 50 } },
    },
  });
  await office.applyRows(employees(20).map((row) => ({ ...row, dept: 'Sales' })));
  const rows = employees(23, {
    E2: { first: 'Eva' },
    E3: { status: 'left' },
    E4: { status: 'left' },
    E5: { dept: 'Ops' },
    E7: { status: 'odd' },
    E21: { mail: 'ana.example.com' },
    E23: { last: '' },
  }).map((row): Row => ({ dept: 'Sales', ...row }));
  await office.writeEmployees([...rows.filter(({ id }) => id !== 'E6'), ...rows.filter(({ id }) => id === 'E8')]);
  const userE9 = office.sandbox.state.users.get('E9');
  Object.assign(userE9?.fields ?? {}, { lastName: 'Local' });
  expect(await answers(office, ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E9', 'E21', 'E22', 'E23', 'E99'])).toEqual({
    E1: 'Nothing to change: the employee is active, and the user is up to date',
    E2: 'To be updated: differs in firstName',
    E3: 'To be disabled: left: status is "left"',
    E4: 'Not disabled: the list of protected users forbids the disable | difference stopped',
    E5: 'Not changed: out of scope: no change is made | scope stopped',
    E6: expect.stringMatching(/^Missing from HR: disabled from 2026-11-22 .* UTC at the earliest, after 2 reads$/),
    E7: 'Not changed: line 7: status has a value that is in neither active nor leaver (a word, 3 characters) | scope stopped',
    E9: 'Nothing to change: the employee is active, and the user is up to date; kept as the platform has it: lastName',
    E21: 'Not created: mail in HR, line 21, is not one e-mail address (name@example.com) | mapping stopped',
    E22: 'To be created: new employee',
    E23: 'Not created: last in HR, line 23, is required, but blank | mapping stopped',
    E99: 'Not found: neither HR nor the platform has this identification | conflicts stopped',
  });
  const { run } = await office.apply();
  expect(await answers(office, ['E3'])).toEqual({
    E3: 'Not disabled: needs approval: 1 disable: up to 0 in 24 hours need no approval (20 enabled managed users) | guard stopped',
  });
  await decideRun(office.app, 'reject', run.id, { by: 'ana', ids: ['E3'], reason: 'still here' });
  expect(await answers(office, ['E3'])).toEqual({
    E3: expect.stringMatching(
      /^Not disabled, skipped: you rejected it \(ana at .* UTC: still here\) \| guard stopped$/,
    ),
  });
});

it.each([
  ['a call that is refused', 'direct', 'create:status=409', 'POST .* was answered 409'],
  ['a file that is refused', 'csv', 'upload:refuse-if=Díaz', '403'],
])('%s stops at the platform, not at the step before or after', async (_, delivery, fault, why) => {
  const office = await openOffice({ sync: { delivery, policy: 'upsert-only' } });
  office.setFaults(fault);
  await office.applyRows(employees(1));
  const { answer, steps } = await tracePerson(office.app, 'people', 'E1', AbortSignal.timeout(60_000));
  expect(answer).toMatch(new RegExp(`^Not created: .*(?:${why})`));
  expect(steps.slice(-3).map(({ step, state }) => `${step} ${state}`)).toEqual([
    'batch ok',
    'platform stopped',
    'read-back not-reached',
  ]);
});

it('the source step tells what a record changes that takes effect later', async () => {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(3)) },
    sync: { mapping: { ...plainMapping, area: 'dept' }, prefer: { latest: 'since' } },
  });
  const rows = employees(3).map((row): Row => ({ dept: 'Sales', since: '2026-01-01', ...row }));
  const [first, moves, leaves] = [rows[0], { ...rows[0], dept: 'Finance' }, { ...rows[0], status: 'left' }] as Row[];
  await office.applyRows([...rows, { ...moves, since: '2026-12-01' }, { ...leaves, since: '2027-02-28' }]);
  expect(office.sandbox.state.users.get(first?.id ?? '')?.fields.area).toBe('Sales');
  const { steps } = await tracePerson(office.app, 'people', 'E1', AbortSignal.timeout(60_000));
  expect(steps[0]?.summary).toBe(
    'the source has the person; 5 rows read; from 2026-12-01 on (line 5) area becomes "Finance"; from 2027-02-28 on (line 6) the person leaves',
  );
});
