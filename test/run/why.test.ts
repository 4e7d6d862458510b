import { describe, expect, it } from 'vitest';
import { type Explained, explain } from '../../src/run/why.ts';
import { account, openPlanScene, type PlanScene, row } from './plan-scene.ts';

const ask = (scene: PlanScene, name: string): Promise<Explained> =>
  explain(name, scene.sync, scene.io, new AbortController().signal);

describe('why', () => {
  it('shows the record, what it was mapped to, the case, the decision and the change', async () => {
    const scene = await openPlanScene({ records: [row('a1', { area: 'X' }), row('b2')], users: [account('a1')] });
    const { records, subject, decision, change, findings, failure, snapshot } = await ask(scene, 'a1');
    expect(records).toMatchObject([{ record: { at: 'line of a1' }, mapped: { kind: 'person', standing: 'active' } }]);
    expect(subject).toMatchObject({ identification: 'a1', source: { says: 'active' }, user: { id: '9a1' } });
    expect(decision).toMatchObject({ rule: 'active-update', change: { changed: ['area'] } });
    expect([findings, failure, snapshot.rows]).toEqual([[], undefined, 2]);
    expect(change?.hash).toBe((await scene.plan()).changes[0]?.hash);
  });

  it('explains a person of whom no record tells, by the platform alone', async () => {
    const scene = await openPlanScene({ records: [row('b2')], users: [account('a1')] });
    const { records, subject, decision, change } = await ask(scene, 'a1');
    expect(records).toEqual([]);
    expect(subject).toMatchObject({ source: { says: 'missing' }, user: { id: '9a1' } });
    expect([decision?.rule, change]).toEqual(['missing-unmanaged', undefined]);
  });

  it('tells what concerns the person or the whole read, and nothing of others', async () => {
    const records = [
      row('a1', { area: 'Law' }, 'line 2'),
      row('a1', { area: 'IT' }, 'line 3'),
      row('', {}, 'line 4'),
      row('b2', { area: 'Law' }),
      row('b2', { area: 'IT' }),
    ];
    const scene = await openPlanScene({ records });
    const { findings, records: shown } = await ask(scene, 'a1');
    expect(findings.map(({ code }) => code).toSorted()).toEqual(['duplicate-key', 'source-incomplete']);
    expect(shown.map(({ record }) => record.at)).toEqual(['line 2', 'line 3']);
  });

  it('tells of a finding about the person in other letters', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('A1')] });
    expect((await ask(scene, 'a1')).findings.map(({ identification }) => identification)).toEqual(['A1']);
  });

  it('tells why a full run would plan nothing', async () => {
    const scene = await openPlanScene({ records: [row('b2', { status: 'odd' })], users: [account('a1')] });
    const { failure, subject, decision, change } = await ask(scene, 'a1');
    expect(failure).toMatch(/^the source returned 1 row, but none of them can be used/);
    expect([subject, decision, change]).toEqual([undefined, undefined, undefined]);
  });

  it('reads all people, though deltas are configured, and stores nothing', async () => {
    const scene = await openPlanScene({
      records: [row('a1', { area: 'X' })],
      users: [account('a1')],
      settings: { deltas: { fullEveryMs: 86_400_000, overlapMs: 0 } },
    });
    await ask(scene, 'a1');
    expect(scene.source.requests).toEqual([{ kind: 'full' }]);
    expect(await scene.store.ledger.get('acme', 'a1')).toBeUndefined();
    expect([await scene.store.reads.last('people'), await scene.store.plans.page('', { limit: 9 })]).toEqual([
      undefined,
      [],
    ]);
  });

  it('closes what it has written, also when the platform fails', async () => {
    const scene = await openPlanScene({ records: [row('a1')] });
    scene.script.scanError = new Error('the platform fails');
    await expect(ask(scene, 'a1')).rejects.toThrow('the platform fails');
    expect(scene.openSpools()).toBe(0);
  });
});

describe('why about a person whom a conflict blocks', () => {
  it('has the code and the reason of the conflict, as the plan reports it', async () => {
    const owning = (id: string) => account(id, { fields: { email: `${id}@example.com` } });
    const swap = [row('a1', { email: 'b2@example.com' }), row('b2', { email: 'a1@example.com' })];
    const scene = await openPlanScene({ records: swap, users: [owning('a1'), owning('b2')] });
    const cycle = await ask(scene, 'a1');
    expect(cycle.findings.map(({ code }) => code)).toEqual(['email-cycle']);
    expect(cycle.decision).toMatchObject({ rule: 'unusable', finding: { code: 'email-cycle' } });
    expect(cycle.subject?.source).toMatchObject({ says: 'unusable', code: 'email-cycle' });
    expect(cycle.subject?.source).toMatchObject({ reason: cycle.findings[0]?.message });

    const renamed = await openPlanScene({ records: [row('z9', { email: 'a1@example.com' })], users: [owning('a1')] });
    expect((await ask(renamed, 'z9')).decision?.finding?.code).toBe('rename-conflict');
  });
});
