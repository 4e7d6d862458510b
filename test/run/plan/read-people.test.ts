import { describe, expect, it, onTestFinished } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import type { RunScope } from '../../../src/ports/store.ts';
import { openWork } from '../../../src/run/make-plan.ts';
import { readPeople } from '../../../src/run/read/read-people.ts';
import { recordRun } from '../../../src/run/recorder.ts';
import { dayMs, endRun, openRun } from '../../contracts/store-samples.ts';
import { account, all, only, openPlanScene, type PlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

const undated = { hired: 'soon' };
const deltas = { deltas: { fullEveryMs: dayMs, overlapMs: 0 } };
/** A row in which a column is absent. */
function without(id: string, column: string): SourceRecord {
  const { at, fields } = row(id);
  return { at, fields: Object.fromEntries(Object.entries(fields).filter(([name]) => name !== column)) };
}

/** Makes the first step of a plan of a new run. */
async function readBy(scene: PlanScene, scope: RunScope = all, focus?: readonly string[]) {
  const { sync, io, store, stopping } = scene;
  const { signal } = stopping;
  const owned = await openRun(store, { id: 'run_read', now: scene.clock.now(), scope });
  const context = { owned, sync, signal, stopping: signal };
  const spool = io.openSpool();
  onTestFinished(() => spool.close());
  const job = { sync, scope, signal, ...(focus === undefined ? {} : { focus }) };
  const work = await openWork(job, recordRun(context, io), spool, io);
  const read = await readPeople(work, io);
  await endRun(store, owned);
  const findings = work.findings.all().map(({ code, message }) => `${code}: ${message}`);
  return { work, read, findings, blocked: work.blocked.counts() };
}

/** A scene after an accepted full read of two employees. */
async function afterFirst(options: Partial<PlanSceneOptions> = {}): Promise<PlanScene> {
  const scene = await openPlanScene({
    records: [row('a1'), row('b2')],
    users: [account('a1'), account('b2')],
    ...options,
  });
  await scene.plan();
  return scene;
}

describe('the people who are decided about', () => {
  it('are all, or the named ones where all are read for them', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2')] });
    expect((await readBy(scene, only('a1', 'x9'))).read.focus).toEqual(new Set(['a1', 'x9']));
    const after = await afterFirst();
    expect((await readBy(after, only('a1', 'x9'))).read.focus).toBeUndefined();
    expect((await readBy(await afterFirst())).read.focus).toBeUndefined();
  });

  it('are those of the focus, who get a place in the index though no record names them', async () => {
    const { read, work } = await readBy(await afterFirst(), all, ['b2', 'x9']);
    expect(read.focus).toEqual(new Set(['b2', 'x9']));
    expect([work.index.size, work.index.find('x9').isExact, work.index.find('y9').slot]).toEqual([3, true, -1]);
    expect(work.index.person(work.index.find('x9').slot).kind).toBe('absent');
  });

  it('are counted as blocked in reads of all alone', async () => {
    const records = [row('a1', undated), row('b2')];
    expect((await readBy(await openPlanScene({ records }))).blocked).toEqual({ 'row-rejected': 1 });
    expect((await readBy(await openPlanScene({ records }), only('a1'))).blocked).toEqual({});
    expect((await readBy(await openPlanScene({ records }), all, ['a1'])).blocked).toEqual({});
    const scene = await afterFirst();
    scene.source.records = records;
    expect((await readBy(scene, only('a1'))).blocked).toEqual({});
  });
});

describe('the last full read', () => {
  it.each([
    { kind: 'full', scope: all, settings: {}, last: 'run_1', given: 'run_1' },
    { kind: 'delta', scope: all, settings: deltas, last: 'run_1', given: undefined },
    { kind: 'point', scope: only('a1'), settings: {}, last: undefined, given: undefined },
  ])(
    'is known to a $kind read: $last; the source is told of $given',
    async ({ kind, scope, settings, last, given }) => {
      const scene = await afterFirst({ settings });
      const { source } = scene.sync;
      const told: unknown[] = [];
      const { read: readRows } = source;
      Object.assign(source, {
        read(...args: Parameters<typeof readRows>) {
          told.push((args[1].previous as { run?: string } | undefined)?.run);
          return readRows(...args);
        },
      });
      const { read } = await readBy(scene, scope);
      expect([read.reading.kind, read.last?.run, told]).toEqual([kind, last, [given]]);
      expect(read.fact).toMatchObject({ kind, at: scene.clock.now(), fingerprint: 'f1' });
      expect(scene.places.filter((place) => place === 'source-read')).toHaveLength(2);
    },
  );

  it('is compared with nothing in a read of named people, of nobody, or a delta', async () => {
    const lacks = [without('a1', 'area')];
    const scene = await afterFirst();
    scene.source.records = lacks;
    expect((await readBy(scene, only('a1'))).read.vanished).toEqual([]);
    const empty = await afterFirst();
    empty.source.records = [];
    expect((await readBy(empty)).read.vanished).toEqual([]);
    const delta = await afterFirst({ settings: deltas });
    delta.source.changed = lacks;
    expect((await readBy(delta)).read.vanished).toEqual([]);
  });

  it('had fields that the source itself reports as not returned, in a delta too', async () => {
    const end = { complete: true, rows: 1, evidence: 'all', stamp: 's2', notReturned: ['area'] } as const;
    const vanishedIn = async (scope: RunScope, settings = {}) => {
      const scene = await afterFirst({ settings });
      scene.source.changed = [row('a1')];
      scene.source.end = end;
      return (await readBy(scene, scope)).read.vanished.map(({ read }) => read);
    };
    expect(await vanishedIn(all)).toEqual(['area']);
    expect(await vanishedIn(all, deltas)).toEqual(['area']);
    expect(await vanishedIn(only('a1'))).toEqual([]);
  });
});

describe('the findings of a read', () => {
  it('name a field that no record of the first read has', async () => {
    const { findings, read } = await readBy(await openPlanScene({ records: [without('a1', 'area')] }));
    expect(read.vanished).toEqual([]);
    expect(findings).toEqual([
      'source-note: area reads `area`, but no record has this field. Check its name, and the permissions in the HR system',
    ]);
  });

  it('name a recent jump of the clock', async () => {
    const scene = await openPlanScene({ records: [row('a1')] });
    const now = scene.clock.now();
    Object.assign(scene.clock, { jumps: () => [{ before: now - 3_600_000, after: now }] });
    const { findings } = await readBy(scene);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^clock-jumped: /);
  });
});
