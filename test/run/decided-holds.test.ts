import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { describeHold } from '../../src/app/changes/decide-hold.ts';
import { findHolds } from '../../src/app/holds.ts';
import { findChanges } from '../../src/app/runs.ts';
import { employees, type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';

const held = { absolute: 0, percent: 0, cap: 0 };
const staff = employees(30);
const leaving = (count: number): Row[] => staff.map((row, i) => (i < count ? { ...row, status: 'left' } : row));

async function open(guards: Readonly<Record<string, unknown>>): Promise<Office> {
  const office = await openOffice({ sandbox: { people: usersOf(staff) }, sync: { guards, mapping: plainMapping } });
  expect((await office.applyRows(staff)).run.outcome).toBe('nothing-to-do');
  return office;
}

const namesOf = async (office: Office, run: string, state: string) =>
  (await findChanges(office.app, run, { limit: 100 }))
    .filter((change) => change.state === state)
    .map(({ identification }) => identification);

describe('an approval of an old run', () => {
  it('leaves to a newer run what that one holds, as the list of holds shows them', async () => {
    const office = await open({ disables: held });
    const { run: old } = await office.applyRows(leaving(5));
    const { run: newer } = await office.apply({ users: ['E1', 'E2'] });
    const { holds } = await findHolds(office.app, { limit: 10 });
    expect(holds.map(({ hold, waiting }) => [hold.run, waiting])).toEqual([
      [old.id, 3],
      [newer.id, 2],
    ]);
    expect(await decideRun(office.app, 'approve', old.id, { by: 'ana' })).toMatchObject({ changes: 3 });
    const { run } = await office.apply();
    expect(await namesOf(office, run.id, 'applied')).toEqual(['E3', 'E4', 'E5']);
    expect(await namesOf(office, run.id, 'held')).toEqual(['E1', 'E2']);
  });

  it('brings back no rejected change that a newer run shows with other values', async () => {
    const office = await open({ creates: held });
    const newcomer = { id: 'E99', first: 'Noa', last: 'Paz', mail: 'noa@example.com', status: 'active' };
    const { run: first } = await office.applyRows([...staff, newcomer]);
    await decideRun(office.app, 'reject', first.id, { by: 'ana' });
    const { run: old } = await office.apply();
    const { run: newer } = await office.applyRows([...staff, { ...newcomer, last: 'Sosa' }]);
    await expect(decideRun(office.app, 'approve', old.id, { by: 'eva', reopens: true })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect((await office.apply()).run.plan?.rejected).toBe(1);
    await decideRun(office.app, 'approve', newer.id, { by: 'eva', reopens: true });
    expect((await office.apply()).run.counts).toMatchObject({ create: 1, applied: 1 });
  });

  it('accepts no doubted read when a newer one is doubted too', async () => {
    const office = await open({});
    const { run: old } = await office.applyRows(staff.slice(0, 20));
    const { run: newer } = await office.applyRows(staff.slice(0, 12));
    await expect(decideRun(office.app, 'approve', old.id, { by: 'ana' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await decideRun(office.app, 'approve', newer.id, { by: 'ana' });
    expect((await office.engine.io.store.reads.last('people'))?.rows).toBe(12);
  });
});

describe('a hold that was decided', () => {
  it('lists whom it held, what was decided about each, by whom and why, and what became of it', async () => {
    const office = await open({ disables: held });
    const { run } = await office.applyRows(leaving(4));
    await decideRun(office.app, 'approve', run.id, { by: 'ana', reason: 'checked', ids: ['E1', 'E2'] });
    await decideRun(office.app, 'reject', run.id, { by: 'eva', reason: 'on leave', ids: ['E3', 'E4'] });
    const { run: later } = await office.apply();
    const [hold] = await office.engine.io.store.holds.ofRun(run.id);
    const { hold: facts, waiting, kinds } = await describeHold(office.app, hold?.id ?? '');
    expect([facts.state, waiting, kinds.total]).toEqual(['decided', 0, 4]);
    const query = { filter: {}, sort: 'identification', isDescending: false, offset: 0, limit: 10 } as const;
    const { changes, total } = await office.app.changes.search({ kind: 'hold', id: facts.id }, query);
    expect(total).toBe(4);
    expect(
      changes.map(({ change, decision }) => [
        change.identification,
        decision?.state,
        decision?.by,
        decision?.why,
        decision?.run,
        decision?.end,
      ]),
    ).toEqual([
      ['E1', 'approved', 'ana', 'checked', later.id, 'applied'],
      ['E2', 'approved', 'ana', 'checked', later.id, 'applied'],
      ['E3', 'rejected', 'eva', 'on leave', undefined, undefined],
      ['E4', 'rejected', 'eva', 'on leave', undefined, undefined],
    ]);
  });
});

it('a held create that carries a rejected e-mail waits in the list, and goes only when it is reopened', async () => {
  const office = await open({ emailChanges: held });
  const moved = staff.map((row) => (row.id === 'E1' ? { ...row, mail: 'new@example.com' } : row));
  const { run } = await office.applyRows(moved);
  await decideRun(office.app, 'reject', run.id, { by: 'ana', reason: 'ask first' });
  // An administrator deletes the account.
  const { platform } = office.engine.io.syncs.get('people') ?? expect.fail('the sync is configured');
  await platform.remove('E1', { blacklist: false }, AbortSignal.timeout(10_000));
  const { run: created } = await office.apply();
  expect(created.counts).toMatchObject({ create: 1, held: 1 });
  expect((await findHolds(office.app, { limit: 10 })).holds.map(({ waiting }) => waiting)).toEqual([1]);
  await expect(decideRun(office.app, 'approve', created.id, { by: 'eva' })).rejects.toThrow('--reopen');
  const order = { by: 'eva', reopens: true };
  expect(await decideRun(office.app, 'approve', created.id, order)).toMatchObject({ changes: 1 });
  expect((await office.apply()).run.counts).toMatchObject({ create: 1, applied: 1 });
});

it.each([
  ['shortly before a freeze', 0],
  ['during a freeze', 20],
])('an approval %s is valid for 24 hours after the freeze, whatever runs meanwhile', async (_, atHour) => {
  const hourMs = 3_600_000;
  const staff = employees(20);
  const office = await openOffice({
    sandbox: { people: usersOf(staff) },
    sync: {
      freeze: { cron: '0 18 * * 6', for: '60h', timezone: 'UTC' },
      guards: { disables: { absolute: 0, percent: 0 } },
    },
  });
  await office.applyRows(staff);
  const { run } = await office.applyRows(staff.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row)));
  office.clock.jump(atHour * hourMs);
  const end = Date.UTC(2026, 10, 24, 6);
  const frozenUntil = atHour === 0 ? undefined : end;
  const verdict = await decideRun(office.app, 'approve', run.id, { by: 'ana' });
  expect(verdict).toMatchObject({ changes: 1, expiresAt: end + 24 * hourMs, frozenUntil });
  office.clock.jump(Date.UTC(2026, 10, 23) - office.clock.now());
  expect((await office.apply()).run).toMatchObject({
    counts: { held: 0, applied: 0 },
    plan: { frozen: { count: 1 } },
  });
  office.clock.jump(end + 20 * hourMs - office.clock.now());
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
});
