import { describe, expect, it } from 'vitest';
import { tracePerson } from '../../src/app/people.ts';
import { findChanges } from '../../src/app/runs.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { employees, type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';

const led = { mapping: { ...plainMapping, manager: 'boss', secondaryLeaders: ['second'] } };

/** Six people, led by E1. */
const team = (patch: Readonly<Record<string, Row>> = {}): Row[] =>
  employees(6).map((row) => ({ boss: row.id === 'E1' ? '' : 'E1', second: '', ...row, ...patch[row.id ?? ''] }));

const counts = ({ run: { counts } }: RunReport) => [counts.create, counts.lead, counts.unlead, counts.applied];
const leadersOf = (office: Office, id: string) => {
  const { main, secondary } = office.sandbox.state.leadersOf(id);
  return { main, secondary: [...secondary].sort() };
};
const signal = AbortSignal.timeout(100_000);

function platform(office: Office) {
  const sync = office.engine.io.syncs.get('people');
  if (sync === undefined) throw new Error('the office has no sync');
  return sync.platform;
}

describe('leaders of a sync', () => {
  it('are set in the run that creates the accounts, and the next run reads only the lists of the rolling check', async () => {
    const office = await openOffice({ sync: led });
    const first = await office.applyRows(team());
    expect([first.run.outcome, ...counts(first)]).toEqual(['succeeded', 6, 5, 0, 11]);
    expect(leadersOf(office, 'E3')).toEqual({ main: 'E1', secondary: [] });
    const second = await office.apply();
    expect([second.run.outcome, ...counts(second)]).toEqual(['nothing-to-do', 0, 0, 0, 0]);
    // The rolling check of the five people.
    expect(second.run.requests?.leaders).toBe(5);
  });

  it('are replaced by one change, and secondary leaders of ours come and go', async () => {
    const office = await openOffice({ sync: led });
    await office.applyRows(team({ E5: { second: 'E3' } }));
    expect(leadersOf(office, 'E5')).toEqual({ main: 'E1', secondary: ['E3'] });
    await platform(office).lead('E5', { secondary: ['E6'] }, signal);
    const moved = await office.applyRows(team({ E5: { boss: 'E2', second: 'E4' } }));
    expect([moved.run.outcome, ...counts(moved)]).toEqual(['succeeded', 0, 1, 0, 1]);
    expect(leadersOf(office, 'E5')).toEqual({ main: 'E2', secondary: ['E4', 'E6'] });
    const [change] = await findChanges(office.app, moved.run.id, { limit: 5 });
    expect(change).toMatchObject({
      before: { fields: { mainLeader: 'E1', secondaryLeaders: 'E3, E6' } },
      after: { mainLeader: 'E2', secondaryLeaders: 'E4, E6' },
    });
  });
});

it('one person is told which leaders the platform shows, what holds the change, and what waits', async () => {
  const office = await openOffice({ sync: { ...led, guards: { leads: { absolute: 0, percent: 0 } } } });
  await office.applyRows(team());
  await office.applyAll();
  const held = await office.applyRows(team({ E5: { boss: 'E2' }, E6: { boss: 'E9' } }));
  const moved = await tracePerson(office.app, 'people', 'E5', signal);
  expect(moved.answer).toMatch(/^Not given a leader: needs approval/);
  expect(moved.steps.map(({ step, state }) => `${step} ${state}`)).toContain('guard stopped');
  expect(moved.values.find(({ field }) => field === 'mainLeader')).toMatchObject({ sent: 'E2', platform: 'E1' });
  const waiting = await tracePerson(office.app, 'people', 'E6', signal);
  expect(waiting.answer).toMatch(/^Nothing to change: .*the leader E9 waits since/);
  expect(waiting.values.find(({ field }) => field === 'mainLeader')).toMatchObject({ sent: 'E9', platform: 'E1' });
  // An operator sees a name beside the change.
  const [change] = await findChanges(office.app, held.run.id, { limit: 5 });
  expect(change?.before?.fields).toMatchObject({ firstName: 'Ana5', email: 'ana5@example.com', mainLeader: 'E1' });
});

describe('a run sends few requests for leaders', () => {
  const crowd = employees(20).map((row): Row => ({ ...row, boss: row.id === 'E1' ? '' : 'E1', second: '' }));
  const many = { ...led, guards: { leads: { absolute: 100, percent: 0 } } };
  const moved = crowd.map((row) => (Number(row.id?.slice(1)) > 10 ? { ...row, boss: 'E2' } : row));
  const costs = ({ run }: RunReport) => {
    const { counts, requests } = run;
    return [run.outcome, counts.applied, requests?.leaders];
  };

  it('a list before the first change of an account that was there, the call and a list that proves it', async () => {
    const office = await openOffice({ sync: many, sandbox: { people: usersOf(crowd) } });
    // One more list shows whether lists can be read before the batch is sent.
    expect(costs(await office.applyRows(crowd))).toEqual(['succeeded', 19, 3 * 19 + 1]);
  });

  it('the calls and one list for each later change, and the lists of the rolling check', async () => {
    const office = await openOffice({ sync: many });
    expect(costs(await office.applyRows(crowd))).toEqual(['succeeded', 39, 2 * 19 + 1]);
    expect(costs(await office.applyRows(moved))).toEqual(['succeeded', 10, 19 + 3 * 10 + 1]);
  });
});

it('leaders of accounts that a guard holds wait, and are set in the run that creates the accounts', async () => {
  const office = await openOffice({ sync: { ...led, guards: { creates: { absolute: 2, percent: 0 } } } });
  const held = await office.applyRows(team());
  expect([held.run.outcome, held.run.counts.held, held.run.counts.failed, held.run.counts.applied]).toEqual([
    'held',
    6,
    0,
    0,
  ]);
  const done = await office.applyAll();
  expect([done.run.outcome, done.run.counts.applied, leadersOf(office, 'E3').main]).toEqual(['succeeded', 11, 'E1']);
});
