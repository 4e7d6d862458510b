import { describe, expect, it } from 'vitest';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import {
  account,
  decided,
  guards,
  only,
  openPlanScene,
  type PlanScene,
  type PlanSceneOptions,
  row,
} from '../plan-scene.ts';

const mail = (email: string, over: Readonly<Record<string, unknown>> = {}) => ({ email, ...over });
const deltas: Partial<SyncSettings> = { deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } };

/** A scene after a full read of employees whose accounts are as wanted: they are ours, and deltas may begin. */
async function afterFirst(options: PlanSceneOptions): Promise<PlanScene> {
  const scene = await openPlanScene(options);
  await scene.plan();
  scene.events.length = 0;
  scene.calls.scan = 0;
  return scene;
}

describe('users that are as wanted', () => {
  const records = [row('a1'), row('b2'), row('c3')];
  const users = [account('a1'), account('b2'), account('x9')];

  it('and ours need no decision; others become ours first', async () => {
    const scene = await openPlanScene({ records, users });
    const first = await scene.plan();
    expect(first.plan.facts).toMatchObject({ platformUsers: 3, unchanged: 2, unmanaged: 1, managedUsers: 0 });
    expect(first.kinds).toEqual({ c3: 'create' });
    expect([decided(scene), await scene.store.ledger.get('acme', 'a1')]).toMatchObject([3, { accountId: '9a1' }]);
    scene.events.length = 0;
    const second = await scene.plan();
    expect(second.plan.facts).toMatchObject({ platformUsers: 3, unchanged: 2, unmanaged: 1, managedUsers: 2 });
    expect([second.kinds, decided(scene)]).toEqual([{ c3: 'create' }, 1]);
  });

  it('count as unchanged with an account, else as out of scope or without an account, so that the parts are the rows', async () => {
    const gone = { status: 'left' };
    const scene = await openPlanScene({
      records: [
        ...records,
        row('d4', gone),
        row('e5', gone),
        row('f6', gone),
        row('g7', { type: 'guest' }),
        row('h8', { status: 'odd' }),
      ],
      users: [...users, account('e5', { enabled: false }), account('f6'), account('h8')],
    });
    const counted = async (): Promise<unknown> => {
      const { plan, kinds } = await scene.plan();
      const { sourceRows, unchanged, outOfScope, noAccount, blocked } = plan.facts;
      return [kinds, sourceRows, [unchanged, outOfScope, noAccount], blocked];
    };
    const blocked = { 'status-unknown': 1 };
    expect(await counted()).toEqual([{ c3: 'create', f6: 'disable' }, 8, [3, 1, 1], blocked]);
    scene.users.set('f6', account('f6', { enabled: false }));
    expect(await counted()).toEqual([{ c3: 'create' }, 8, [4, 1, 1], blocked]);
  });
});

it('a user of nobody is disabled where a person decided that, by a full read alone', async () => {
  const scene = await afterFirst({ records: [row('b2')], users: [account('b2'), account('x1')] });
  const place = { sync: 'people', connection: 'acme' };
  const said = { id: 'audit_1', at: 1, by: 'ana', reason: 'left', action: 'decide-accounts', ...place } as const;
  const decision = { way: 'disable', identification: 'x1', accountId: '9x1', ...place } as const;
  await scene.store.standing.add(decision, { ...said, run: undefined, detail: undefined });
  expect((await scene.plan(only('b2'))).kinds).toEqual({});
  expect((await scene.plan()).kinds).toEqual({ x1: 'disable' });
});

describe('an e-mail that a user has and another employee is to get', () => {
  const wanted = row('a1', mail('ana@x.com'));
  const holder = (over = {}) => account('z9', { ...over, fields: { email: 'ANA@x.com' } });

  it('of a user in no record may be a rename: nothing is created', async () => {
    const scene = await openPlanScene({ records: [wanted, row('b2')], users: [holder()] });
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ b2: 'create' }, ['rename-conflict a1']]);
    expect(scene.message(planned, 'rename-conflict')).toBe(
      'a1 (line of a1) has the e-mail of user z9, which may be a rename. Neither is changed. Correct one identification, or run "rollcall adopt people a1"',
    );
    expect(planned.plan.facts.unmanaged).toBe(1);
  });

  it.each([
    { name: 'another name', leaver: { status: 'left', first: 'Zoe' }, user: {}, kinds: { z9: 'disable held' } },
    { name: 'a disabled account', leaver: { status: 'left', first: 'Zoe' }, user: { enabled: false }, kinds: {} },
    { name: 'no place in the scope', leaver: { status: 'left', type: 'guest' }, user: {}, kinds: {} },
    { name: 'a later first day', leaver: { hired: '2099-01-01' }, user: {}, kinds: {} },
    { name: 'a record that cannot be used', leaver: { status: 'odd' }, user: {}, kinds: {} },
  ])('of an employee with $name waits; that one is decided by their own record', async ({ leaver, user, kinds }) => {
    const scene = await openPlanScene({ records: [wanted, row('z9', leaver)], users: [holder(user)] });
    const planned = await scene.plan();
    expect(planned.kinds).toEqual(kinds);
    expect(planned.findings).toContain('email-conflict a1');
    expect(planned.findings).not.toContain('email-conflict z9');
    expect(scene.message(planned, 'email-conflict')).toBe(
      'a1 (line of a1) needs the e-mail of user z9, who keeps it. Give one of them another e-mail, or remove the user',
    );
  });
});

describe('named people', () => {
  const records = [row('a1', mail('ana@x.com')), row('b2'), row('c3')];
  const users = [account('a1', { fields: { email: 'ana@x.com' } }), account('b2'), account('c3')];

  it('are looked up one by one, without a scan, when no e-mail is new', async () => {
    const scene = await afterFirst({ records, users });
    scene.users.set('b2', account('b2', { fields: { area: 'Old' } }));
    scene.script.find = () => {
      scene.clock.jumpTo(scene.clock.now() + 5);
      return undefined;
    };
    const planned = await scene.plan(only('a1', 'b2'));
    expect([planned.kinds, scene.calls.scan, scene.asked]).toEqual([{ b2: 'update' }, 0, ['a1', 'b2']]);
    expect(scene.events.filter(({ step }) => step === 'scanning')).toEqual([
      { step: 'scanning', users: 0, total: undefined },
      { step: 'scanning', users: 1, total: 2 },
      { step: 'scanning', users: 2, total: 2 },
    ]);
    expect(planned.plan).toMatchObject({ facts: { platformUsers: 2, unchanged: 1 }, delivery: { lookTookMs: 10 } });
  });
});

describe('named people before the first full read', () => {
  const z9 = account('z9', { fields: { email: 'ana@x.com' } });

  it('are protected by what others claim, of whom nothing is said', async () => {
    const records = [row('a1', mail('ana@x.com')), row('z9', { status: 'left', first: 'Zoe' }), row('b2')];
    const scene = await openPlanScene({ records, users: [z9, account('b2', { fields: { area: 'Old' } })] });
    expect((await scene.plan(only('z9', 'b2'))).kinds).toEqual({ b2: 'update', z9: 'disable held' });
    const other = await openPlanScene({ records, users: [z9] });
    expect((await other.plan(only('a1'))).findings).toEqual(['email-conflict a1']);
  });

  it('hear nothing of conflicts between others', async () => {
    const records = [row('a1', mail('ana@x.com')), row('z9', { status: 'left' }), row('b2', { area: 'X' })];
    const scene = await openPlanScene({ records, users: [z9, account('b2')] });
    const planned = await scene.plan(only('b2'));
    expect([planned.kinds, planned.findings]).toEqual([{ b2: 'update' }, []]);
  });

  it('are decided about however equal they are', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2')], users: [account('a1'), account('b2')] });
    expect((await scene.plan(only('b2'))).plan.facts.unchanged).toBe(1);
    expect(decided(scene)).toBe(1);
  });
});

describe('the share of users that guards allow', () => {
  const ids = Array.from({ length: 12 }, (_, i) => `p${String(i).padStart(2, '0')}`);
  const half = { absolute: 0, percent: 25, cap: undefined };
  const guarded = (name: 'disables') => guards({ [name]: half });
  const left = (count: number) => ids.map((id, i) => row(id, i < count ? { status: 'left' } : {}));

  it.each([
    { leavers: 2, disabled: 4, state: 'disable' },
    { leavers: 3, disabled: 4, state: 'disable held' },
    { leavers: 3, disabled: 0, state: 'disable' },
    { leavers: 4, disabled: 0, state: 'disable held' },
    // A delta does not show who is disabled on the platform.
    { leavers: 3, disabled: 4, state: 'disable', isDelta: true },
  ])('is one of enabled users that are ours: $leavers of 12 with $disabled disabled', async (given) => {
    const settings = { ...guarded('disables'), ...(given.isDelta ? deltas : {}) };
    const users = [...ids.map((id) => account(id)), account('x1'), account('x2'), account('x3'), account('x4')];
    const scene = await afterFirst({ records: ids.map((id) => row(id)), users, settings });
    scene.source.changed = left(given.leavers);
    for (const id of ids.slice(-given.disabled || ids.length)) scene.users.set(id, account(id, { enabled: false }));
    scene.source.records = left(given.leavers);
    const { kinds } = await scene.plan();
    expect(new Set(ids.slice(0, given.leavers).map((id) => kinds[id]))).toEqual(new Set([given.state]));
  });
});

describe('who changed since the last read', () => {
  it('are looked up alone', async () => {
    const records = [row('a1'), row('b2'), row('c3')];
    const scene = await afterFirst({
      records,
      users: records.map(({ fields }) => account(`${fields.id}`)),
      settings: deltas,
    });
    scene.clock.jumpTo(scene.clock.now() + 3_600_000);
    scene.source.changed = [row('b2', { area: 'X' })];
    const planned = await scene.plan();
    expect(planned.plan.read).toMatchObject({ kind: 'delta' });
    expect([planned.kinds, scene.asked, scene.calls.scan]).toEqual([{ b2: 'update' }, ['b2'], 0]);
    expect(scene.source.requests.at(-1)).toEqual({ kind: 'delta', since: '2026-11-21T11:59:00.000Z' });
  });
});
