import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PlanDigest } from '../../../src/core/plan/change.ts';
import { noPlan } from '../../../src/core/run/facts.ts';
import { approve } from '../../contracts/store-samples.ts';
import { account, guards, only, openPlanScene, row } from '../plan-scene.ts';

const digestOf = (hashes: readonly string[]): string => {
  const digest = new PlanDigest();
  for (const hash of hashes) digest.add(hash);
  return digest.end();
};

describe('a sealed plan', () => {
  it('has the facts of its read and of the platform, and what the delivery begins with', async () => {
    const scene = await openPlanScene({
      records: [row('a1'), row('b2', { status: 'odd' }), row('c3'), row('c3')],
      users: [account('a1'), account('x9')],
    });
    await scene.plan();
    const { plan, run } = await scene.plan();
    const at = scene.clock.now();
    expect(plan.facts).toEqual({
      ...noPlan,
      sourceRows: 4,
      people: 3,
      platformUsers: 2,
      pageSize: scene.sync.dialect.search.pageSize,
      managedUsers: 1,
      matched: 1,
      unchanged: 1,
      unmanaged: 1,
      blocked: { 'status-unknown': 1 },
      access: { keep: 0, lack: 1, cause: expect.stringContaining('status') },
    });
    expect(plan).toMatchObject({
      id: run.id,
      read: { kind: 'full', at, fingerprint: 'f1' },
      delivery: { lookedAt: at, lookTookMs: 0 },
      failure: undefined,
      verdict: { holds: [] },
    });
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

  it.each([
    { limits: {}, told: { missingWait: { afterReads: 2, from: expect.any(Number) } } },
    { limits: { rowsDownPercent: 10 }, told: { isReadDoubted: true } },
  ])('says how many are missing, and from when they are disabled unless a guard doubts the read', async (given) => {
    const scene = await openPlanScene({
      records: ['a1', 'b2', 'c3'].map((id) => row(id)),
      users: ['a1', 'b2', 'c3'].map((id) => account(id)),
      settings: { ...guards(given.limits), missing: { afterReads: 2, minAgeMs: 86_400_000 } },
      capabilities: { point: false },
    });
    await scene.plan();
    scene.source.records = [row('a1')];
    scene.source.end = { complete: true, rows: 1, evidence: 'all', stamp: 's2' };
    const { facts } = (await scene.plan()).plan;
    expect(facts).toMatchObject({ missing: 2, ...given.told });
    expect('missingWait' in facts).toBe('missingWait' in given.told);
  });

  it('says which classes wait by approvals, and how many named people the source does not know', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2')] });
    const approvals = { isReasonRequired: false, rules: { creates: { approvers: 1, above: 0, notRequester: false } } };
    Object.assign(scene.io, { approvals });
    const { facts, verdict } = (await scene.plan(only('a1', 'x9'))).plan;
    expect(facts).toMatchObject({ ruled: ['creates'], unknownPeople: 1 });
    expect(verdict.holds.map(({ class: name }) => name)).toEqual(['creates']);
  });

  it('says of how many an undo puts nothing back', async () => {
    const scene = await openPlanScene({ records: [row('a1', { area: 'Law' })], users: [account('a1')] });
    const { run } = await scene.run();
    scene.users.set('a1', account('a1', { fields: { area: 'Local' } }));
    const undoes = { run: run.id, by: 'ana' };
    const { plan } = await scene.plan({ kind: 'users', identifications: ['a1'], undoes });
    expect(plan.facts.notUndone).toBe(1);
  });

  it('counts no person of a full read as postponed, though one record is usable only', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2', { status: 'odd' })] });
    expect((await scene.plan()).plan.facts.postponed).toBe(0);
  });
});

describe('an empty plan', () => {
  const emptyDigest = createHash('sha256').digest('hex');

  it('says which rows are not usable and why, and has no changes', async () => {
    const scene = await openPlanScene({
      records: [row('a1', { status: 'odd' }), row('b2', { status: 'odd', type: 'guest' })],
    });
    const { plan, changes } = await scene.plan();
    expect(changes).toEqual([]);
    expect(plan).toMatchObject({
      digest: emptyDigest,
      verdict: { holds: [], fields: [], areMissesHeld: false },
      read: { kind: 'full', at: scene.clock.now(), fingerprint: 'f1' },
      delivery: undefined,
      failure:
        'the source returned 2 rows, but none of them can be used; see the findings: nothing was changed. 2 of 2 rows have a status that is not in lifecycle; first at line of a1',
    });
    expect(plan.facts).toEqual({ ...noPlan, sourceRows: 2, blocked: { 'status-unknown': 2 } });
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
      'the source has none of the named people: nothing was changed.',
    );
    scene.source.records = [row('a1', { status: 'odd' })];
    expect((await scene.plan(only('a1'))).plan.failure).toBeUndefined();
  });
});
