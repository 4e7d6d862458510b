import { describe, expect, it } from 'vitest';
import { type Change, type ChangeClass, changeClasses, compareIdentifications } from '../../src/core/plan/change.ts';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  collect,
  dayMs,
  endRun,
  nameOf,
  openPlanned,
  openRun,
  reject,
  sampleBatch,
  sampleChange,
  sampleEntry,
  writePlan,
} from './store-samples.ts';

const noClasses = Object.fromEntries(changeClasses.map((name) => [name, 0])) as Record<ChangeClass, number>;

const people = { sync: 'people', connection: 'acme', others: ['others'] };
const others = { sync: 'others', connection: 'acme', others: ['people'] };

export function describePlans(store: () => Store): void {
  it('gives back every part of a change, planned and in no batch', async () => {
    const { plans } = store();
    const create = sampleChange('eva', 'create', { before: undefined, changed: ['area', 'customField60', 'email'] });
    const disable = sampleChange('leo', 'disable');
    const waits = { waitsFor: 'eva' };
    const update = sampleChange('ana', 'update', { classes: ['updates', 'emailChanges', 'firstSight'], ...waits });
    await writePlan(store(), { id: 'plan_1' }, [create, disable, update]);
    const fresh = {
      state: 'planned',
      stateReason: undefined,
      batch: undefined,
      isApproved: false,
      isRejected: false,
      isLeftOut: false,
    } as const;
    expect(await plans.page('plan_1', { limit: 10 })).toStrictEqual([
      { ...update, ...fresh },
      { ...create, ...fresh },
      { ...disable, ...fresh },
    ]);
    expect(await plans.get('plan_1', 'eva')).toStrictEqual({ ...create, ...fresh });
    expect(await plans.get('plan_1', 'nobody')).toBeUndefined();
    expect(await plans.get('plan_2', 'eva')).toBeUndefined();
  });

  it('takes any text that a platform may say, even what no text should hold', async () => {
    const { plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const odd = '\'"\\ \u2028 \t \\u0000 {}[] 🙂 $1 ';
    const change = sampleChange('ana', 'update', { after: { area: `${odd}\0\ud83d` }, reason: `${odd}\ud83d` });
    await writePlan(store(), { id: 'run_1', owned }, [change]);
    expect(await plans.get('run_1', 'ana')).toMatchObject({ after: change.after, reason: `${odd}\ufffd` });
    await plans.setStates(owned, [{ identification: 'ana', state: 'failed', reason: `${odd}\0!` }]);
    const stateReason = (await plans.get('run_1', 'ana'))?.stateReason ?? '';
    expect([`${odd}\0!`, `${odd}\ufffd!`]).toContain(stateReason);
    await store().runs.addFindings(owned, [{ code: 'held', message: `${odd}\0!` }]);
    expect((await store().runs.findings('run_1'))[0]?.message).toHaveLength(odd.length + 2);
  });

  it('pages in code-point order, through states, classes and batches', async () => {
    const { plans, batches } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const names = ['ä', 'Z', 'a', '🙂', '\uffee', 'a b', 'B'];
    const changes = names.map((name) => sampleChange(name, name === 'B' ? 'disable' : 'update'));
    await writePlan(store(), { id: 'run_1', owned }, changes);
    const ordered = names.toSorted(compareIdentifications);
    const page = async (query: Parameters<typeof plans.page>[1]) =>
      (await plans.page('run_1', query)).map(({ identification }) => identification);

    expect(await page({ limit: 3 })).toEqual(ordered.slice(0, 3));
    expect(await page({ limit: 100, after: ordered[2] ?? '' })).toEqual(ordered.slice(3));
    expect(await page({ limit: 100, classes: ['disables', 'creates'] })).toEqual(['B']);
    expect(await page({ limit: 100, classes: [] })).toEqual([]);
    await plans.setStates(owned, [{ identification: 'Z', state: 'dropped' }]);
    expect(await page({ limit: 100, states: ['dropped', 'failed'] })).toEqual(['Z']);
    expect(await page({ limit: 100, states: [] })).toEqual([]);
    await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['a', 'ä'] }]);
    expect(await page({ limit: 100, batch: 'run_1_b1' })).toEqual(['a', 'ä']);
    expect(await page({ limit: 100, batch: 'run_1_b1', after: 'a' })).toEqual(['ä']);
    expect(await page({ limit: 100, batch: 'run_1_b2' })).toEqual([]);
  });

  it('writes a plan in pieces of any size, gives its hashes in order of identification, and begins it anew with nothing in it', async () => {
    const { plans } = store();
    const changes = Array.from({ length: 4_101 }, (_, index) => sampleChange(`e${(index * 7_919) % 4_101}`, 'disable'));
    await plans.begin(undefined, { id: 'plan_1', sync: 'people', run: undefined, madeAt: now });
    for (const [from, to] of [
      [0, 1],
      [1, 4],
      [4, 4],
      [4, 4_101],
    ])
      await plans.add(undefined, 'plan_1', changes.slice(from, to));
    const ordered = changes.toSorted((a, b) => compareIdentifications(a.identification, b.identification));
    expect(await collect(plans.hashes('plan_1'))).toEqual(ordered.map(({ hash }) => hash));
    await plans.begin(undefined, { id: 'plan_1', sync: 'people', run: undefined, madeAt: now });
    expect(await plans.page('plan_1', { limit: 1 })).toEqual([]);
  });

  it('counts, sifts, holds and approves a plan of many pieces as one of few', async () => {
    const { plans, batches } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const total = 5_001;
    const changes = Array.from({ length: total }, (_, i) =>
      sampleChange(`e${String(i).padStart(5, '0')}`, i % 2_500 === 0 ? 'disable' : 'update'),
    );
    await writePlan(store(), { id: 'run_1', owned }, changes);
    const names = changes.map(({ identification }) => identification);
    const few = ['e00000', 'e02500', 'e05000'];
    const page = async (query: Parameters<typeof plans.page>[1]) =>
      (await plans.page('run_1', query)).map(({ identification }) => identification);

    expect((await plans.count('run_1')).kinds).toMatchObject({ update: total - 3, disable: 3 });
    expect(await page({ limit: 2, classes: ['disables'] })).toEqual(few.slice(0, 2));
    expect(await page({ limit: 9, classes: ['disables'], after: 'e00000' })).toEqual(few.slice(1));
    expect(await page({ limit: 4_000, states: ['planned'] })).toEqual(names.slice(0, 4_000));
    await plans.hold(owned, 'run_1', ['disables'], 'too many');
    expect((await plans.count('run_1')).states).toMatchObject({ planned: total - 3, held: 3 });
    await approve(
      store(),
      changes.filter(({ kind }) => kind === 'disable'),
    );
    expect(await plans.applyApprovals(owned, 'run_1', 'people', now)).toBe(3);
    expect(await page({ limit: 9, states: ['held'] })).toEqual([]);

    await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: names }]);
    const half = 2_500;
    const marks = names.map((identification, i) => ({
      identification,
      state: 'applied' as const,
      appliedAt: i < half ? now : now + 1,
    }));
    const { id } = sampleBatch(owned, 1);
    await batches.update(owned, id, { state: 'settled', sentAt: now }, { marks });
    expect(await plans.appliedSince(people, now)).toEqual({ ...noClasses, updates: total - 3 });
    expect(await plans.appliedSince(people, now + 1)).toEqual({ ...noClasses, updates: total - half - 2 });
    expect(await plans.appliedSince(others, now)).toEqual(noClasses);
  });

  it('keeps plans apart', async () => {
    const { plans } = store();
    const change = sampleChange('ana', 'update', { changed: ['area'] });
    await writePlan(store(), { id: 'plan_1' }, [change]);
    await writePlan(store(), { id: 'plan_2' }, [change, sampleChange('eva', 'disable')]);
    await approve(store(), [change]);
    await plans.hold(undefined, 'plan_1', ['updates'], 'too many');
    expect(await plans.holdFields(undefined, 'plan_1', ['area'], 'emptied')).toBe(0);
    expect((await plans.count('plan_2')).states).toMatchObject({ planned: 2, held: 0 });
    expect(await plans.holdFields(undefined, 'plan_2', ['area'], 'emptied')).toBe(1);
    expect(await plans.applyApprovals(undefined, 'plan_2', 'people', now)).toBe(1);
    expect((await plans.count('plan_1')).states).toMatchObject({ planned: 0, held: 1 });
    expect(await collect(plans.hashes('plan_1'))).toEqual([change.hash]);
    expect((await plans.count('plan_1')).kinds).toMatchObject({ update: 1, disable: 0 });
  });

  it('sets named changes aside, approved and held ones too, and nothing that has gone', async () => {
    const { plans } = store();
    const changes = ['ana', 'eva', 'leo', 'max'].map((name) => sampleChange(name, 'update'));
    await writePlan(store(), { id: 'plan_1' }, changes);
    await approve(store(), changes.slice(0, 1));
    await plans.applyApprovals(undefined, 'plan_1', 'people', now);
    await plans.setAside(undefined, 'plan_1', ['ana', 'eva', 'nobody'], { state: 'held', reason: 'with leo' });
    await plans.setAside(undefined, 'plan_1', ['eva'], { state: 'dropped', reason: 'rejected with leo' });
    await plans.setAside(undefined, 'plan_1', ['eva'], { state: 'held', reason: 'too late' });
    expect(await plans.page('plan_1', { limit: 9 })).toMatchObject([
      { state: 'held', stateReason: 'with leo', isApproved: true },
      { state: 'dropped', stateReason: 'rejected with leo' },
      { state: 'planned' },
      { state: 'planned' },
    ]);
  });

  it('has two changes of a person, of the account and of the leaders, and no page parts them', async () => {
    const { plans } = store();
    const after = { mainLeader: 'eva' };
    const lead = sampleChange('ana', 'lead', { after, changed: ['mainLeader'] });
    const changes = [sampleChange('ana'), lead, sampleChange('leo')];
    await writePlan(store(), { id: 'plan_1' }, changes);
    const hashes = changes.map(({ hash }) => hash);
    const page = await plans.page('plan_1', { limit: 1 });
    expect(page.map(({ hash }) => hash)).toEqual(hashes.slice(0, 2));
    expect(await plans.page('plan_1', { limit: 1, after: 'ana' })).toMatchObject([{ identification: 'leo' }]);
    expect(await collect(plans.hashes('plan_1'))).toEqual(hashes);
    expect((await plans.get('plan_1', 'ana'))?.kind).toBe('update');
    expect(await plans.get('plan_1', 'ana', 'leaders')).toMatchObject({ kind: 'lead', after });
    expect((await plans.getMany('plan_1', ['ana', 'leo'])).map(({ kind }) => kind)).toEqual(['update', 'update']);
    expect(await plans.getMany('plan_1', ['ana'], 'all')).toHaveLength(2);
    await plans.setAside(undefined, 'plan_1', ['ana'], { part: 'leaders', state: 'dropped', reason: 'waits' });
    expect((await plans.count('plan_1')).states).toMatchObject({ planned: 2, dropped: 1 });
    expect((await plans.count('plan_1')).kinds).toMatchObject({ update: 2, lead: 1 });
  });

  it('counts kinds, classes, and what is open: planned and approved by nobody, which is what the digest is of', async () => {
    const { plans } = store();
    const changes = [
      sampleChange('a', 'create'),
      sampleChange('b', 'update', { classes: ['updates', 'emailChanges'] }),
      sampleChange('c', 'update', { classes: ['firstSight'] }),
      sampleChange('d', 'disable'),
      sampleChange('e', 'disable'),
    ];
    await plans.begin(undefined, { id: 'plan_1', sync: 'people', run: undefined, madeAt: now });
    await plans.add(undefined, 'plan_1', changes);
    await approve(store(), changes.slice(4));
    await plans.applyApprovals(undefined, 'plan_1', 'people', now);
    await plans.hold(undefined, 'plan_1', ['emailChanges'], 'too many');
    expect(await collect(plans.hashes('plan_1'))).toEqual(changes.slice(0, 4).map(({ hash }) => hash));
    const classes = { ...noClasses, creates: 1, updates: 1, emailChanges: 1, firstSight: 1, disables: 2 };
    const counted = await plans.count('plan_1');
    expect(counted).toEqual({
      states: (await plans.count('plan_1')).states,
      created: 0,
      kinds: { create: 1, update: 2, enable: 0, disable: 2, remove: 0, lead: 0, unlead: 0 },
      classes,
      open: { ...classes, updates: 0, emailChanges: 0, disables: 1 },
      beside: { ...classes, updates: 0, emailChanges: 0, disables: 1 },
    });
    expect((await plans.count('plan_1')).states).toMatchObject({ planned: 4, held: 1, applied: 0, dropped: 0 });
    expect((await plans.count('plan_2')).classes).toEqual(noClasses);
  });

  describe('begun anew', () => {
    it('forgets what an earlier try had written, batches of the run too', async () => {
      const { plans, batches } = store();
      const owned = await openPlanned(store(), { id: 'run_1' }, ['ana', 'eva']);
      await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['ana'] }]);
      await writePlan(store(), { id: 'run_1', owned }, [sampleChange('leo')], 'b');
      expect((await plans.page('run_1', { limit: 9 })).map(({ identification }) => identification)).toEqual(['leo']);
      expect(await batches.ofRun('run_1')).toEqual([]);
      expect(await plans.findByDigest('people', 'a'.repeat(64))).toBeUndefined();
      await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['leo'] }]);
    });

    it('leaves one plan to a run, so that whoever still writes a former one finds it gone', async () => {
      const { plans } = store();
      const owned = await openRun(store(), { id: 'run_1' });
      await plans.begin(owned, { id: 'try_1', sync: 'people', run: 'run_1', madeAt: now });
      await plans.begin(owned, { id: 'try_2', sync: 'people', run: 'run_1', madeAt: now });
      await expect(plans.add(owned, 'try_1', [sampleChange('ana')])).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(plans.seal(owned, 'try_1', 'a'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await plans.count('try_2')).states).toMatchObject({ planned: 0 });
    });

    it('is refused once a batch of the run has left', async () => {
      const { plans, batches } = store();
      const owned = await openPlanned(store(), { id: 'run_1' }, ['ana']);
      await batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['ana'] }]);
      await batches.update(owned, 'run_1_b1', { state: 'sending' });
      await expect(
        plans.begin(owned, { id: 'run_1', sync: 'people', run: 'run_1', madeAt: now }),
      ).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect(await plans.get('run_1', 'ana')).toBeDefined();
    });
  });

  it('is written by its own run only: by no other, and not as if it were only shown', async () => {
    const { plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const other = await openRun(store(), { id: 'run_2', sync: 'others' });
    const header = { id: 'run_1', sync: 'people', run: 'run_1', madeAt: now };
    await plans.begin(owned, header);
    await plans.add(owned, 'run_1', [sampleChange('ana')]);
    await writePlan(store(), { id: 'plan_1' }, ['ana']);
    for (const wrong of [other, undefined]) {
      const writes = [
        () => plans.begin(wrong, header),
        () => plans.add(wrong, 'run_1', [sampleChange('eva')]),
        () => plans.hold(wrong, 'run_1', ['updates'], 'late'),
        () => plans.holdFields(wrong, 'run_1', ['area'], 'late'),
        () => plans.applyApprovals(wrong, 'run_1', 'people', now),
        () => plans.seal(wrong, 'run_1', 'b'.repeat(64)),
      ];
      for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    await expect(plans.hold(owned, 'plan_1', ['updates'], 'late')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(plans.begin(owned, { ...header, run: undefined })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await plans.page('run_1', { limit: 9 })).toMatchObject([{ identification: 'ana', state: 'planned' }]);
    expect((await plans.count('plan_1')).states).toMatchObject({ planned: 1, held: 0 });
    expect(await plans.findByDigest('people', 'b'.repeat(64))).toBeUndefined();
  });

  it.each([
    { name: 'equal values', before: { area: 'Sales', job: '' }, after: { area: 'Sales', job: '' } },
    {
      name: 'a value that differs',
      before: { area: 'Sales', office: 'Rome' },
      after: { area: 'Legal', office: 'Rome' },
    },
    { name: 'a field that the account lacks', before: { area: 'Sales' }, after: { area: 'Sales', job: '' } },
    { name: 'a field that the change does not carry', before: { area: '', office: 'Rome' }, after: { area: 'Sales' } },
    { name: 'no field', before: {}, after: { area: 'Sales' } },
  ])('keeps a change with $name before and after', async ({ before, after }) => {
    const { plans } = store();
    const user = { userId: '7', enabled: true, fields: before, lastUpdate: '2026-11-01T12:00:00' };
    await writePlan(store(), { id: 'plan_1' }, [sampleChange('ana', 'update', { before: user, after })]);
    expect(await plans.get('plan_1', 'ana')).toMatchObject({ before: { ...user, fields: before }, after });
    expect((await plans.get('plan_1', 'ana'))?.before?.fields).toEqual(before);
  });

  it('adds nothing to a sealed plan and seals it with one digest only', async () => {
    const { plans } = store();
    await writePlan(store(), { id: 'plan_1' }, ['ana']);
    await plans.seal(undefined, 'plan_1', 'a'.repeat(64));
    await expect(plans.seal(undefined, 'plan_1', 'b'.repeat(64))).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(plans.add(undefined, 'plan_1', [sampleChange('eva')])).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('has one change per person: a second one is refused', async () => {
    const { plans } = store();
    await plans.begin(undefined, { id: 'plan_1', sync: 'people', run: undefined, madeAt: now });
    await plans.add(undefined, 'plan_1', [sampleChange('ana')]);
    const again = plans.add(undefined, 'plan_1', [sampleChange('eva'), sampleChange('ana', 'disable')]);
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await plans.count('plan_1')).kinds).toMatchObject({ update: 1, disable: 0 });
  });

  it('holds planned changes of a class, but neither approved ones nor those under way', async () => {
    const { plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const changes = ['a', 'b', 'c', 'd'].map((name) => sampleChange(name, name === 'd' ? 'update' : 'disable'));
    await writePlan(store(), { id: 'run_1', owned }, changes);
    await approve(store(), changes.slice(0, 1));
    expect(await plans.applyApprovals(owned, 'run_1', 'people', now)).toBe(1);
    await plans.setStates(owned, [{ identification: 'b', state: 'sent' }]);
    await plans.hold(owned, 'run_1', ['disables', 'removes'], '3 disables, 0 allowed');
    const all = await plans.page('run_1', { limit: 9 });
    expect(all.map(({ state }) => state)).toEqual(['planned', 'sent', 'held', 'planned']);
    expect(all.map(({ isApproved }) => isApproved)).toEqual([true, false, false, false]);
    expect(all[2]?.stateReason).toBe('3 disables, 0 allowed');
    expect(await plans.applyApprovals(owned, 'run_1', 'people', now)).toBe(1);
  });

  it('holds updates that change a field of exactly that name', async () => {
    const { plans } = store();
    await writePlan(store(), { id: 'plan_1' }, [
      sampleChange('a', 'update', { changed: ['area', 'customField1'] }),
      sampleChange('b', 'update', { changed: ['customField11'] }),
      sampleChange('c', 'create', { changed: ['customField1'] }),
      sampleChange('d', 'update', { changed: ['email'], classes: ['updates', 'emailChanges'] }),
      sampleChange('e', 'update', { changed: ['job'], classes: ['firstSight'] }),
    ]);
    expect(await plans.holdFields(undefined, 'plan_1', [], 'nothing')).toBe(0);
    expect(await plans.holdFields(undefined, 'plan_1', ['customField1'], 'emptied')).toBe(1);
    expect((await plans.get('plan_1', 'a'))?.stateReason).toBe('emptied');
    expect(await plans.holdFields(undefined, 'plan_1', ['email', 'job', 'area'], 'emptied')).toBe(2);
    expect((await plans.page('plan_1', { limit: 9, states: ['planned'] })).map((one) => one.identification)).toEqual([
      'b',
      'c',
    ]);
  });

  it('leaves alone what was approved when a field is emptied, and what is under way when it is decided', async () => {
    const { plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const changes = ['a', 'b'].map((name) => sampleChange(name));
    await writePlan(store(), { id: 'run_1', owned }, changes);
    await approve(store(), changes.slice(0, 1));
    await plans.applyApprovals(owned, 'run_1', 'people', now);
    expect(await plans.holdFields(owned, 'run_1', ['area'], 'emptied')).toBe(1);
    await plans.setStates(owned, [{ identification: 'b', state: 'sent' }]);
    await reject(store(), changes.slice(1));
    expect(await plans.applyApprovals(owned, 'run_1', 'people', now)).toBe(1);
    expect((await plans.get('run_1', 'b'))?.state).toBe('sent');
  });

  it('marks what people approved, while it stands and for their sync only', async () => {
    const { plans } = store();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => sampleChange(name, 'disable')) as [
      Change,
      Change,
      Change,
      Change,
    ];
    await writePlan(
      store(),
      { id: 'plan_1' },
      ['a', 'b', 'c', 'd'].map((name) => sampleChange(name, 'disable')),
    );
    await plans.hold(undefined, 'plan_1', ['disables'], 'too many');
    await approve(store(), [a, b, nameOf('of another plan')]);
    await approve(store(), [d], { sync: 'others' });
    await reject(store(), [b, c]);
    expect(await plans.applyApprovals(undefined, 'plan_1', 'people', now + 1)).toBe(1);
    const all = await plans.page('plan_1', { limit: 9 });
    expect(all.map(({ state, stateReason, isApproved }) => [state, stateReason, isApproved])).toEqual([
      ['planned', undefined, true],
      ['held', 'too many', false],
      ['held', 'too many', false],
      ['held', 'too many', false],
    ]);
    await writePlan(store(), { id: 'plan_2' }, [sampleChange('a', 'disable')]);
    expect(await plans.applyApprovals(undefined, 'plan_2', 'people', now + dayMs)).toBe(0);
  });

  it('uses an approval up: it is for the first run that plans the change, again after a crash, and for no later one', async () => {
    const { plans } = store();
    const change = sampleChange('ana', 'disable');
    const decided = async (owned: OwnedRun | undefined) => {
      const id = owned?.run.id ?? 'plan_shown';
      await writePlan(store(), { id, ...(owned === undefined ? {} : { owned }) }, [change]);
      return plans.applyApprovals(owned, id, 'people', now + 5);
    };
    await approve(store(), [change]);
    const without = await openPlanned(store(), { id: 'run_0' }, ['eva']);
    expect(await plans.applyApprovals(without, 'run_0', 'people', now)).toBe(0);
    await endRun(store(), without);
    expect(await decided(undefined)).toBe(1);
    const first = await openRun(store(), { id: 'run_1' });
    expect(await decided(first)).toBe(1);
    expect(await decided(first)).toBe(1);
    expect(await decided(undefined)).toBe(0);
    await endRun(store(), first);
    const second = await openRun(store(), { id: 'run_2' });
    expect(await decided(second)).toBe(0);
    await approve(store(), [change], { at: now + 1 });
    expect(await decided(second)).toBe(1);
    await endRun(store(), second);
  });

  it('marks many changes at once, all or none of them', async () => {
    const { plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const names = Array.from({ length: 700 }, (_, index) => `e${index}`);
    await writePlan(store(), { id: 'run_1', owned }, names);
    await plans.setStates(
      owned,
      names.map((identification) => ({ identification, state: 'sent' }) as const),
    );
    expect((await plans.count('run_1')).states).toMatchObject({ sent: 700 });
    const wrong = [
      { identification: 'e1', state: 'applied', appliedAt: now },
      { identification: 'nobody', state: 'applied', appliedAt: now },
    ] as const;
    await expect(plans.setStates(owned, wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await plans.count('run_1')).states).toMatchObject({ sent: 700, applied: 0 });
    await plans.setStates(owned, [
      { identification: 'e1', state: 'failed', reason: 'ignored' },
      { identification: 'e2', state: 'failed', reason: 'not seen' },
      { identification: 'e2', state: 'applied', appliedAt: now },
    ]);
    expect(await plans.get('run_1', 'e1')).toMatchObject({ state: 'failed', stateReason: 'ignored' });
    expect(await plans.get('run_1', 'e2')).toMatchObject({ state: 'applied', stateReason: undefined });
    await plans.setStates(owned, []);
  });

  it('finds the newest sealed plan of a sync by the beginning of its digest', async () => {
    const { plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await writePlan(store(), { id: 'z_plan', madeAt: now }, []);
    await writePlan(store(), { id: 'run_1', owned, madeAt: now + 1 }, []);
    await writePlan(store(), { id: 'plan_3', sync: 'others', madeAt: now + 2 }, []);
    await plans.begin(undefined, { id: 'plan_4', sync: 'people', run: undefined, madeAt: now + 3 });
    const found = { id: 'run_1', sync: 'people', run: 'run_1', madeAt: now + 1, digest: 'a'.repeat(64) };
    expect(await plans.findByDigest('people', 'a'.repeat(64))).toEqual(found);
    expect(await plans.findByDigest('people', 'AAAAAAAA')).toEqual(found);
    expect(await plans.findByDigest('people', 'aaaaaaab')).toBeUndefined();
    expect((await plans.findByDigest('others', 'aaaaaaaa'))?.run).toBeUndefined();
    await plans.seal(undefined, 'plan_4', `${'a'.repeat(63)}b`);
    await expect(plans.findByDigest('people', 'aaaaaaaa')).rejects.toMatchObject({ code: 'USAGE' });
    for (const wrong of ['aaaaaaa', '', 'a'.repeat(65), 'aaaaaaa%', 'gggggggg']) {
      await expect(plans.findByDigest('people', wrong)).rejects.toMatchObject({ code: 'USAGE' });
    }
  });

  async function apply(owned: OwnedRun, names: readonly string[], appliedAt: number): Promise<void> {
    await store().plans.setStates(
      owned,
      names.map((identification) => ({ identification, state: 'applied', appliedAt }) as const),
    );
  }

  it('counts what a sync applied since an instant and nobody had approved, over all its runs', async () => {
    const { plans } = store();
    const first = await openRun(store(), { id: 'run_1' });
    const changes = ['a', 'b', 'c', 'd'].map((name) => sampleChange(name, 'disable'));
    await writePlan(store(), { id: 'run_1', owned: first }, changes);
    await approve(store(), changes.slice(0, 1));
    await plans.applyApprovals(first, 'run_1', 'people', now);
    await apply(first, ['a', 'b'], now);
    await plans.setStates(first, [{ identification: 'c', state: 'failed' }]);
    await endRun(store(), first);
    const second = await openRun(store(), { id: 'run_2', now: now + 1 });
    const moved = sampleChange('e', 'update', { classes: ['updates', 'emailChanges'] });
    await writePlan(store(), { id: 'run_2', owned: second }, [moved, sampleChange('f', 'disable')]);
    await apply(second, ['e', 'f'], now + 10);
    const other = await openPlanned(store(), { id: 'run_3', sync: 'others' }, [sampleChange('g', 'disable')]);
    await apply(other, ['g'], now);
    const recent = { ...noClasses, updates: 1, emailChanges: 1, disables: 1 };
    expect(await plans.appliedSince(people, now)).toEqual({ ...recent, disables: 2 });
    expect(await plans.appliedSince(people, now + 1)).toEqual(recent);
    expect(await plans.appliedSince(people, now + 11)).toEqual(noClasses);
    const disabled = (since: number) => plans.disabledSince(people, since);
    expect((await disabled(now)).map(({ identification }) => identification).sort()).toEqual(['b', 'f']);
    expect((await disabled(now + 1)).map(({ before }) => before)).toEqual([sampleChange('f', 'disable').before]);
  });

  it('counts what a sync of a former name applied, what others did to people who are ours now, and no other connection', async () => {
    const { ledger, plans } = store();
    const former = await openPlanned(store(), { id: 'run_1', sync: 'staff' }, [sampleChange('a', 'disable')]);
    await apply(former, ['a'], now);
    const other = await openRun(store(), { id: 'run_2', sync: 'others' });
    const changes = ['b', 'c'].map((name) => sampleChange(name, 'enable'));
    await writePlan(store(), { id: 'run_2', owned: other, sync: 'others' }, changes);
    await apply(other, ['b', 'c'], now);
    await ledger.put(other, [sampleEntry('b', { owner: 'people' }), sampleEntry('c', { owner: 'others' })]);
    const far = await openPlanned(store(), { id: 'run_3', connection: 'elsewhere' }, [sampleChange('d', 'remove')]);
    await apply(far, ['d'], now);

    expect(await plans.appliedSince(people, now)).toEqual({ ...noClasses, disables: 1, enables: 1 });
    expect(await plans.appliedSince(others, now)).toEqual({ ...noClasses, disables: 1, enables: 2 });
    expect(await plans.appliedSince({ ...others, others: ['people', 'staff'] }, now)).toEqual({
      ...noClasses,
      enables: 2,
    });
    expect(await plans.appliedSince({ ...people, connection: 'elsewhere' }, now)).toEqual({ ...noClasses, removes: 1 });
  });

  it('counts with them what was applied in part, and what may have been applied', async () => {
    const { batches, plans } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const names = ['a', 'b', 'c', 'd'];
    await writePlan(
      store(),
      { id: 'run_1', owned },
      names.map((name) => sampleChange(name, name === 'a' ? 'enable' : 'disable')),
    );
    await batches.create(owned, [{ batch: sampleBatch(owned, 1, { size: 4 }), identifications: names }]);
    const [batch] = await batches.ofRun('run_1');
    await batches.update(
      owned,
      batch?.id ?? '',
      { state: 'unresolved', sentAt: now },
      {
        marks: [
          { identification: 'a', state: 'failed', reason: 'the platform ignored area', appliedAt: now },
          { identification: 'b', state: 'unresolved', reason: 'lost' },
          { identification: 'c', state: 'sent' },
          { identification: 'd', state: 'failed', reason: 'refused' },
        ],
      },
    );
    expect(await plans.appliedSince(people, now)).toEqual({ ...noClasses, enables: 1, disables: 2 });
    expect(await plans.appliedSince(people, now + 1)).toEqual(noClasses);
  });

  it('tells what happened to one person in runs of a sync, newest first', async () => {
    const { plans } = store();
    for (const [index, id] of ['run_z', 'run_y', 'run_x'].entries()) {
      const owned = await openPlanned(store(), { id, now: now + index * 100 }, ['ana', 'eva']);
      if (id !== 'run_x') await apply(owned, ['ana'], now + index * 100 + 7);
      await endRun(store(), owned, now + index * 100 + 9);
    }
    await writePlan(store(), { id: 'plan_shown' }, ['ana']);
    const current = await openRun(store(), { id: 'run_a', now: now + 300 });
    await plans.begin(current, { id: 'run_a', sync: 'people', run: 'run_a', madeAt: now });
    await plans.add(current, 'run_a', [sampleChange('ana')]);
    const history = await plans.history('people', 'ana', 9);
    expect(history.map(({ run, at, state }) => [run, at, state])).toEqual([
      ['run_x', now + 200, 'planned'],
      ['run_y', now + 107, 'applied'],
      ['run_z', now + 7, 'applied'],
    ]);
    expect(history[0]).toMatchObject({ ...sampleChange('ana') });
    expect(await plans.history('people', 'ana', 1)).toHaveLength(1);
    expect(await plans.history('others', 'ana', 9)).toEqual([]);
  });
}
