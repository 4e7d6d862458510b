import { expect, it } from 'vitest';
import { noPlan } from '../../src/core/run/facts.ts';
import type { BatchState } from '../../src/core/run/run.ts';
import type { BatchQuery, OwnedRun, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { endRun, openPlanned, openRun, sampleBatch, sampleChange, sampleEntry, writePlan } from './store-samples.ts';

export function describeBatches(store: () => Store): void {
  async function planned(id: string, names: readonly string[], sync = 'people'): Promise<OwnedRun> {
    const owned = await openPlanned(store(), { id, sync }, names);
    return owned;
  }

  it('says which users another run has sent a change of that is not proven', async () => {
    const { batches } = store();
    const owned = await planned('run_1', ['ana', 'eva', 'leo']);
    const other = await openRun(store(), { id: 'run_2', sync: 'guests' });
    await batches.create(owned, [
      { batch: sampleBatch(owned, 1, { size: 2 }), identifications: ['ana', 'eva'] },
      { batch: sampleBatch(owned, 2), identifications: ['leo'] },
    ]);
    const marks = [{ identification: 'ana', state: 'sent' }] as const;
    await batches.update(owned, 'run_1_b1', { state: 'sent' }, { marks });
    const names = ['ana', 'eva', 'leo', 'zoe'];
    expect(await batches.claimed(other, names)).toEqual(new Set(['ana']));
    expect(await batches.claimed(owned, names)).toEqual(new Set());
    await endRun(store(), owned);
    expect(await batches.claimed(other, names)).toEqual(new Set(['ana']));
    await batches.resolve(other, 'run_1_b1', 'seen', { marks: [{ identification: 'ana', state: 'applied' }] });
    expect(await batches.claimed(other, names)).toEqual(new Set());
  });

  it('stores a plan that is made with its run: the digest seals it, and the last batches, facts and findings come along', async () => {
    const { batches, plans, runs } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await writePlan(store(), { id: 'run_1', owned }, ['ana', 'eva']);
    const findings = [{ code: 'source-note', message: 'a note' }] as const;
    const some = [{ batch: sampleBatch(owned, 1, { size: 2 }), identifications: ['ana', 'eva'] }];
    const digest = 'a'.repeat(64);
    const also = { findings, moreFindings: findings, batches: some, delivery: { splits: 1 } };
    const { run } = await runs.update(owned, { phase: 'delivering', plan: noPlan, digest }, also);
    expect(run).toMatchObject({ phase: 'delivering', digest, plan: noPlan, delivery: { splits: 1 } });
    expect(await plans.findByDigest('people', digest)).toMatchObject({ id: 'run_1', digest });
    await expect(plans.add(owned, 'run_1', [sampleChange('leo')])).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await batches.ofRun('run_1')).toMatchObject([{ id: 'run_1_b1', state: 'planned' }]);
    expect(await plans.page('run_1', { batch: 'run_1_b1', limit: 9 })).toHaveLength(2);
    expect(await runs.findings('run_1')).toHaveLength(2);
    const sent = { state: 'sent' } as const;
    const effects = { run: { phase: 'proving' }, delivery: { splits: 2 } } as const;
    expect((await batches.update(owned, 'run_1_b1', sent, effects)).run).toMatchObject({
      phase: 'proving',
      plan: noPlan,
      delivery: { splits: 2 },
    });
  });

  it('gives each batch its changes, and batches back in order of number', async () => {
    const { batches, plans } = store();
    const owned = await planned('run_1', ['ana', 'eva', 'leo']);
    const second = sampleBatch(owned, 2, { kind: 'direct' });
    const first = sampleBatch(owned, 1, { size: 2 });
    await batches.create(owned, [
      { batch: second, identifications: ['leo'] },
      { batch: first, identifications: ['ana', 'eva'] },
    ]);
    expect(await batches.ofRun('run_1')).toEqual([first, second]);
    expect(await batches.get('run_1_b2')).toEqual(second);
    expect(await batches.get('run_1_b3')).toBeUndefined();
    expect((await plans.page('run_1', { limit: 9 })).map(({ batch }) => batch)).toEqual([
      first.id,
      first.id,
      second.id,
    ]);
  });

  it('gives the batches of some states, and those of the wave: the first planned one and the planned parts among them', async () => {
    const { batches } = store();
    const owned = await planned('run_1', []);
    const states: readonly BatchState[] = ['settled', 'sent', 'planned', 'planned', 'planned', 'unresolved'];
    const all = states.map((state, i) => {
      return sampleBatch(owned, i + 1, { state, ...(i > 2 ? { parent: 'run_1_b1' } : {}) });
    });
    await batches.create(
      owned,
      all.map((batch) => ({ batch, identifications: [] })),
    );
    const numbers = async (query?: BatchQuery) => (await batches.ofRun('run_1', query)).map(({ number }) => number);
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await numbers({ states: ['sent', 'unresolved'] })).toEqual([2, 6]);
    const { open, planned: next } = await batches.wave('run_1');
    expect([open, next].map((some) => some.map(({ number }) => number))).toEqual([
      [2, 6],
      [3, 4, 5],
    ]);
    expect(await batches.wave('run_2')).toEqual({ open: [], planned: [] });
    expect(next.map(({ ofAll }) => ofAll)).toEqual([6, 6, 6]);
  });

  it('tells of planned batches whether they disable, and whether others must be proven before', async () => {
    const { batches, plans } = store();
    const owned = await planned('run_1', []);
    await plans.begin(owned, { id: 'run_1', sync: 'people', run: 'run_1', madeAt: 0 });
    const changes = [
      sampleChange('ana', 'disable'),
      sampleChange('eva'),
      sampleChange('tom', 'update', { waitsFor: 'zoe' }),
      sampleChange('zoe'),
    ];
    await plans.add(owned, 'run_1', changes);
    await batches.create(owned, [
      { batch: sampleBatch(owned, 1, { state: 'settled' }), identifications: ['eva', 'tom', 'zoe'] },
    ]);
    const parent = 'run_1_b1';
    const parts = [
      { batch: sampleBatch(owned, 2), identifications: ['ana'] },
      { batch: sampleBatch(owned, 3, { parent }), identifications: ['eva', 'tom'] },
      { batch: sampleBatch(owned, 4, { parent }), identifications: ['zoe'] },
    ];
    await batches.create(owned, parts);
    const { planned: next } = await batches.wave('run_1');
    expect(next.map((one) => [one.number, one.isDisabling, one.dependsOnOthers])).toEqual([
      [2, true, false],
      [3, false, true],
      [4, false, false],
    ]);
  });

  it('takes a change for one batch only: nothing is written when another has it, or nobody does', async () => {
    const { batches, plans } = store();
    const owned = await planned('run_1', ['ana', 'eva']);
    await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['ana'] }]);
    for (const identifications of [
      ['ana', 'eva'],
      ['eva', 'nobody'],
    ]) {
      const create = batches.create(owned, [{ batch: sampleBatch(owned, 2), identifications }]);
      await expect(create).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    const again = batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['eva'] }]);
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await batches.ofRun('run_1')).toHaveLength(1);
    expect((await plans.get('run_1', 'eva'))?.batch).toBeUndefined();
  });

  it('splits a batch: the halves take its changes, which are planned again', async () => {
    const { batches, plans } = store();
    const owned = await planned('run_1', ['ana', 'eva', 'leo']);
    const whole = sampleBatch(owned, 1, { size: 3 });
    const sent = ['ana', 'eva', 'leo'].map((identification) => ({ identification, state: 'sent' }) as const);
    await batches.create(owned, [{ batch: whole, identifications: ['ana', 'eva', 'leo'] }]);
    await batches.update(owned, whole.id, { state: 'sending' }, { marks: sent });
    await batches.create(owned, [
      { batch: sampleBatch(owned, 2, { parent: whole.id }), identifications: ['eva'] },
      { batch: sampleBatch(owned, 3, { parent: whole.id }), identifications: ['leo'] },
    ]);
    const all = await plans.page('run_1', { limit: 9 });
    expect(all.map(({ batch, state }) => [batch, state])).toEqual([
      ['run_1_b1', 'sent'],
      ['run_1_b2', 'planned'],
      ['run_1_b3', 'planned'],
    ]);
  });

  it('changes a batch, its changes and the ledger together', async () => {
    const { batches, plans, ledger } = store();
    const owned = await planned('run_1', ['ana', 'eva']);
    const batch = sampleBatch(owned, 1);
    const next = sampleBatch(owned, 2);
    await batches.create(owned, [
      { batch, identifications: ['ana'] },
      { batch: next, identifications: ['eva'] },
    ]);
    const patch = {
      state: 'sent',
      sentAt: now,
      fileId: '77',
      fileName: 'people.csv',
      status: 'Processed',
      polls: 3,
      final: 'done',
      finalAt: now + 9,
      reason: 'all seen',
    } as const;
    await batches.update(owned, batch.id, patch, {
      marks: [{ identification: 'ana', state: 'applied', appliedAt: now }],
      ledger: [sampleEntry('ana', { writtenAt: now })],
    });
    expect(await batches.ofRun('run_1')).toEqual([{ ...batch, ...patch }, next]);
    expect((await plans.get('run_1', 'ana'))?.state).toBe('applied');
    expect(await ledger.get('acme', 'ana')).toEqual(sampleEntry('ana', { writtenAt: now }));
    await batches.update(owned, batch.id, { reason: undefined, final: undefined });
    expect(await batches.get(batch.id)).toEqual({ ...batch, ...patch, reason: undefined, final: undefined });
  });

  it('changes nothing of it when a mark names somebody outside the batch', async () => {
    const { batches, plans, ledger } = store();
    const owned = await planned('run_1', ['ana', 'eva']);
    await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['ana'] }]);
    const update = batches.update(
      owned,
      'run_1_b1',
      { state: 'settled' },
      {
        marks: [
          { identification: 'ana', state: 'applied' },
          { identification: 'eva', state: 'applied' },
        ],
        ledger: [sampleEntry('ana')],
      },
    );
    await expect(update).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await batches.get('run_1_b1'))?.state).toBe('planned');
    expect((await plans.count('run_1')).states).toMatchObject({ planned: 2 });
    expect(await ledger.get('acme', 'ana')).toBeUndefined();
  });

  it('lets a run change its own batches only', async () => {
    const { batches } = store();
    const mine = await planned('run_1', ['ana']);
    const theirs = await planned('run_2', ['ana'], 'others');
    await batches.create(theirs, [{ batch: sampleBatch(theirs, 1), identifications: ['ana'] }]);
    await expect(batches.update(mine, 'run_2_b1', { state: 'sending' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await batches.get('run_2_b1'))?.state).toBe('planned');
  });

  it('tells batches whose effect is not known once their run has ended, by connection', async () => {
    const { batches } = store();
    const states: readonly BatchState[] = ['planned', 'sending', 'sent', 'settled', 'unresolved', 'sent'];
    const owned = await planned(
      'run_1',
      states.map((_, index) => `e${index}`),
    );
    await batches.create(
      owned,
      states.map((state, index) => {
        const kind = index === 5 ? 'outbox' : 'csv';
        return { batch: sampleBatch(owned, index, { state, kind }), identifications: [`e${index}`] };
      }),
    );
    expect((await batches.unknown(['acme'])).unresolved).toEqual([]);
    expect((await batches.unknown(['acme'])).unproven.map(({ state }) => state)).toEqual([
      'sending',
      'sent',
      'unresolved',
    ]);
    expect((await batches.unknown(['globex'])).unproven).toEqual([]);
    await endRun(store(), owned);
    expect((await batches.unknown(['acme'])).unproven).toEqual([]);
    expect((await batches.unknown(['acme'])).unresolved.map(({ state }) => state)).toEqual([
      'sending',
      'sent',
      'unresolved',
    ]);
    expect((await batches.unknown(['globex'])).unresolved).toEqual([]);
  });

  it('tells such batches oldest run first, in order of number', async () => {
    const { batches } = store();
    for (const [index, id] of ['run_b', 'run_a'].entries()) {
      const owned = await openPlanned(store(), { id, now: now + index }, ['ana', 'eva']);
      await batches.create(owned, [
        { batch: sampleBatch(owned, 2, { id: `${id} first`, state: 'sent' }), identifications: ['eva'] },
        { batch: sampleBatch(owned, 1, { id: `${id} later`, state: 'unresolved' }), identifications: ['ana'] },
      ]);
      await endRun(store(), owned);
    }
    const ids = (await batches.unknown(['acme'])).unresolved.map(({ run, number }) => `${run} ${number}`);
    expect(ids).toEqual(['run_b 1', 'run_b 2', 'run_a 1', 'run_a 2']);
  });

  it('lets a later run resolve a batch of an ended one, once', async () => {
    const { batches, plans, ledger } = store();
    const ended = await planned('run_1', ['ana', 'eva']);
    const batch = sampleBatch(ended, 1, { state: 'unresolved' });
    await batches.create(ended, [{ batch, identifications: ['ana', 'eva'] }]);
    const later = await openRun(store(), { id: 'run_2', sync: 'others' });
    const effects = {
      marks: [{ identification: 'ana', state: 'applied', appliedAt: now }],
      ledger: [sampleEntry('ana')],
    } as const;
    await expect(batches.resolve(later, batch.id, 'seen', effects)).rejects.toMatchObject({ code: 'CONFLICT' });
    await endRun(store(), ended);
    await batches.resolve(later, batch.id, 'seen', effects);
    expect(await batches.get(batch.id)).toEqual({ ...batch, state: 'settled', reason: 'seen' });
    expect((await plans.page('run_1', { limit: 9 })).map(({ state }) => state)).toEqual(['applied', 'planned']);
    expect(await ledger.get('acme', 'ana')).toEqual(sampleEntry('ana'));
    await batches.resolve(later, batch.id, 'again', { marks: [{ identification: 'eva', state: 'failed' }] });
    expect((await batches.get(batch.id))?.reason).toBe('seen');
    await expect(batches.resolve(later, 'nothing', 'seen', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
}
