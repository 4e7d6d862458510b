import { expect, it } from 'vitest';
import { episodeOf } from '../../src/core/plan/change.ts';
import { digestsOf } from '../../src/core/plan/decision.ts';
import type { NewChange, OwnedRun, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  dayMs,
  decided,
  endRun,
  hourMs,
  openPlanned,
  openRun,
  reject,
  sampleChange,
  writePlan,
} from './store-samples.ts';

const until = now + dayMs;

/** Decisions of people about changes, their episodes and their end. */
export function describeDecisions(store: () => Store): void {
  const statesOf = async (name: string) =>
    (await store().decisions.of('people', name)).map(({ state, endedAt }) => (endedAt === undefined ? state : 'ended'));

  /** A run whose plan has these changes, of which the disables are held. */
  const held = async (id: string, changes: readonly NewChange[], at = now) => {
    const owned = await openPlanned(store(), { id, now: at }, changes);
    await store().plans.hold(owned, id, ['disables'], 'too many');
    await store().decisions.record(owned, id, { now: at, expiresAt: at + dayMs });
    return owned;
  };
  const next = async (owned: OwnedRun, id: string, changes: readonly ReturnType<typeof sampleChange>[], at = now) => {
    await endRun(store(), owned);
    return held(id, changes, at);
  };

  const end = (owned: OwnedRun, names: readonly string[], at = now) =>
    store().decisions.end(owned, owned.run.id, { identifications: names, keepsRejections: false }, at);

  it('opens a decision for every held change, once, and renews its expiry', async () => {
    const changes = [sampleChange('ana', 'disable'), sampleChange('eva', 'update')];
    const first = await held('run_1', changes);
    await next(first, 'run_2', changes, now + hourMs);
    const { identification, rule, episode, hash } = changes[0] ?? sampleChange('ana');
    const open = { state: 'open', by: undefined, why: undefined, run: undefined, endedAt: undefined } as const;
    expect(await store().decisions.of('people', 'ana')).toEqual([
      {
        identification,
        rule,
        episode,
        hash,
        ...open,
        fields: { isWhole: true, digests: {} },
        at: now,
        expiresAt: until + hourMs,
      },
    ]);
    expect(await store().decisions.of('people', 'eva')).toEqual([]);
    expect(await store().decisions.of('others', 'ana')).toEqual([]);
  });

  it('keeps who decided, when and why', async () => {
    const change = sampleChange('ana', 'disable');
    await held('run_1', [change]);
    expect(await reject(store(), [change], { by: 'ana', why: 'still here', at: now + 1 })).toBe(1);
    expect(await store().decisions.of('people', 'ana')).toMatchObject([
      { state: 'rejected', by: 'ana', why: 'still here', at: now + 1, expiresAt: undefined },
    ]);
  });

  it('approves what was rejected only when told to', async () => {
    const [ana, eva] = [sampleChange('ana', 'disable'), sampleChange('eva', 'disable')];
    await reject(store(), [ana]);
    expect(await approve(store(), [ana, eva])).toBe(1);
    expect(await statesOf('ana')).toEqual(['rejected']);
    expect(await approve(store(), [ana], { reopens: true })).toBe(1);
    expect(await statesOf('ana')).toEqual(['approved']);
  });

  it('ends an episode with its approvals, rejections and holds when the plan has no change of that rule', async () => {
    const names = ['approved', 'rejected', 'held', 'stays', 'other'];
    const changes = names.map((name) => sampleChange(name, 'disable'));
    const first = await held('run_1', changes);
    await approve(store(), changes.slice(0, 1));
    await reject(store(), changes.slice(1, 2));
    const second = await next(first, 'run_2', [sampleChange('stays', 'disable'), sampleChange('other', 'update')]);
    await end(second, [...names, 'nobody'].slice(0, 4), now + 1);
    expect(await Promise.all(names.map(statesOf))).toEqual([['ended'], ['ended'], ['ended'], ['open'], ['open']]);
    await end(second, ['other'], now + 1);
    expect(await statesOf('other')).toEqual(['ended']);
    const third = await next(second, 'run_3', changes.slice(0, 2));
    expect(await store().plans.applyApprovals(third, 'run_3', 'people', now + 2)).toBe(0);
  });

  it('numbers the episodes of a person and rule, and decides nothing of one that has ended', async () => {
    const change = sampleChange('ana', 'disable');
    const numberOf = async () => episodeOf(change.rule, await store().decisions.of('people', 'ana'));
    expect(await numberOf()).toBe('0');
    const first = await held('run_1', [change]);
    expect(await numberOf()).toBe('0');
    const second = await next(first, 'run_2', []);
    await end(second, ['ana']);
    expect(await numberOf()).toBe('1');
    expect(await approve(store(), [change])).toBe(0);
    expect(await reject(store(), [change])).toBe(0);
    const again = sampleChange('ana', 'disable', { episode: '1' });
    expect(again.hash).not.toBe(change.hash);
    expect(await approve(store(), [again, sampleChange('ana', 'disable', { episode: '2' })])).toBe(1);
    expect(await numberOf()).toBe('1');
    expect(await store().decisions.ofMany('people', ['ana', 'eva'])).toEqual(
      new Map([['ana', await store().decisions.of('people', 'ana')]]),
    );
  });

  it('decides nothing of a version that gave changes no rule', async () => {
    expect(await approve(store(), [sampleChange('ana', 'disable', { rule: '', episode: '' })])).toBe(0);
  });

  it('lets an approval count for one run, and asks again when a later one holds the same change', async () => {
    const change = sampleChange('ana', 'disable');
    const first = await held('run_1', [change]);
    await approve(store(), [change]);
    await endRun(store(), first);
    const second = await openPlanned(store(), { id: 'run_2' }, [change]);
    expect(await store().plans.applyApprovals(second, 'run_2', 'people', now + 1)).toBe(1);
    await store().plans.hold(second, 'run_2', ['disables'], 'too many');
    await store().decisions.record(second, 'run_2', { now: now + 1, expiresAt: until });
    expect(await store().decisions.of('people', 'ana')).toMatchObject([{ state: 'approved', run: 'run_2' }]);
    await next(second, 'run_3', [change], now + 2);
    expect(await store().decisions.of('people', 'ana')).toMatchObject([
      { state: 'open', run: undefined, by: undefined },
    ]);
  });

  it('uses an approval up when a read that decided the person proposes other values', async () => {
    const [change, other] = [sampleChange('ana'), sampleChange('ana', 'update', { after: { area: 'Else' } })];
    await approve(store(), [change]);
    const owned = await held('run_1', [other]);
    await end(owned, ['eva']);
    expect(await store().decisions.of('people', 'ana')).toMatchObject([{ run: undefined }]);
    await end(owned, ['ana']);
    expect(await store().decisions.of('people', 'ana')).toMatchObject([
      { state: 'approved', run: 'run_1', endedAt: undefined },
    ]);
  });

  it('holds what a person left out, however few, through later runs, until it is decided', async () => {
    const changes = ['ana', 'eva', 'leo'].map((name) => sampleChange(name, 'disable'));
    const first = await held('run_1', changes);
    await approve(store(), changes.slice(0, 1));
    await store().decisions.leaveOut('people', decided(changes), { by: 'ops', at: now });
    expect(await store().decisions.of('people', 'eva')).toMatchObject([{ state: 'open', by: 'ops' }]);
    expect(await store().decisions.of('people', 'ana')).toMatchObject([{ state: 'approved', by: 'ops' }]);
    await end(first, ['ana']);
    let owned = first;
    for (const id of ['run_2', 'run_3']) {
      await endRun(store(), owned);
      owned = await openRun(store(), { id });
      const verdict = { state: 'held', reason: 'said in any words', isLeftOut: true } as const;
      const before = { userId: id, enabled: true, fields: { area: id } };
      const others = ['eva', 'leo'].map((name) => ({ ...sampleChange(name, 'disable', { before }), verdict }));
      await writePlan(store(), { id, owned }, [...others, sampleChange('max', 'disable')]);
      expect((await store().plans.count(id)).states).toMatchObject({ held: 2, planned: 1 });
      await store().decisions.record(owned, id, { now, expiresAt: until });
      const open = (await store().decisions.of('people', 'eva')).filter(({ expiresAt = 0 }) => expiresAt > now);
      expect(open).toMatchObject([{ state: 'open', by: 'ops' }]);
    }
  });

  it('opens the decision about a value that comes back after its rejection ended, while the rule still applies', async () => {
    const heldOf = (area: string): NewChange => {
      const change = sampleChange('ana', 'update', { after: { area }, changed: ['area'] });
      return { ...change, asked: digestsOf(change), verdict: { state: 'held', reason: 'an edit' } };
    };
    const [one, other] = [heldOf('A'), heldOf('B')];
    let owned = await held('run_1', [one]);
    await reject(store(), [one]);
    for (const [id, change] of [
      ['run_2', other],
      ['run_3', one],
    ] as const) {
      await endRun(store(), owned);
      owned = await held(id, [change]);
      await end(owned, ['ana']);
    }
    const [known] = (await store().decisions.of('people', 'ana')).filter(({ hash }) => hash === one.hash);
    expect(known).toMatchObject({ state: 'open', by: undefined, endedAt: undefined, expiresAt: until });
    await approve(store(), [one]);
    expect((await store().decisions.of('people', 'ana')).map(({ state }) => state)).toContain('approved');
  });

  it('ends a rejection field by field, when the plan no longer requests its value', async () => {
    const update = sampleChange('ana', 'update', { after: { area: 'A', job: 'J' }, changed: ['area', 'job'] });
    const asked = digestsOf(update);
    const first = await held('run_1', [update]);
    await reject(store(), [update]);
    await endRun(store(), first);
    let owned = first;
    const after = async (id: string, changes: readonly NewChange[]) => {
      await endRun(store(), owned).catch(() => {});
      owned = await openRun(store(), { id });
      await writePlan(store(), { id, owned }, changes);
      await end(owned, ['ana']);
      return store().decisions.of('people', 'ana');
    };
    const job = { ...update, asked: { job: asked.job ?? '' }, verdict: { state: 'dropped', reason: 'no' } as const };
    expect(await after('run_2', [{ ...job, asked }])).toMatchObject([
      { state: 'rejected', fields: { digests: asked } },
    ]);
    expect(await after('run_3', [job])).toMatchObject([
      { endedAt: undefined, fields: { digests: { job: asked.job } } },
    ]);
    expect(await after('run_4', [])).toMatchObject([{ state: 'rejected', endedAt: now }]);
  });

  it('lifts every rejection of what an approval brings back, and only then approves', async () => {
    const [one, other] = [sampleChange('ana', 'disable'), sampleChange('ana', 'disable', { before: undefined })];
    await reject(store(), [one]);
    expect(await approve(store(), [other])).toBe(0);
    expect(await approve(store(), [other], { reopens: true })).toBe(1);
    const states = (await store().decisions.of('people', 'ana')).map(({ hash, state }) => [hash, state]);
    expect(new Map(states as [string, string][])).toEqual(
      new Map([
        [one.hash, 'open'],
        [other.hash, 'approved'],
      ]),
    );
  });

  it('withdraws an open decision when the plan delivers the change or has it with other values', async () => {
    const first = await held('run_1', [sampleChange('ana', 'disable'), sampleChange('eva', 'disable')]);
    await endRun(store(), first);
    const second = await openRun(store(), { id: 'run_2' });
    const other = sampleChange('eva', 'disable', { before: { userId: '1', enabled: false, fields: {} } });
    await writePlan(store(), { id: 'run_2', owned: second }, [sampleChange('ana', 'disable'), other]);
    await store().decisions.record(second, 'run_2', { now: now + 1, expiresAt: until });
    const expiry = async (name: string) =>
      (await store().decisions.of('people', name)).map(({ expiresAt }) => expiresAt);
    expect([await expiry('ana'), await expiry('eva')]).toEqual([[now + 1], [now + 1]]);
  });

  it('names the people whose episodes may end, page by page: those decided and those in a plan shown lately', async () => {
    const { decisions, plans } = store();
    await reject(store(), [sampleChange('eva', 'disable')]);
    await approve(store(), [sampleChange('leo')]);
    await writePlan(
      store(),
      { id: 'plan_1' },
      ['ana', 'eva', 'max'].map((name) => sampleChange(name, 'create')),
    );
    await writePlan(store(), { id: 'plan_0', madeAt: now - dayMs }, ['old']);
    await plans.begin(undefined, { id: 'plan_2', sync: 'people', run: undefined, madeAt: now });
    await plans.add(undefined, 'plan_2', [sampleChange('unsealed')]);
    expect(await decisions.pending('people', { now, limit: 9 })).toEqual(['ana', 'eva', 'leo', 'max']);
    expect(await decisions.pending('people', { now, limit: 2 })).toEqual(['ana', 'eva']);
    expect(await decisions.pending('people', { now, limit: 2, after: 'eva' })).toEqual(['leo', 'max']);
    expect(await decisions.pending('people', { now: now + dayMs, limit: 9 })).toEqual(['eva', 'leo']);
    expect(await decisions.pending('others', { now, limit: 9 })).toEqual([]);
  });

  it('remembers that a change which a plan showed is gone', async () => {
    const [ana, eva] = [sampleChange('ana', 'disable'), sampleChange('eva', 'disable')];
    await writePlan(store(), { id: 'plan_1' }, [ana, eva]);
    const owned = await held('run_1', [eva]);
    await end(owned, ['ana', 'eva']);
    expect([await statesOf('ana'), await statesOf('eva')]).toEqual([['ended'], ['open']]);
    expect(await approve(store(), [ana, eva])).toBe(1);
    await end(owned, ['ana', 'eva'], now + 1);
    expect(await store().decisions.pending('people', { now, limit: 9 })).toEqual(['eva']);
  });
}

/** What pruning leaves of decisions. */
export function describeOldDecisions(store: () => Store): void {
  it('keeps a rejection however old it is, until its episode ends', async () => {
    const change = sampleChange('ana', 'disable');
    await reject(store(), [change], { at: now - 400 * dayMs });
    await store().runs.prune(now, 0);
    expect(await store().decisions.of('people', 'ana')).toMatchObject([{ state: 'rejected', endedAt: undefined }]);
  });

  it('forgets episodes that ended long ago', async () => {
    const names = ['ana', 'eva'];
    await reject(
      store(),
      names.map((name) => sampleChange(name, 'disable')),
    );
    const empty = await openPlanned(store(), { id: 'run_2' }, []);
    await store().decisions.end(empty, 'run_2', { identifications: ['ana'], keepsRejections: false }, now);
    await store().runs.prune(now + 1, 9);
    expect(await store().decisions.ofMany('people', names)).toEqual(
      new Map([['eva', [expect.objectContaining({ state: 'rejected' })]]]),
    );
  });
  const place = { connection: 'acme', sync: 'people' };
  const two = { ...place, identification: 'new', other: 'ana' };
  const toldAt = (at: number, detail = 'new and ana, in any words') => {
    const said = { action: 'decide-accounts', run: undefined, detail, reason: 'ana is on leave' } as const;
    return { id: `audit_${at}`, at, by: 'ops', ...place, ...said };
  };
  const standing = async (at: number) => (await store().standing.list('acme', at)).map(({ id, way }) => [id, way]);

  it('keeps a decision about accounts until its end, whatever the audit says or has lost', async () => {
    const until = now + 350 * dayMs;
    await store().standing.add({ ...two, way: 'leave', until }, toldAt(now));
    await store().standing.add({ ...place, way: 'disable', identification: 'ana', accountId: '7' }, toldAt(now + 1));
    await store().audit.add({ ...toldAt(now + 2), detail: '"new" and the account of "ana" are two people' });
    await store().runs.prune(now + 91 * dayMs, 0);
    expect(await store().audit.list({ limit: 9 })).toEqual([]);
    const { id, at, by, reason: why } = toldAt(now);
    const leave = { ...two, way: 'leave', until, id, at, by, why };
    expect((await store().standing.list('acme', until - 1))[1]).toEqual(leave);
    expect(await store().standing.list('other', now)).toEqual([]);
    const disable = [`audit_${now + 1}`, 'disable'];
    expect(await standing(until)).toEqual([disable]);
    await store().runs.prune(until + 1, 0);
    expect(await standing(now)).toEqual([disable]);
  });

  it('ends it by the next one about the same people, and a rename when it is carried out', async () => {
    for (const [at, way] of (['apart', 'replace'] as const).entries()) {
      await store().standing.add({ ...two, way }, toldAt(now + at));
      await store().standing.add({ ...place, way: 'leave', owner: `gone ${way}` }, toldAt(now + 5 + at));
    }
    await store().standing.add({ ...two, way: 'rename' }, toldAt(now + 9));
    const owners = [`audit_${now + 6}`, `audit_${now + 5}`].map((id) => [id, 'leave']);
    const replaced = [`audit_${now + 1}`, 'replace'];
    expect(await standing(now)).toEqual([[`audit_${now + 9}`, 'rename'], ...owners, replaced]);
    await store().ledger.rename({ ...place, accountId: '7', from: 'ana', to: 'new', by: 'ops', at: now + 10 });
    expect(await standing(now)).toEqual(owners);
    expect(await store().standing.renames('acme')).toMatchObject([
      { way: 'rename', identification: 'new', other: 'ana' },
    ]);
  });

  it('is erased with a person it is about, and so is what the audit says of the person', async () => {
    await store().standing.add({ ...two, way: 'apart' }, toldAt(now));
    await store().standing.add({ ...two, other: 'eva', way: 'apart' }, { ...toldAt(now + 1), detail: 'new and eva' });
    const { standing: kept, auditEntries } = await store().people.read('ana');
    expect([kept.length, auditEntries]).toEqual([1, 2]);
    await store().people.forget('ana', now);
    expect(await store().people.read('ana')).toMatchObject({ standing: [], auditEntries: 0 });
    expect(await store().audit.list({ limit: 9 })).toMatchObject([
      { detail: 'new and eva', reason: '(forgotten) is on leave' },
      { detail: 'new and (forgotten), in any words', reason: '(forgotten) is on leave' },
    ]);
    expect(await store().standing.list('acme', now)).toMatchObject([{ other: 'eva', why: '(forgotten) is on leave' }]);
  });
}
