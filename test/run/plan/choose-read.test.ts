import { describe, expect, it } from 'vitest';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { account, all, only, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const hour = 3_600_000;
const deltas: Partial<SyncSettings> = { deltas: { fullEveryMs: 24 * hour, overlapMs: 60_000 } };

async function clean(settings: Partial<SyncSettings> = deltas, delta = true): Promise<PlanScene> {
  const scene = await openPlanScene({
    records: [row('a1'), row('b2')],
    users: [account('a1'), account('b2')],
    settings,
    capabilities: { delta },
  });
  await scene.plan();
  scene.clock.jumpTo(scene.clock.now() + hour);
  return scene;
}

const readLine = ({ log }: PlanScene) => log.lines.findLast(({ message }) => message === 'reading the source')?.fields;

describe('a run about all', () => {
  it('reads who has changed since the last clean read began', async () => {
    const scene = await clean();
    const first = scene.clock.now() - hour;
    const { read } = (await scene.plan()).plan;
    const since = first - 60_000;
    expect(read).toEqual({ kind: 'delta', at: scene.clock.now(), since, fingerprint: 'f1' });
    expect(scene.source.requests.at(-1)).toEqual({ kind: 'delta', since: new Date(since).toISOString() });
    expect(readLine(scene)).toEqual({ sync: 'people', read: 'delta' });
  });

  it('reads all with the reason where that is requested, and without a word where no deltas are configured', async () => {
    const scene = await clean();
    const reason = 'a full read was requested';
    expect((await scene.plan({ kind: 'all', isFull: true })).plan.read).toMatchObject({ kind: 'full', reason });
    expect(readLine(scene)).toEqual({ sync: 'people', read: 'full', reason });
    const plain = await clean({});
    const { read } = (await plain.plan()).plan;
    expect([read, readLine(plain)]).toEqual([{ kind: 'full', at: plain.clock.now(), fingerprint: 'f1' }, undefined]);
  });

  it('reads all of a source that cannot tell who has changed', async () => {
    const scene = await clean(deltas, false);
    expect((await scene.plan()).plan.read).toMatchObject({ kind: 'full', reason: /cannot read only/ as never });
  });

  it('reads all after the configuration has changed', async () => {
    const scene = await clean();
    Object.assign(scene.sync, { fingerprint: 'f2' });
    expect((await scene.plan()).plan.read).toMatchObject({ kind: 'full', fingerprint: 'f2' });
  });
});

describe('a run about named people', () => {
  it('asks for them alone where the roster of this configuration knows whose e-mail is whose', async () => {
    const scene = await clean();
    const { read } = (await scene.plan(only('a1'))).plan;
    expect(read).toEqual({ kind: 'point', at: scene.clock.now(), fingerprint: 'f1' });
    expect(scene.source.requests.at(-1)).toEqual({ kind: 'point', identifications: ['a1'], field: 'id' });
  });

  it.each([
    { match: ['email'], kind: 'full' },
    { match: ['identification'], kind: 'point' },
  ] as const)('of another configuration than the roster, matched by $match, is $kind', async ({ match, kind }) => {
    const scene = await clean({ ...deltas, match });
    Object.assign(scene.sync, { fingerprint: 'f2' });
    await scene.plan(only('a1'));
    expect(scene.source.requests.at(-1)?.kind).toBe(kind);
  });

  it('reads all where no field of the source holds the identification unchanged', async () => {
    const scene = await clean();
    Object.assign(scene.sync, { mapping: { ...scene.sync.mapping, identificationField: undefined } });
    await scene.plan(only('a1'));
    expect(scene.source.requests.at(-1)).toEqual({ kind: 'full' });
  });
});

describe('source fields that no record has', () => {
  const bare = (id: string) => {
    const { area: _area, ...fields } = row(id).fields;
    return { at: `line of ${id}`, fields };
  };

  it('are a finding, and hold all changes, when records had them before', async () => {
    const scene = await clean();
    scene.source.records = [bare('a1'), bare('b2'), bare('c3')];
    const planned = await scene.plan({ kind: 'all', isFull: true });
    expect(planned.kinds).toEqual({ c3: 'create held' });
    expect(scene.message(planned, 'field-vanished')).toContain(
      'area reads `area`, but no record has this field any longer',
    );
    expect(planned.plan.facts.isReadDoubted).toBe(true);
    expect(await scene.store.reads.last('people')).toMatchObject({ run: 'run_1' });
  });

  it('are why a read without a usable row plans nothing', async () => {
    const scene = await clean();
    const { status: _status, ...fields } = row('a1').fields;
    scene.source.records = [{ at: 'line 2', fields }];
    const planned = await scene.plan({ kind: 'all', isFull: true });
    expect(planned.plan.failure).toMatch(
      /but none of them can be used.*nothing was changed\. .*`status`, but no record has this field any longer/,
    );
    expect(planned.plan.failure).not.toContain('blocked');
  });
});

describe('a delta', () => {
  it('without a record is no failure, and moves where the next one begins', async () => {
    const scene = await clean();
    scene.source.changed = [];
    const planned = await scene.plan();
    expect([planned.plan.failure, planned.kinds]).toEqual([undefined, {}]);
    expect((await scene.store.reads.watermark('people'))?.at).toBe(scene.clock.now());
  });

  it('without a usable record counts its people as postponed, and the next one asks for them again', async () => {
    const scene = await clean();
    const before = await scene.store.reads.watermark('people');
    scene.source.changed = [row('a1', { status: 'odd' }), row('b2', { status: 'odd' })];
    const planned = await scene.plan();
    expect(planned.plan.failure).toBeUndefined();
    expect(planned.plan.facts).toMatchObject({ postponed: 2, blocked: { 'status-unknown': 2 } });
    expect(await scene.store.reads.watermark('people')).toEqual(before);
  });

  it('that shows two records of one person makes the next read full', async () => {
    const scene = await clean();
    scene.source.changed = [row('a1'), row('a1', { area: 'Law' })];
    const planned = await scene.plan();
    expect(planned.plan.facts.needsFull).toBe(true);
    expect(scene.message(planned, 'source-note')).toBe(
      'two records claim the same user (see the next findings): the next run reads all employees',
    );
    expect((await scene.plan(all)).plan.read).toMatchObject({ kind: 'full' });
  });
});
