import { describe, expect, it } from 'vitest';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { applierOf } from '../../../src/run/judge/count-changes.ts';
import { approve, dayMs } from '../../contracts/store-samples.ts';
import { account, guards, only, openPlanScene, type PlanScene, row, unlimited } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };
const odd = { status: 'odd' };
const left = { status: 'left' };
const complete = (rows: number, stamp: string) => ({ complete: true, rows, evidence: 'all', stamp }) as const;

/** Three employees whose accounts are ours and as wanted. */
async function settled(settings: Partial<SyncSettings>): Promise<PlanScene> {
  const names = ['a1', 'b2', 'c3'];
  const scene = await openPlanScene({
    records: names.map((id) => row(id)),
    users: names.map((id) => account(id)),
    settings: { missing: { afterReads: 1, minAgeMs: 0 }, ...settings },
  });
  await scene.plan();
  scene.places.length = 0;
  return scene;
}

describe('a plan that no guard doubts', () => {
  it('has a verdict without reasons, and its read is the reference for later ones', async () => {
    const scene = await settled(guards({}));
    scene.source.records = [row('a1'), row('b2', { area: 'X' }), row('c3', odd)];
    scene.source.end = complete(3, 's2');
    const { plan, run, kinds, changes } = await scene.plan();
    expect(kinds).toEqual({ b2: 'update' });
    expect(plan.verdict).toStrictEqual({ holds: [], fields: [], areMissesHeld: false });
    expect(plan.facts).not.toHaveProperty('doubt');
    expect(plan.facts.rejected).toBe(0);
    expect(changes.map(({ stateReason }) => stateReason)).toEqual([undefined]);
    expect(await scene.store.reads.last('people')).toEqual({
      sync: 'people',
      run: run.id,
      at: scene.clock.now(),
      rows: 3,
      stamp: 's2',
      fillRates: expect.objectContaining({ area: 1 }),
      visibility: expect.objectContaining({ area: true }),
      blocked: { 'status-unknown': 1 },
      isAccepted: true,
    });
    expect(scene.log.messages('warn')).toEqual([]);
    expect(scene.places.filter((place) => place === 'ledger-written')).toHaveLength(1);
  });

  it('of a dry run writes no misses, but reaches the same verdict', async () => {
    const scene = await settled({ ...guards({}), missing: { afterReads: 2, minAgeMs: 0 } });
    scene.source.records = [row('a1'), row('b2')];
    scene.source.end = complete(2, 's2');
    expect((await scene.show()).plan.verdict).toStrictEqual({ holds: [], fields: [], areMissesHeld: false });
    expect(await scene.store.ledger.get('acme', 'c3')).not.toHaveProperty('misses');
    await scene.plan();
    expect(await scene.store.ledger.get('acme', 'c3')).toMatchObject({ misses: { count: 1 } });
  });
});

describe('the rows of a source', () => {
  const few = guards({ rowsDownPercent: 10 });

  it('that a delta shows are not compared with those of the last full read', async () => {
    const deltas = { fullEveryMs: dayMs, overlapMs: 0 };
    const scene = await settled({ ...guards({ rowsDownPercent: 10, fillRateDownPoints: 10 }), deltas });
    scene.source.changed = [row('a1', { area: '' })];
    const { plan, kinds } = await scene.plan();
    expect([kinds, plan.facts.read?.kind]).toEqual([{ a1: 'update' }, 'delta']);
    expect(plan.verdict).toStrictEqual({ holds: [], fields: [], areMissesHeld: false });
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1', rows: 3 });
  });

  it('that name a few people are not compared either', async () => {
    const scene = await settled(few);
    expect((await scene.plan(only('a1'))).plan.verdict.areMissesHeld).toBe(false);
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1', rows: 3 });
  });

  it('are fewer than in the last full read: disables are held, and others are not', async () => {
    const scene = await settled(few);
    scene.source.records = [row('a1', { area: 'X' }), row('b2')];
    scene.source.end = complete(2, 's2');
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'update', c3: 'disable held' });
    const reason = 'source rows fell from 3 to 2 (33.3 % down, 10 % allowed)';
    expect(planned.plan.verdict).toStrictEqual({
      holds: [{ sync: 'people', class: 'disables', reason, count: 1 }],
      fields: [],
      areMissesHeld: true,
    });
    expect(planned.plan.findings).toEqual([{ code: 'held', message: reason }]);
  });
});

describe('a change that was left out of a decision', () => {
  it('is held beside the classes that the guard holds', async () => {
    const scene = await settled(guards({ updates: none }));
    scene.source.records = [row('a1', { area: 'X' }), row('b2', { area: 'X' }), row('c3'), row('d4')];
    const { changes } = await scene.plan();
    await approve(scene.store, changes.slice(0, 1));
    await scene.store.decisions.leaveOut('people', changes.slice(1, 2), 'ops');
    Object.assign(scene.sync, { settings: { ...scene.sync.settings, ...guards({ creates: none }) } });
    const { plan, kinds } = await scene.plan();
    expect(kinds).toEqual({ a1: 'update', b2: 'update held', d4: 'create held' });
    expect(plan.verdict.holds.map(({ class: name, count }) => [name, count])).toEqual([
      ['creates', 1],
      ['updates', 1],
    ]);
    expect(plan.findings.filter(({ code }) => code === 'held')).toHaveLength(2);
  });
});

describe('a restored store', () => {
  it.each([
    { ago: dayMs - 1, state: 'disable held' },
    { ago: dayMs, state: 'disable' },
  ])('$ago ms ago makes a disable: $state', async ({ ago, state }) => {
    const scene = await settled(guards({}));
    const at = scene.clock.now() - ago;
    // Only a restore writes this record.
    Object.assign(scene.store.restores, { last: async () => ({ at, madeAt: at - dayMs }) });
    scene.source.records = [row('a1', left), row('b2', { area: 'X' }), row('c3')];
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: state, b2: 'update' });
    const [from, to] = [at - dayMs, at].map((time) =>
      new Date(time ?? 0).toISOString().replace(/^(.*)T(.*)\.\d+Z$/, '$1 $2 UTC'),
    );
    const reason = `1 disable: the store was restored at ${to} from a backup of ${from}, and the number made in between is unknown. For 24 hours after a restore, each one needs approval`;
    expect(scene.message(planned, 'held')).toBe(state === 'disable' ? undefined : reason);
  });
});

describe('people who are blocked', () => {
  it('doubt the first read, with which nothing can be compared', async () => {
    const settings = guards({ blocked: { ...none, absolute: 1, oneInRows: 0 } });
    const scene = await openPlanScene({ records: [row('a1', odd), row('b2', odd), row('c3')], settings });
    const { plan, kinds } = await scene.plan();
    expect(kinds).toEqual({ c3: 'create' });
    expect(plan.facts.isReadDoubted).toBe(true);
    expect(plan.verdict.blocked).toMatch(
      /^2 of 3 rows have a status.*\(2 people are blocked, 0 in the last accepted read\)$/,
    );
    expect(plan.facts.doubt).toBe(plan.verdict.blocked);
  });

  it('doubt a full read by their share of its rows', async () => {
    const scene = await settled(guards({ blocked: { ...unlimited, oneInRows: 2 } }));
    scene.source.records = [row('a1', odd), row('b2', odd), row('c3')];
    expect((await scene.plan()).plan.facts.isReadDoubted).toBe(true);
    scene.source.records = [row('a1', odd), row('b2'), row('c3')];
    expect((await scene.plan()).plan.facts).not.toHaveProperty('isReadDoubted');
  });
});

it('changes count for the sync and the others that are configured on its connection', async () => {
  const { sync, io } = await openPlanScene({ records: [], otherSyncs: ['guests', 'interns'] });
  const robots = { ...sync, settings: { ...sync.settings, name: 'robots', connection: 'globex' } };
  const syncs = new Map([...io.syncs, ['robots', robots]]);
  expect(applierOf(sync, { ...io, syncs })).toEqual({
    sync: 'people',
    connection: 'acme',
    others: ['guests', 'interns'],
  });
  expect(applierOf(robots, { ...io, syncs })).toEqual({ sync: 'robots', connection: 'globex', others: [] });
});
