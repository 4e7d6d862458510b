import { describe, expect, it } from 'vitest';
import { explain } from '../../src/engine/explain.ts';
import { account, all, only, openPlanScene, type PlanScene, row } from './plan-scene.ts';

const ids = ['00101', '00102', '00103', '04711'];

/** A sync without e-mails whose first run made these people ours. */
async function settled(): Promise<PlanScene> {
  const scene = await openPlanScene({
    records: ids.map((id) => row(id)),
    users: ids.map((id) => account(id)),
    settings: { missing: { afterReads: 1, minAgeMs: 0 } },
  });
  expect((await scene.plan()).kinds).toEqual({});
  return scene;
}

/** The next full read, an hour later. */
async function next(scene: PlanScene, records: PlanScene['source']['records']) {
  scene.source.records = records;
  scene.clock.advance(3_600_000);
  return scene.plan();
}

describe('an identification that lost its leading zeros', () => {
  it('changes nothing for the person, who is neither created again nor missing, and is told what to do', async () => {
    const scene = await settled();

    const planned = await next(scene, [row('101', {}, 'line 2'), row('102'), row('103'), row('4711')]);

    expect(planned.kinds).toEqual({});
    expect(planned.findings.filter((one) => one === 'rename-conflict 101')).toHaveLength(1);
    expect(planned.findings).toHaveLength(8);
    expect(scene.message(planned, 'rename-conflict')).toBe(
      '101 (line 2) and platform user 00101, which the source does not name, differ only by leading zeros: neither is changed. Spreadsheets remove leading zeros: export the column as text. "rollcall adopt people 101" accepts the new identification',
    );
    expect(planned.plan.facts.blocked).toEqual({ conflict: 4 });
    expect(await scene.store.ledger.get('acme', '00101')).not.toHaveProperty('misses');
  });

  it('is found for one person among others', async () => {
    const scene = await settled();

    const planned = await next(scene, [row('00101'), row('102', {}, 'line 3'), row('00103'), row('00104')]);

    expect(planned.kinds).toEqual({ '04711': 'disable', '00104': 'create' });
    expect(new Set(planned.findings)).toEqual(
      new Set(['rename-conflict 102', 'rename-conflict 00102', 'cell-suspect']),
    );
    expect(scene.message(planned, 'cell-suspect')).toMatch(/^id has fewer than 5 digits in 1 row \(line 3\)/);
  });

  it('is found for a leaver and for a person who begins later', async () => {
    const scene = await settled();

    const planned = await next(scene, [
      row('00101'),
      row('102', { status: 'left' }),
      row('103', { hired: '2099-01-01' }),
      row('04711'),
    ]);

    expect(planned.kinds).toEqual({});
    expect(planned.findings).toContain('rename-conflict 00103');
  });

  it('is found when zeros come back', async () => {
    const scene = await openPlanScene({
      records: [row('7')],
      users: [account('7')],
      settings: { missing: { afterReads: 1, minAgeMs: 0 } },
    });
    await scene.plan();

    expect((await next(scene, [row('0007')])).kinds).toEqual({});
    expect((await next(scene, [row('7')])).findings).toEqual([]);
  });

  it('ends with the export that has its zeros again', async () => {
    const scene = await settled();
    await next(scene, [row('101'), row('102'), row('103'), row('4711')]);

    const planned = await next(scene, [...ids.map((id) => row(id)), row('00104')]);

    expect([planned.kinds, planned.findings]).toEqual([{ '00104': 'create' }, []]);
  });

  it('is found by reads of named people, and why says the same', async () => {
    const scene = await settled();
    scene.source.records = [row('101'), row('00102'), row('00103'), row('04711')];

    const planned = await scene.plan(only('101'));

    expect(planned.kinds).toEqual({});
    expect(planned.findings).toContain('rename-conflict 101');
    const signal = new AbortController().signal;
    for (const name of ['101', '00101']) {
      const { findings, change, decision, conflict } = await explain(name, scene.sync, scene.io, signal);
      expect([change, decision?.rule]).toEqual([undefined, 'unusable']);
      expect(findings.map(({ code }) => code)).toContain('rename-conflict');
      if (name === '101') expect(conflict?.user.identification).toBe('00101');
    }
  });

  it('is found by a delta', async () => {
    const scene = await openPlanScene({
      records: ids.map((id) => row(id)),
      users: ids.map((id) => account(id)),
      settings: { deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } },
    });
    await scene.plan();
    scene.source.changed = [row('101'), row('00200')];

    const planned = await scene.plan(all);

    expect(planned.kinds).toEqual({ '00200': 'create' });
    expect(planned.findings).toContain('rename-conflict 101');
  });
});

describe('two people whose identifications differ by leading zeros', () => {
  it('are two people where the source names both', async () => {
    const scene = await settled();

    const planned = await next(scene, [...ids.map((id) => row(id)), row('101')]);

    expect([planned.kinds, planned.findings]).toEqual([{ '101': 'create' }, ['cell-suspect']]);
  });

  it('are two people where both have an account', async () => {
    const both = ['00101', '101'];
    const scene = await openPlanScene({
      records: both.map((id) => row(id)),
      users: both.map((id) => account(id)),
      settings: { missing: { afterReads: 1, minAgeMs: 0 } },
    });
    await scene.plan();

    expect((await next(scene, [row('101')])).kinds).toEqual({ '00101': 'disable' });
  });

  it('are two people where the other account is not ours', async () => {
    const scene = await openPlanScene({ records: [row('101')], users: [account('00101')] });

    expect((await scene.plan()).kinds).toEqual({ '101': 'create' });
  });
});
