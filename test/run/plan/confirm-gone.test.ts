import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { account, only, openPlanScene, type PlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

const names = ['a1', 'b2', 'c3'];
const left = (id: string, over = {}) => row(id, { status: 'left', ...over });
const guest = (id: string) => row(id, { type: 'guest' });

/** After a clean full read, a delta shows some records; asked again, the source has others. */
async function delta(
  changed: readonly SourceRecord[],
  again: readonly SourceRecord[],
  options: Partial<PlanSceneOptions> = {},
): Promise<PlanScene> {
  const scene = await openPlanScene({
    records: names.map((id) => row(id)),
    users: names.map((id) => account(id)),
    ...options,
    settings: { deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 }, ...options.settings },
  });
  await scene.plan();
  scene.source.changed = changed;
  scene.source.records = again;
  scene.source.requests.length = 0;
  return scene;
}

const points = ({ source }: PlanScene) =>
  source.requests.flatMap((request) => (request.kind === 'point' ? [request.identifications] : []));

describe('employees who are gone by a delta', () => {
  it('are disabled when the source, asked for them by name, says so too', async () => {
    const scene = await delta([left('a1'), row('b2', { area: 'X' })], [left('a1'), row('b2')]);
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ a1: 'disable', b2: 'update' }, []]);
    expect(points(scene)).toEqual([['a1']]);
    expect(planned.plan.facts.postponed).toBe(0);
  });

  it.each<{ name: string; again: readonly SourceRecord[]; why: string }>([
    { name: 'unknown', again: [row('b2')], why: 'does not know the person' },
    {
      name: 'there twice',
      again: [left('a1'), row('a1')],
      why: 'has 2 records of the person, which contradict each other',
    },
    {
      name: 'written in other letters',
      again: [left('A1')],
      why: 'has the person with another spelling of the identification',
    },
    { name: 'active', again: [row('a1')], why: 'no longer reports the person as gone' },
    { name: 'of no known status', again: [row('a1', { status: 'odd' })], why: 'no longer reports the person as gone' },
  ])('are left as they are when that answer is: $name', async ({ again, why }) => {
    const scene = await delta([left('a1'), left('c3')], [...again, left('c3')]);
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ c3: 'disable' }, ['gone-unconfirmed a1']]);
    expect(scene.message(planned, 'gone-unconfirmed')).toContain(
      `but a lookup did not confirm it: the source ${why}. The user is not changed`,
    );
    expect(planned.plan.facts.postponed).toBe(1);
    expect(points(scene)).toEqual([['a1', 'c3']]);
  });

  it('are left as they are when that answer is not complete', async () => {
    const scene = await delta([left('a1')], [left('a1')]);
    const { read } = scene.sync.source;
    let isAgain = false;
    Object.assign(scene.sync.source, {
      async *read(...given: Parameters<typeof read>) {
        if (given[0].kind !== 'point') return yield* read(...given);
        isAgain = true;
        yield* read(...given);
        return { complete: false, rows: 1, reasons: ['it timed out'] };
      },
    });
    const planned = await scene.plan();
    expect([isAgain, planned.kinds]).toEqual([true, {}]);
    expect(scene.message(planned, 'gone-unconfirmed')).toContain('the source did not answer the lookup completely.');
  });

  it('are confirmed beside records that name nobody or others', async () => {
    const scene = await delta([left('a1')], [left('a1')]);
    const { read } = scene.sync.source;
    Object.assign(scene.sync.source, {
      async *read(...given: Parameters<typeof read>) {
        if (given[0].kind === 'point') yield { records: [row(''), left('zoe')], broken: [] };
        return yield* read(...given);
      },
    });
    expect((await scene.plan()).kinds).toEqual({ a1: 'disable' });
  });

  it('are left as they are when their record cannot be used', async () => {
    const scope = '$number(grade) < 5';
    const scene = await delta([left('a1', { grade: 1 })], [row('a1', { grade: 'x' })], {
      records: names.map((id) => row(id, { grade: 1 })),
      settings: { scope },
    });
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({});
    expect(scene.message(planned, 'gone-unconfirmed')).toContain('the source has a record that cannot be used.');
  });

  it('leave no read open when their records cannot be mapped', async () => {
    const scene = await delta([left('a1')], [left('a1')]);
    const { mapping } = scene.sync;
    let calls = 0;
    const map: typeof mapping.map = (...given) => {
      calls += 1;
      if (calls > 1) throw new Error('the expression fails');
      return mapping.map(...given);
    };
    Object.assign(scene.sync, { mapping: { ...mapping, map } });
    await expect(scene.plan()).rejects.toThrow('the expression fails');
    expect(scene.source.stopped).toBe(1);
  });

  it('are found among all when the source cannot be asked by name', async () => {
    const scene = await delta([left('a1')], [left('a1'), row('b2')]);
    Object.assign(scene.sync, { mapping: { ...scene.sync.mapping, identificationField: undefined } });
    expect((await scene.plan()).kinds).toEqual({ a1: 'disable' });
    expect(scene.source.requests.map(({ kind }) => kind)).toEqual(['delta', 'full']);
  });
});

describe('the source is asked once more', () => {
  const remove = { afterMs: 30 * 86_400_000, blacklist: false };

  it.each<{ name: string; record: SourceRecord; settings?: PlanSceneOptions['settings']; isDisabled?: boolean }>([
    {
      name: 'an employee out of scope who will be disabled',
      record: guest('a1'),
      settings: { outOfScope: 'disable' },
    },
    { name: 'a leaver who may be removed', record: left('a1'), settings: { remove }, isDisabled: true },
    { name: 'a leaver', record: left('a1') },
  ])('about $name', async ({ record, settings = {}, isDisabled = false }) => {
    const scene = await delta([record], [record], { settings });
    if (isDisabled) scene.users.set('a1', account('a1', { enabled: false }));
    await scene.plan();
    expect(points(scene)).toEqual([['a1']]);
  });

  it.each<{
    name: string;
    changed: readonly SourceRecord[];
    settings?: PlanSceneOptions['settings'];
    user?: 'none' | 'off';
  }>([
    { name: 'an employee out of scope who is ignored', changed: [guest('a1')] },
    {
      name: 'a leaver out of scope who is ignored',
      changed: [row('a1', { status: 'left', type: 'guest' })],
    },
    { name: 'a leaver who is disabled already', changed: [left('a1')], user: 'off' },
    { name: 'a leaver who has no account', changed: [left('a1')], user: 'none' },
    { name: 'two records that contradict each other', changed: [left('a1'), row('a1')] },
    { name: 'an active employee', changed: [row('a1', { area: 'X' })] },
  ])('not about $name', async ({ changed, settings = {}, user }) => {
    const scene = await delta(changed, [row('a1')], { settings });
    if (user === 'off') scene.users.set('a1', account('a1', { enabled: false }));
    if (user === 'none') scene.users.delete('a1');
    await scene.plan();
    expect(scene.source.requests.map(({ kind }) => kind)).toEqual(['delta']);
  });

  it('not about leavers of a full read, or of one about them', async () => {
    const scene = await openPlanScene({ records: [left('a1')], users: [account('a1')] });
    expect((await scene.plan()).kinds).toEqual({ a1: 'disable' });
    await scene.plan(only('a1'));
    expect(scene.source.requests).toHaveLength(2);
  });
});
