import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PlanDigest } from '../../../src/core/plan/change.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { noDiffering } from '../../../src/run/edit.ts';
import { openWork } from '../../../src/run/make-plan.ts';
import { showPlan } from '../../../src/run/recorder.ts';
import { sealEmptyPlan, sealPlan } from '../../../src/run/seal/seal-plan.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';
import { approve } from '../../contracts/store-samples.ts';
import { account, all, guards, only, openPlanScene, row } from '../plan-scene.ts';

const deltas: Partial<SyncSettings> = { deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } };

const digestOf = (hashes: readonly string[]): string => {
  const digest = new PlanDigest();
  for (const hash of hashes) digest.add(hash);
  return digest.end();
};

describe('a sealed plan', () => {
  it('has the facts of its read and of the platform, without those that say nothing', async () => {
    const scene = await openPlanScene({
      records: [row('a1'), row('b2', { status: 'odd' }), row('c3')],
      users: [account('a1'), account('x9')],
    });
    await scene.plan();
    const { plan, run } = await scene.plan();
    expect(plan.facts).toEqual({
      read: { kind: 'full', at: scene.clock.now(), fingerprint: 'f1' },
      sourceRows: 3,
      platformUsers: 2,
      pageSize: scene.sync.dialect.search.pageSize,
      managedUsers: 1,
      matched: 1,
      unchanged: 1,
      unmanaged: 1,
      lookedAt: scene.clock.now(),
      lookTookMs: 0,
      blocked: { 'status-unknown': 1 },
      access: { keep: 0, lack: 1, cause: expect.stringContaining('status') },
      postponed: 0,
      rejected: 0,
      sourceGaps: [],
    });
    expect(plan).toMatchObject({ id: run.id, repeated: 0, failure: undefined, verdict: { holds: [] } });
  });

  it('of named people does not say how many the platform has', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2')], users: [account('a1')] });
    await scene.plan();
    const { facts } = (await scene.plan(only('a1'))).plan;
    expect(Object.keys(facts)).not.toContain('pageSize');
    expect(Object.keys(facts)).not.toContain('unmanaged');
  });

  it('has the digest of its changes, in order of identification', async () => {
    const scene = await openPlanScene({ records: ['a1', 'b2', 'c3'].map((id) => row(id)) });
    const { plan, changes } = await scene.plan();
    expect(changes).toHaveLength(3);
    expect(plan.digest).toBe(digestOf(changes.map(({ hash }) => hash)));
  });

  it('has the digest of what no one approved, held or not', async () => {
    const one = { absolute: 0, percent: 0, cap: undefined };
    const scene = await openPlanScene({
      records: [row('a1'), row('b2'), row('c3', { area: 'X' })],
      users: [account('c3')],
      settings: guards({ creates: one }),
    });
    const [a1] = (await scene.plan()).changes;
    if (a1 === undefined) throw new Error('nothing is planned');
    await approve(scene.store, [a1]);
    const { plan, kinds, changes } = await scene.plan();
    expect(kinds).toEqual({ a1: 'create', b2: 'create held', c3: 'update' });
    expect(plan.digest).toBe(digestOf(changes.slice(1).map(({ hash }) => hash)));
  });

  it('has the findings of the read and the reason why too many people are blocked', async () => {
    const blocked = { absolute: 0, percent: 0, cap: undefined, oneInRows: 0 };
    const scene = await openPlanScene({
      records: [row('a1'), row('b2', { status: 'odd' })],
      settings: guards({ blocked }),
    });
    const { plan, findings } = await scene.plan();
    expect(findings).toEqual(['held', 'status-unknown b2']);
    expect(plan.facts).toMatchObject({ isReadDoubted: true, doubt: scene.message({ plan } as never, 'held') });
  });

  it('counts the people of a delta without a usable record as postponed', async () => {
    const users = [account('a1'), account('b2')];
    const scene = await openPlanScene({ records: [row('a1'), row('b2')], users, settings: deltas });
    await scene.plan();
    for (const [status, postponed] of [
      ['odd', 2],
      ['active', 0],
    ] as const) {
      scene.source.changed = [row('a1', { status: 'odd' }), row('b2', { status })];
      const { facts } = (await scene.plan(all)).plan;
      expect([facts.read?.kind, facts.postponed]).toEqual(['delta', postponed]);
    }
  });

  it('counts no person of a full read as postponed, though one record is usable only', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2', { status: 'odd' })] });
    expect((await scene.plan()).plan.facts.postponed).toBe(0);
  });
});

describe('an empty plan', () => {
  const emptyDigest = createHash('sha256').digest('hex');

  it('says which rows are not usable and why, and has no changes', async () => {
    const scene = await openPlanScene({ records: ['a1', 'b2'].map((id) => row(id, { status: 'odd' })) });
    const { plan, changes } = await scene.plan();
    expect(changes).toEqual([]);
    expect(plan).toMatchObject({
      digest: emptyDigest,
      verdict: { holds: [], fields: [], areMissesHeld: false },
      repeated: 0,
      failure:
        'the source returned 2 rows, none of them usable; the findings say why: nothing was changed. 2 of 2 rows have a status that lifecycle does not name; first at line of a1',
    });
    expect(plan.facts).toEqual({
      read: { kind: 'full', at: scene.clock.now(), fingerprint: 'f1' },
      sourceRows: 2,
      blocked: { 'status-unknown': 2 },
      sourceGaps: [],
    });
    expect(plan.findings.map(({ code, identification }) => [code, identification])).toEqual([
      ['status-unknown', 'a1'],
      ['status-unknown', 'b2'],
    ]);
  });

  it('says why the read is not complete', async () => {
    const scene = await openPlanScene({ records: [] });
    scene.source.end = { complete: false, rows: 0, reasons: ['the file is cut off', 'the trailer is missing'] };
    const { plan } = await scene.plan();
    expect(plan.failure).toBe(
      'the source returned no employees: nothing was changed. the file is cut off; the trailer is missing',
    );
    expect(plan.facts.sourceGaps).toEqual(['the file is cut off', 'the trailer is missing']);
  });

  it('ends after the failure where there is no cause', async () => {
    const scene = await openPlanScene({ records: [] });
    expect((await scene.plan(only('a1'))).plan.failure).toBe(
      'the source knows none of the named people: nothing was changed.',
    );
  });
});

describe('a plan of a dry run', () => {
  async function openDryRun() {
    const { sync, io } = await openPlanScene({ records: [] });
    const spool = openFileSpool(tmpdir());
    onTestFinished(() => spool.close());
    const { signal } = new AbortController();
    const work = await openWork({ sync, scope: all, signal }, showPlan('shown_1', sync, io), spool, io);
    return { work, io };
  }
  const read = { kind: 'full', at: 1, fingerprint: 'f1' } as const;
  const noHolds = { holds: [], fields: [], areMissesHeld: false };
  const steps = {
    read: { snapshot: { rows: 5, gaps: ['a gap'] }, reading: { kind: 'full' }, usable: 0, fact: read, unknown: [] },
    compared: {
      users: 6,
      managed: 7,
      quiet: { unchanged: 8, outOfScope: 1, noAccount: 0 },
      lookedAt: 9,
      lookTookMs: 10,
      postponed: 1,
      unconfirmed: 4,
      asked: new Map(),
      lookups: 0,
      orphans: {},
      waits: [],
    },
    decided: {
      differing: noDiffering(),
      postponed: 2,
      quiet: { unchanged: 20, outOfScope: 2, noAccount: 0 },
      needsFull: false,
      repeated: 11,
      access: { keep: 0, lack: 0 },
      missing: { count: 0, wait: undefined },
      respectedEdits: 0,
      notUndone: 0,
    },
    judged: { verdict: noHolds, rejected: 12, ruled: [], doubt: undefined, isReadDoubted: false },
  };
  const wait = { afterReads: 2, from: 50 };
  const own = (until: number) => ({ run: 'run_1', until });
  const facts = {
    read,
    sourceRows: 5,
    platformUsers: 6,
    managedUsers: 7,
    unchanged: 28,
    outOfScope: 3,
    lookedAt: 9,
    lookTookMs: 10,
    blocked: { conflict: 1 },
    postponed: 7,
    rejected: 12,
    sourceGaps: ['a gap'],
  };

  it.each<{ name: string; over: object; told: object }>([
    { name: 'nothing else', over: {}, told: {} },
    {
      name: 'the unresolved users',
      over: { compared: { ...steps.compared, waits: [own(20), own(30), own(20)] } },
      told: { blocked: { conflict: 1, unresolved: 3 }, waitsFor: { runs: ['run_1'], until: 30 } },
    },
    {
      name: 'the users for whom another sync waits, without an end',
      over: { compared: { ...steps.compared, waits: [own(20), { run: 'run_2', until: undefined }] } },
      told: { blocked: { conflict: 1, unresolved: 2 }, waitsFor: { runs: ['run_1', 'run_2'] } },
    },
    {
      name: 'the missing people, and when the first of them is disabled',
      over: { decided: { ...steps.decided, missing: { count: 6, wait } } },
      told: { missing: 6, missingWait: wait },
    },
    {
      name: 'the missing people of a read that a guard does not count',
      over: {
        decided: { ...steps.decided, missing: { count: 6, wait } },
        judged: { ...steps.judged, verdict: { ...noHolds, areMissesHeld: true }, isReadDoubted: true },
      },
      told: { missing: 6, isReadDoubted: true },
    },
    {
      name: 'the missing people of whom none is disabled',
      over: { decided: { ...steps.decided, missing: { count: 6, wait: undefined } } },
      told: { missing: 6 },
    },
    {
      name: 'the people whose account goes on or lacks because a column is unclear',
      over: { decided: { ...steps.decided, access: { keep: 1, lack: 0 } } },
      told: { access: { keep: 1, lack: 0, cause: expect.stringContaining('line 2') } },
    },
    {
      name: 'edits of others that were respected, and what could not be undone',
      over: { decided: { ...steps.decided, respectedEdits: 3, notUndone: 4 } },
      told: { respectedEdits: 3, notUndone: 4 },
    },
    {
      name: 'what waits by approvals and for the end of a freeze',
      over: { judged: { ...steps.judged, ruled: [{ class: 'disables' }], frozen: { count: 2, until: 60 } } },
      told: { ruled: ['disables'], frozen: { count: 2, until: 60 } },
    },
    {
      name: 'no freeze that stops nothing',
      over: { judged: { ...steps.judged, frozen: { count: 0, until: 60 } } },
      told: {},
    },
    {
      name: 'why a column or a field is in doubt',
      over: { judged: { ...steps.judged, verdict: { ...noHolds, column: 'of scope', fields: [{ reason: 'area' }] } } },
      told: { doubt: 'of scope' },
    },
    {
      name: 'why a field is in doubt',
      over: { judged: { ...steps.judged, verdict: { ...noHolds, fields: [{ reason: 'area' }] } } },
      told: { doubt: 'area' },
    },
    {
      name: 'of a full read how many matched, and that it is the first one with this configuration',
      over: { read: { ...steps.read, snapshot: { ...steps.read.snapshot, kind: 'full' } } },
      told: { matched: 0, isFirstConfiguration: true },
    },
    {
      name: 'accounts without an owner, people without an account, and people who were asked for by id',
      over: {
        compared: {
          ...steps.compared,
          orphans: { gone: 2 },
          lookups: 3,
          quiet: { ...steps.compared.quiet, noAccount: 2 },
        },
        decided: { ...steps.decided, quiet: { ...steps.decided.quiet, noAccount: 1 } },
      },
      told: { orphans: { gone: 2 }, sourceLookups: 3, noAccount: 3 },
    },
    {
      name: 'how many of the named people the source does not know',
      over: { read: { ...steps.read, unknown: ['E8', 'E9'] } },
      told: { unknownPeople: 2 },
    },
    {
      name: 'that the next read must be full',
      over: { decided: { ...steps.decided, needsFull: true } },
      told: { needsFull: true },
    },
    {
      name: 'the unmanaged users and the size of a page',
      over: { compared: { ...steps.compared, unmanaged: 0, pageSize: 50 } },
      told: { unmanaged: 0, pageSize: 50 },
    },
    {
      name: 'that the read is doubted, and why',
      over: {
        judged: {
          ...steps.judged,
          verdict: { ...noHolds, areMissesHeld: true },
          doubt: 'too many',
          isReadDoubted: true,
        },
      },
      told: { isReadDoubted: true, doubt: 'too many' },
    },
    {
      name: 'the people of an unusable delta',
      over: { read: { ...steps.read, reading: { kind: 'delta' } } },
      told: { postponed: 8 },
    },
    {
      name: 'nothing of a usable delta',
      over: { read: { ...steps.read, reading: { kind: 'delta' }, usable: 1 } },
      told: {},
    },
  ])('has the facts of all steps, and $name', async ({ over, told }) => {
    const { work, io } = await openDryRun();
    work.index.add('E1');
    work.blocked.add({ kind: 'conflict', at: 'line 2' });
    await work.recorder.begin();
    const plan = await sealPlan(work, { ...steps, ...over } as never, io);
    expect(plan.facts).toStrictEqual({ ...facts, ...told });
    expect(plan).toMatchObject({ id: 'shown_1', repeated: 11, failure: undefined });
  });

  it('says which fields vanished, and not that all people are blocked then', async () => {
    const { work, io } = await openDryRun();
    work.blocked.add({ kind: 'status-unknown', at: 'line 2' });
    const vanished = [{ reason: 'status vanished' }];
    const empty = { snapshot: { rows: 1, gaps: [] }, vanished, fact: read } as never;
    expect((await sealEmptyPlan(work, empty, 'no row is usable', io)).failure).toBe(
      'no row is usable: nothing was changed. status vanished',
    );
  });
});
