import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { tracePerson } from '../../src/app/people.ts';
import { findChanges } from '../../src/app/runs.ts';
import type { ChangeClass } from '../../src/core/plan/change.ts';
import { employees, type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const held = { absolute: 0, percent: 0 };
const free = { absolute: 1000, percent: 100 };
const everyone: readonly Row[] = employees(20).map((row) => ({ ...row, area: 'Sales' }));

async function open(guards: Readonly<Record<string, unknown>>): Promise<Office> {
  const mapping = { ...plainMapping, area: 'area' };
  const office = await openOffice({
    sandbox: { people: [...usersOf(everyone)].map((user) => ({ ...user, fields: { ...user.fields, area: 'Sales' } })) },
    sync: { mapping, guards },
  });
  expect((await office.applyRows(everyone)).run.outcome).toBe('nothing-to-do');
  return office;
}

const withFirst = (patch: Row): Row[] => everyone.map((row) => (row.id === 'E1' ? { ...row, ...patch } : row));

/** Runs with this source, and returns the one change of the run: its kind, state, reason and fields. */
async function changeOf(office: Office, rows: readonly Row[]) {
  const { run } = await office.applyRows(rows);
  const changes = await findChanges(office.app, run.id, { limit: 10 });
  expect(changes.length).toBeLessThan(2);
  const [change] = changes;
  return { run, change, state: change?.state, changed: change?.changed, why: change?.stateReason ?? change?.reason };
}

const shown = (office: Office) => office.sandbox.state.users.get('E1')?.fields;
const decide = (office: Office, action: 'approve' | 'reject', run: string, only?: readonly ChangeClass[]) =>
  decideRun(office.app, action, run, { by: 'ana', reason: 'ask first', ...(only === undefined ? {} : { only }) });

describe('a rejected create', () => {
  const newcomer = { id: 'E99', first: 'Noa', last: 'Paz', mail: 'noa@example.com', status: 'active', area: 'Sales' };

  it('stays rejected whatever else changes about the person, and only a reopening brings it back', async () => {
    const office = await open({ creates: held });
    const { run } = await changeOf(office, [...everyone, newcomer]);
    await decide(office, 'reject', run.id);
    for (const area of ['Sales', 'Support', 'Legal']) {
      const next = await changeOf(office, [...everyone, { ...newcomer, area }]);
      expect([next.state, next.why, next.run.counts.held]).toEqual([
        'dropped',
        expect.stringMatching(/^skipped: you rejected it \(ana at \d{4}-\d\d-\d\d \d\d:\d\d UTC: ask first\)$/),
        0,
      ]);
    }
    const { next } = await tracePerson(office.app, 'people', 'E99', AbortSignal.timeout(60_000));
    expect(next).toMatch(/^the create is skipped: you rejected it \(ana at .*: ask first\)\. Only /);
    const last = await changeOf(office, [...everyone, { ...newcomer, area: 'Legal' }]);
    await expect(decide(office, 'approve', last.run.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await decideRun(office.app, 'approve', last.run.id, { by: 'eva', reopens: true });
    const approved = await changeOf(office, [...everyone, { ...newcomer, area: 'Legal' }]);
    expect(approved.state).toBe('applied');
  });
});

describe('a rejected value', () => {
  it('is left out while the rest of the update goes on, which says so', async () => {
    const office = await open({ emailChanges: held, updates: free });
    const first = await changeOf(office, withFirst({ mail: 'new@example.com' }));
    expect(first.state).toBe('held');
    await decide(office, 'reject', first.run.id);
    const both = await changeOf(office, withFirst({ mail: 'new@example.com', area: 'Legal' }));
    expect([both.state, both.changed]).toEqual(['applied', ['area']]);
    expect(both.why).toMatch(/^differs in email, area; without email, rejected by ana at .* UTC: ask first$/);
    expect(shown(office)).toMatchObject({ email: 'ana1@example.com', area: 'Legal' });
    const none = await changeOf(office, withFirst({ mail: 'new@example.com', area: 'Legal' }));
    expect([none.state, none.run.outcome]).toEqual(['dropped', 'nothing-to-do']);
  });

  it('covers the fields of its class alone, and another value is asked about', async () => {
    const office = await open({ emailChanges: held, updates: held });
    const first = await changeOf(office, withFirst({ mail: 'new@example.com', area: 'Legal' }));
    expect(await decide(office, 'reject', first.run.id, ['emailChanges'])).toMatchObject({ changes: 1, reduced: 1 });
    // The rest is no longer what was shown, so a run is requested that asks about it.
    expect(await office.engine.io.store.triggers.waiting()).toMatchObject([{ sync: 'people', kind: 'approval' }]);
    const rest = await changeOf(office, withFirst({ mail: 'new@example.com', area: 'Legal' }));
    expect([rest.state, rest.changed]).toEqual(['held', ['area']]);
    expect(await decide(office, 'reject', rest.run.id)).toMatchObject({ changes: 1, reduced: 0, expiresAt: undefined });
    await decideRun(office.app, 'approve', rest.run.id, { by: 'ana', reopens: true });
    expect((await changeOf(office, withFirst({ mail: 'new@example.com', area: 'Legal' }))).state).toBe('applied');
    const other = await changeOf(office, withFirst({ mail: 'other@example.com', area: 'Legal' }));
    expect([other.state, other.changed]).toEqual(['held', ['email']]);
    // The source asked for something else in between, so the rejection has ended.
    const again = await changeOf(office, withFirst({ mail: 'new@example.com', area: 'Legal' }));
    expect([again.state, again.changed]).toEqual(['held', ['email']]);
  });

  it('keeps the address taken, so that whoever takes it over waits', async () => {
    const office = await open({ emailChanges: held, updates: free });
    const rows = everyone.map((row) => {
      if (row.id === 'E1') return { ...row, mail: 'new@example.com' };
      return row.id === 'E2' ? { ...row, mail: 'ana1@example.com' } : row;
    });
    await office.writeEmployees(rows);
    const { run } = await office.apply();
    expect(run.counts.held).toBe(2);
    await decideRun(office.app, 'reject', run.id, { by: 'ana', ids: ['E1'] });
    await decideRun(office.app, 'approve', run.id, { by: 'ana', ids: ['E2'] });
    await office.writeEmployees(rows.map((row) => (row.id === 'E1' ? { ...row, area: 'Legal' } : row)));
    const { run: next, findings } = await office.apply();
    const changes = await findChanges(office.app, next.id, { limit: 10 });
    expect(changes.map(({ identification, state, changed }) => [identification, state, changed])).toEqual([
      ['E1', 'applied', ['area']],
      ['E2', 'dropped', ['email']],
    ]);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification: 'E2' }));
    expect(office.sandbox.state.users.get('E2')?.fields.email).toBe('ana2@example.com');
  });
});
