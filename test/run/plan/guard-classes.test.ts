import { describe, expect, it } from 'vitest';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { approve, dayMs, decided, reject } from '../../contracts/store-samples.ts';
import { account, guards, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };

const ids = (count: number, letter = 'p') =>
  Array.from({ length: count }, (_, i) => `${letter}${String(i).padStart(3, '0')}`);
const complete = (rows: number, stamp: string) => ({ complete: true, rows, evidence: 'all', stamp }) as const;
const decisionsOf = async ({ store }: PlanScene, name: string) =>
  (await store.decisions.of('people', name)).map(({ state, endedAt }) => (endedAt === undefined ? state : 'ended'));

describe('a class of changes above its limit', () => {
  const settings = guards({ creates: { absolute: 2, percent: 0, cap: undefined } });
  const three = ['a1', 'b2', 'c3'].map((id) => row(id));

  it('is held with the reason, in the plan, the findings and the log; others go on', async () => {
    const scene = await openPlanScene({
      records: [...three, row('d4', { area: 'X' })],
      users: [account('d4')],
      settings,
    });
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'create held', b2: 'create held', c3: 'create held', d4: 'update' });
    const reason = '3 creates: up to 2 in 24 hours need no approval (first run)';
    expect(planned.changes.map(({ stateReason }) => stateReason)).toEqual([reason, reason, reason, undefined]);
    expect(planned.plan.findings).toEqual([{ code: 'held', message: reason }]);
    expect(planned.plan.verdict).toMatchObject({
      holds: [{ class: 'creates', reason, count: 3 }],
      areMissesHeld: false,
    });
    expect(scene.log.lines.find(({ level }) => level === 'warn')).toMatchObject({
      fields: { sync: 'people', class: 'creates', count: 3 },
      message: 'held: creates',
    });
    expect(await decisionsOf(scene, 'a1')).toEqual(['open']);
  });

  it('is counted with what was sent in the last 24 hours, and with nothing older', async () => {
    for (const [later, kind] of [
      [dayMs - 1000, 'create held'],
      [dayMs + 1000, 'create'],
    ] as const) {
      const scene = await openPlanScene({ records: three.slice(0, 2), settings });
      expect((await scene.run()).run.outcome).toBe('succeeded');
      scene.clock.jumpTo(scene.clock.now() + later);
      scene.source.records = [...three, row('d4')];
      scene.source.records = three;
      expect((await scene.plan()).kinds).toEqual({ c3: kind });
    }
  });

  it('lets approved changes pass, and drops rejected ones, which need no approval', async () => {
    const scene = await openPlanScene({ records: three, settings });
    const [a1, b2] = (await scene.plan()).changes;
    if (a1 === undefined || b2 === undefined) throw new Error('nothing is held');
    await approve(scene.store, [a1]);
    await reject(scene.store, [b2], { by: 'ops', why: 'a test account' });
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'create', b2: 'create dropped', c3: 'create' });
    expect(planned.plan.facts.rejected).toBe(1);
    expect(planned.plan.findings).toEqual([]);
  });

  it('holds what was left out of an approval, however few that are', async () => {
    const scene = await openPlanScene({ records: [...three, row('d4')], settings });
    const { changes } = await scene.plan();
    await approve(scene.store, changes.slice(0, 2));
    await scene.store.decisions.leaveOut('people', decided(changes.slice(2)), { by: 'ops', at: scene.clock.now() });
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ a1: 'create', b2: 'create', c3: 'create held', d4: 'create held' });
    const reason = 'not part of an earlier approval or rejection: needs its own decision';
    expect(planned.plan.findings).toEqual([{ code: 'held', message: reason }]);
    expect(planned.plan.verdict.holds).toMatchObject([{ sync: 'people', class: 'creates', reason, count: 2 }]);
  });

  it('is named once when it is held anew and was left out too', async () => {
    const scene = await openPlanScene({ records: [...three, row('d4')], settings });
    const { changes } = await scene.plan();
    await approve(scene.store, changes.slice(0, 1));
    await scene.store.decisions.leaveOut('people', decided(changes.slice(1, 2)), { by: 'ops', at: scene.clock.now() });
    scene.source.records = [...three, row('d4'), row('e5')];
    const planned = await scene.plan();
    expect(planned.kinds).toMatchObject({ a1: 'create', b2: 'create held', c3: 'create held', e5: 'create held' });
    expect(planned.plan.verdict.holds.map(({ class: name, count }) => [name, count])).toEqual([['creates', 3]]);
  });

  it('is told of a plan that is only shown, of which nothing is stored', async () => {
    const scene = await openPlanScene({ records: three, users: [account('a1')], settings: guards({ creates: none }) });
    const shown = await scene.show();
    expect([shown.kinds, shown.findings]).toEqual([{ b2: 'create held', c3: 'create held' }, ['held']]);
    expect(await scene.store.ledger.get('acme', 'a1')).toBeUndefined();
    expect([await scene.store.reads.last('people'), await scene.store.rosters.open('people')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await decisionsOf(scene, 'b2')).toEqual([]);
  });
});

describe('a full read that is doubted', () => {
  /** Ten employees whose accounts are as wanted, all ours. */
  async function settled(settings: Partial<SyncSettings>): Promise<PlanScene> {
    const names = ids(10);
    const scene = await openPlanScene({
      records: names.map((id) => row(id)),
      users: names.map((id) => account(id)),
      settings: { missing: { afterReads: 1, minAgeMs: 0 }, ...settings },
    });
    await scene.plan();
    return scene;
  }
  const some = (count: number, over = {}) =>
    ids(10)
      .slice(0, count)
      .map((id) => row(id, over));

  it('is none that no guard doubts, which is the reference for later ones', async () => {
    const scene = await settled({});
    expect(scene.places).toContain('ledger-written');
    const {
      visibility: _,
      blocked: _blocked,
      profile: _profile,
      ...read
    } = (await scene.store.reads.last('people')) ?? {};
    expect(read).toEqual({
      ...{ sync: 'people', run: 'run_1', at: scene.clock.now(), rows: 10, stamp: 's1', isAccepted: true },
      fillRates: expect.objectContaining({ area: 1 }),
    });
    expect(await scene.store.rosters.open('people')).toMatchObject({ run: 'run_1', rows: 10, fingerprint: 'f1' });
    scene.source.changed = [row('q1')];
    await scene.plan({ kind: 'users', identifications: ['p000'] });
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1' });
  });

  it('because rows are gone counts no absence, holds disables, and is no reference for later', async () => {
    const scene = await settled(guards({ rowsDownPercent: 10 }));
    scene.source.records = some(8);
    scene.source.end = complete(8, 's2');
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ p008: 'disable held', p009: 'disable held' });
    expect(planned.plan.verdict.areMissesHeld).toBe(true);
    expect(planned.plan.facts.isReadDoubted).toBe(true);
    expect(planned.findings).toEqual(['held']);
    expect((await scene.store.ledger.get('acme', 'p009'))?.misses).toBeUndefined();
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1', rows: 10 });
    expect((await scene.store.rosters.open('people'))?.run).toBe('run_1');
    await scene.store.reads.accept('run_2');
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_2', rows: 8, stamp: 's2' });
  });

  it('because the source itself says that it is short is stored for an operator to accept', async () => {
    const scene = await settled(guards({}));
    scene.source.records = some(4);
    scene.source.end = { complete: false, rows: 4, reasons: ['4 rows after 10'], isAcceptable: true };
    const planned = await scene.plan();
    expect([planned.kinds, planned.plan.verdict.areMissesHeld]).toEqual([{}, true]);
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1' });
    await scene.store.reads.accept('run_2');
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_2', rows: 4, stamp: '' });
  });

  it('because its answers differ counts no absence, until a second read agrees or an operator accepts it', async () => {
    const scene = await settled({});
    const read = async (stamp: string, ...doubts: readonly string[]) => {
      scene.clock.jumpTo(scene.clock.now() + 3_600_000);
      scene.source.records = some(9);
      scene.source.end = { complete: true, rows: 9, evidence: 'all', stamp, asOf: 'read', answers: {}, doubts };
      const { kinds, findings } = await scene.plan();
      return [kinds, [...new Set(findings)], (await scene.store.reads.last('people'))?.run];
    };
    const waits = (run: string) => [{}, ['source-incomplete'], run];
    expect(await read('s2', 'a fault is new')).toEqual(waits('run_1'));
    expect(await read('s3', 'a fault is new', 'so is a warning')).toEqual(waits('run_1'));
    expect(await read('s4', 'a fault is new', 'so is a warning')).toEqual([
      { p009: 'disable' },
      ['source-note'],
      'run_4',
    ]);
    expect(await read('s5', 'a code is new')).toEqual(waits('run_4'));
    await scene.store.reads.accept('run_5');
    expect(await scene.store.reads.last('people')).toMatchObject({
      run: 'run_5',
      profile: { answers: {}, doubts: ['a code is new'] },
    });
  });

  it('because a field lost its values holds updates of that field alone', async () => {
    const scene = await settled(guards({ fillRateDownPoints: 20 }));
    scene.source.records = [...some(9, { area: '' }), row('p009', { first: 'Ana Eva' })];
    const planned = await scene.plan();
    const { p009, ...others } = planned.kinds;
    expect([p009, new Set(Object.values(others))]).toEqual(['update', new Set(['update held'])]);
    const reason =
      'area is filled for 10 % of the people, down from 100 %. Check whether a permission or a column was removed in the HR system';
    expect(planned.plan.findings).toEqual([{ code: 'held', message: reason }]);
    expect(planned.plan.verdict.fields).toEqual([{ field: 'area', reason }]);
    expect(planned.plan.facts.isReadDoubted).toBe(true);
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1' });
  });

  it('because most cells of a field cannot be read says why', async () => {
    const scene = await settled(guards({ fillRateDownPoints: 20 }));
    scene.source.records = [
      ...some(7, { area: '5.99E+10' }),
      ...['p007', 'p008', 'p009'].map((id) => row(id, { area: '' })),
    ];
    const planned = await scene.plan();
    expect(planned.plan.verdict.fields).toEqual([
      {
        field: 'area',
        reason: expect.stringMatching(
          /^area is filled for 0 % of the people, down from 100 %, because area was shortened to an exponent by a spreadsheet.*\. Correct the export, or mapping\.area$/,
        ),
      },
    ]);
    scene.source.records = [...some(5, { area: '5.99E+10' }), ...some(10, { area: '' }).slice(5)];
    expect((await scene.plan()).plan.verdict.fields[0]?.reason).toMatch(/down from 100 %\. Check whether a permission/);
  });

  it('because a field lost its values is a hold on updates for an operator to decide', async () => {
    const scene = await settled(guards({ fillRateDownPoints: 20 }));
    scene.source.records = some(10, { area: '' });
    const { run, changes } = await scene.run();
    const [hold, ...others] = await scene.store.holds.listOpen('people');
    expect(others).toEqual([]);
    expect(hold).toMatchObject({
      run: run.id,
      class: 'updates',
      reason: expect.stringMatching(/^area is filled for 0 %/),
    });
    const hashes = (await Array.fromAsync(scene.store.holds.hashes(hold?.id ?? ''))).flat();
    expect(new Set(hashes)).toEqual(new Set(changes.map(({ hash }) => hash)));
    expect(run.outcome).toBe('held');
  });

  it('because a field lost its values does not replace the reason why all updates are held', async () => {
    const scene = await settled(guards({ fillRateDownPoints: 20, updates: none }));
    scene.source.records = some(10, { area: '' });
    await scene.run();
    const holds = await scene.store.holds.listOpen('people');
    expect(holds.map(({ class: name }) => name)).toEqual(['updates']);
    expect(holds[0]?.reason).toMatch(/^10 updates/);
  });

  const manyBlocked = guards({ blocked: { ...none, absolute: 1, oneInRows: 0 } });

  it('because too many people are blocked holds nothing but the read', async () => {
    const scene = await settled(manyBlocked);
    scene.source.records = [...some(8), row('p008', { status: 'odd' }), row('p009', { status: 'odd' }), row('q1')];
    const planned = await scene.plan();
    const doubt = '2 of 11 rows have a status that is not in lifecycle; first at line of p008';
    expect(planned.kinds).toEqual({ q1: 'create' });
    expect(planned.plan.facts).toMatchObject({ isReadDoubted: true, blocked: { 'status-unknown': 2 } });
    expect(planned.plan.facts.doubt).toContain(doubt);
    expect(scene.message(planned, 'held')).toContain(doubt);
    expect(scene.log.lines.findLast(({ level }) => level === 'warn')).toMatchObject({
      fields: { sync: 'people', 'status-unknown': 2 },
      message: 'held: too many people are blocked',
    });
    await scene.store.reads.accept('run_2');
    scene.source.records = [...some(7), ...['p007', 'p008', 'p009'].map((id) => row(id, { status: 'odd' }))];
    expect((await scene.plan()).plan.facts.isReadDoubted).toBe(false);
  });
});

it('a decision about a held change stays open in a doubted read and a shown plan, and ends when a run proposes it no more', async () => {
  const options = { records: [row('a1', { status: 'left' }), row('b2')], users: [account('a1'), account('b2')] };
  const scene = await openPlanScene({ ...options, settings: guards({ disables: none, rowsDownPercent: 10 }) });
  expect([(await scene.plan()).kinds, await decisionsOf(scene, 'a1')]).toEqual([{ a1: 'disable held' }, ['open']]);
  scene.source.records = [row('a1')];
  scene.source.end = complete(1, 's2');
  expect((await scene.plan()).plan.facts.isReadDoubted).toBe(true);
  expect(await decisionsOf(scene, 'a1')).toEqual(['open']);
  scene.source.records = [row('a1'), row('b2')];
  scene.source.end = complete(2, 's3');
  await scene.show();
  expect(await decisionsOf(scene, 'a1')).toEqual(['open']);
  await scene.plan();
  expect(await decisionsOf(scene, 'a1')).toEqual(['ended']);
});
