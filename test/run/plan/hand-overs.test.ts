import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import type { EngineIo } from '../../../src/run/engine-io.ts';
import { explain } from '../../../src/run/why.ts';
import { approve, openRun, reject } from '../../contracts/store-samples.ts';
import { account, all, guards, only, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const hour = 3_600_000;

interface Two {
  /** Owns the user `a1` at first. */
  readonly people: PlanScene;
  readonly guests: PlanScene;
}

/** Two syncs of one platform. The user `a1` belongs to `people`, `g1` to `guests`. */
async function twoSyncs(settings: Partial<SyncSettings> = {}, ofGuests: Partial<SyncSettings> = {}): Promise<Two> {
  const missing = { afterReads: 1, minAgeMs: 0 };
  const users = ['a1', 'b2', 'g1', 'g2'].map((id) => account(id));
  const records = [row('a1'), row('b2')];
  const people = await openPlanScene({ records, users, settings: { missing, ...settings } });
  const guests = await openPlanScene({
    records: [row('g1'), row('g2')],
    settings: { missing, ...settings, name: 'guests', ...ofGuests },
    beside: people,
  });
  await people.plan();
  await guests.plan();
  return { people, guests };
}

/** The next full read of a sync, an hour later. */
async function read(scene: PlanScene, records: readonly SourceRecord[]) {
  scene.clock.jumpTo(scene.clock.now() + hour);
  scene.source.records = records;
  scene.source.end = { complete: true, rows: records.length, evidence: 'all', stamp: `${scene.clock.now()}` };
  return scene.plan();
}
const ownerOf = async ({ store }: PlanScene, name: string) => (await store.ledger.get('acme', name))?.owner;
const ofGuests = [row('g1'), row('g2')];

describe('a user whose owner shows the person as gone', () => {
  it.each([
    { name: 'missing', records: [row('b2')] },
    { name: 'out of scope', records: [row('b2'), row('a1', { type: 'guest' })] },
  ])('$name is taken over by the sync whose source has the person', async ({ name, records }) => {
    const { people, guests } = await twoSyncs({ missing: 'never' });
    await read(people, records);
    const planned = await read(guests, [...ofGuests, row('a1', { area: 'X' })]);
    expect([planned.kinds, planned.findings]).toEqual([{ a1: 'update' }, ['handed-over a1']]);
    expect(guests.message(planned, 'handed-over')).toBe(
      `taken over from sync people, whose full read of 2026-11-21 13:00:00 UTC shows the person as ${name}`,
    );
    expect(await ownerOf(guests, 'a1')).toBe('guests');
    const back = await read(people, [row('b2')]);
    expect([back.kinds, back.findings]).toEqual([{}, ['handed-over a1']]);
    expect((await read(people, [row('b2')])).findings).toEqual([]);
  });
});

describe('a user whom another sync is expected to take over', () => {
  const gone = [row('b2')];
  const claims = [...ofGuests, row('a1')];

  it('is left enabled, until that sync has read twice and not taken the user over', async () => {
    // The other sync trusts no read that is not its own, so it never takes the user.
    const { people, guests } = await twoSyncs({}, { handOver: { maxAgeMs: 0 } });
    await read(guests, claims);
    expect((await read(people, gone)).kinds).toEqual({});
    expect((await people.store.ledger.get('acme', 'a1'))?.handOverSince).toBe(people.clock.now());
    await read(guests, claims);
    expect((await read(people, gone)).kinds).toEqual({});
    await read(guests, claims);
    expect((await read(people, gone)).kinds).toEqual({ a1: 'disable' });
  });

  it.each<{ name: string; records?: readonly SourceRecord[]; over?: Partial<SyncSettings>; isPaused?: boolean }>([
    { name: 'creates users only', over: { policy: 'create-only' } },
    { name: 'is paused', isPaused: true },
    { name: 'has the person as a leaver', records: [...ofGuests, row('a1', { status: 'left' })] },
  ])('is disabled when that sync $name', async ({ records = claims, over = {}, isPaused = false }) => {
    const { people, guests } = await twoSyncs({}, over);
    await read(guests, records);
    if (isPaused) await people.store.pauses.add({ sync: 'guests', by: 'ops', pausedAt: 1 });
    expect((await read(people, gone)).kinds).toEqual({ a1: 'disable' });
  });

  it.each<{ name: string; record?: SourceRecord; others?: readonly SourceRecord[]; code: string }>([
    { name: 'in a rename conflict', record: row('a1', { email: 'z9@x.com' }), code: 'rename-conflict a1' },
    {
      name: 'in an e-mail conflict',
      record: row('a1', { email: 'x@x.com' }),
      others: [row('g3', { email: 'x@x.com' })],
      code: 'email-conflict a1',
    },
    { name: 'in a refused row', record: row('a1', { type: 5 }), code: 'owned-by-other-sync a1' },
    { name: 'with an unknown status', record: row('a1', { status: 'odd' }), code: 'owned-by-other-sync a1' },
    { name: 'in two rows', others: [row('a1', { area: 'X' })], code: 'duplicate-key a1' },
    { name: 'in other letters', record: row('A1'), code: 'case-conflict a1' },
  ])(
    'is left enabled while that sync has the person $name, however often it reads',
    async ({ record, others, code }) => {
      const { people, guests } = await twoSyncs({}, { scope: "$contains(type, 'guest') = false" });
      const undecided = [...ofGuests, record ?? row('a1'), ...(others ?? [])];
      people.users.set('z9', { ...account('z9'), fields: { email: 'z9@x.com' } });
      for (let i = 0; i < 4; i += 1) {
        expect((await read(guests, undecided)).findings).toContain(code);
        const planned = await read(people, gone);
        expect([planned.kinds, planned.findings]).toEqual([{}, ['hand-over-expected a1']]);
        expect(people.message(planned, 'hand-over-expected')).toContain('sync guests has the person and cannot decide');
      }
      // The other sync trusts no read that is not its own, so it does not take the user once it decides.
      Object.assign(guests.sync.settings, { handOver: { maxAgeMs: 0 } });
      await read(guests, claims);
      expect((await read(people, gone)).kinds).toEqual({});
      await read(guests, claims);
      expect((await read(people, gone)).kinds).toEqual({ a1: 'disable' });
    },
  );

  it('out of scope is left enabled too, where out of scope disables', async () => {
    const { people, guests } = await twoSyncs({ outOfScope: 'disable' });
    await read(guests, claims);
    expect((await read(people, [row('a1', { type: 'guest' }), row('b2', { type: 'guest' })])).kinds).toEqual({
      b2: 'disable',
    });
  });

  it.each([
    { limit: { absolute: 0, percent: 0 }, kinds: { a1: 'disable held', a2: 'disable held' } },
    { limit: { absolute: 1, percent: 0 }, kinds: { a1: 'disable held', a2: 'disable held' } },
    { limit: { absolute: 2, percent: 0 }, kinds: {} },
    // Of four enabled users of the sync.
    { limit: { absolute: 0, percent: 49 }, kinds: { a1: 'disable held', a2: 'disable held' } },
    { limit: { absolute: 0, percent: 50 }, kinds: {} },
  ])('is held with the others when there are more than the guard allows: $limit', async ({ limit, kinds }) => {
    const { people, guests } = await twoSyncs(guards({ handOvers: { ...limit, cap: undefined } }));
    for (const id of ['a2', 'b3']) people.users.set(id, account(id));
    await read(people, [row('a1'), row('a2'), row('b2'), row('b3')]);
    await read(guests, [...claims, row('a2')]);
    const planned = await read(people, [row('b2'), row('b3')]);
    expect(planned.kinds).toEqual(kinds);
    expect(new Set(planned.changes.flatMap(({ classes }) => classes)).size).toBe(planned.changes.length > 0 ? 1 : 0);
    expect((await people.show(all)).kinds).toEqual(kinds);
  });

  it('is disabled when an operator has approved that, and not at all when it was rejected', async () => {
    const decided = async (act: typeof approve | typeof reject) => {
      const { people, guests } = await twoSyncs(guards({ handOvers: { absolute: 0, percent: 0, cap: undefined } }));
      await read(guests, claims);
      const { changes } = await read(people, gone);
      await act(people.store, changes, { at: people.clock.now() });
      return (await read(people, gone)).kinds;
    };
    expect(await decided(approve)).toEqual({ a1: 'disable' });
    expect(await decided(reject)).toEqual({ a1: 'disable dropped' });
  });

  it('after the plan was made is left out just before the change is sent', async () => {
    // The other sync trusts no read that is not its own, so it does not take the user at once.
    const { people, guests } = await twoSyncs({ batchRows: 1 }, { handOver: { maxAgeMs: 0 } });
    people.clock.jumpTo(people.clock.now() + hour);
    people.source.records = [row('a1', { area: 'X' }), row('c3')];
    people.source.end = { complete: true, rows: 2, evidence: 'all', stamp: 'later' };
    const afterwards: EngineIo['countRequests'] = async (_, plan) => {
      const made = await plan();
      people.clock.jumpTo(people.clock.now() + 1);
      guests.source.records = [...ofGuests, row('b2')];
      guests.source.end = { complete: true, rows: 3, evidence: 'all', stamp: 'later' };
      await guests.plan();
      return made;
    };
    Object.assign(people.io, { countRequests: afterwards });
    const { run, kinds, findings } = await people.run();
    expect(kinds).toEqual({ a1: 'update applied', b2: 'disable failed', c3: 'create applied' });
    expect(findings).toEqual(['hand-over-expected b2']);
    const [, b2] = await people.store.plans.page(run.id, { limit: 2 });
    expect(b2?.stateReason).toBe('the person is now active in sync guests, which is expected to take over the user');
  });

  it('is explained with the change that would otherwise be made', async () => {
    const { people, guests } = await twoSyncs();
    await read(guests, claims);
    people.clock.jumpTo(people.clock.now() + hour);
    people.source.records = gone;
    people.source.end = { complete: true, rows: 1, evidence: 'all', stamp: `${people.clock.now()}` };
    const { change, expected } = await explain('a1', people.sync, people.io, people.stopping.signal);
    expect([change, expected?.kind, expected?.identification]).toEqual([undefined, 'disable', 'a1']);
  });

  it('is looked at for named people as well', async () => {
    const { people, guests } = await twoSyncs({ outOfScope: 'disable' });
    await read(guests, claims);
    people.source.records = [row('a1', { type: 'guest' })];
    expect((await people.plan(only('a1'))).kinds).toEqual({});
  });
});

it('a take-over stands when a plan that was made before it writes its ledger', async () => {
  const { people, guests } = await twoSyncs({ missing: { afterReads: 2, minAgeMs: 0 } });
  const { ledger } = people.store;
  const { put } = ledger;
  let taken = 0;
  Object.assign(ledger, {
    put: async (...given: Parameters<typeof put>) => {
      const isOurs = given[1].some(({ identification }) => identification === 'a1');
      if (isOurs && taken === 0) {
        taken = people.clock.now();
        const owned = await openRun(guests.store, { id: 'run_taking', sync: 'guests', connection: 'acme', now: taken });
        await ledger.takeOver(owned, [{ identification: 'a1', owner: 'people' }], taken);
      }
      await put(...given);
    },
  });
  await read(people, [row('b2')]);
  expect(taken).toBeGreaterThan(0);
  expect(await ledger.get('acme', 'a1')).toMatchObject({ owner: 'guests', taken: { from: 'people', at: taken } });
  expect(await ledger.get('acme', 'a1')).not.toHaveProperty('misses');
});
