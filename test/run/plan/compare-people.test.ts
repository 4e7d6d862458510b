import { describe, expect, it, onTestFinished } from 'vitest';
import type { Person } from '../../../src/core/person/person.ts';
import type { User } from '../../../src/core/person/user.ts';
import type { LedgerEntry } from '../../../src/core/plan/ledger.ts';
import { certifySnapshot } from '../../../src/core/plan/snapshot.ts';
import { comparePeople } from '../../../src/run/compare/compare-people.ts';
import { openWork } from '../../../src/run/make-plan.ts';
import type { Reading } from '../../../src/run/read/choose-read.ts';
import { openRecordFiling } from '../../../src/run/read/file-records.ts';
import { mark } from '../../../src/run/read/marks.ts';
import type { PlanRead } from '../../../src/run/read/read-people.ts';
import { recordRun, showPlan } from '../../../src/run/recorder.ts';
import { endRun, openRun, sampleBatch, sampleChange, sampleEntry, writePlan } from '../../contracts/store-samples.ts';
import { person } from '../../core/cases.ts';
import { someInstant } from '../../support/fake-clock.ts';
import { account, all, openPlanScene, row } from '../plan-scene.ts';

const hour = 3_600_000;
const named = (identification: string, over: Partial<Person> = {}): Person =>
  person({ identification, fields: { firstName: 'Ana', lastName: 'Li', area: 'Sales' }, ...over });
const entry = (name: string, over: Partial<LedgerEntry> = {}) => sampleEntry(name, { accountId: `9${name}`, ...over });

interface World {
  readonly records: readonly Person[];
  readonly users?: readonly User[];
  readonly ledger?: readonly LedgerEntry[];
  /** A change by this sync to each of these people ended without a known outcome. */
  readonly lost?: Readonly<Record<string, readonly string[]>>;
  readonly kind?: 'full' | 'delta' | 'point';
  readonly focus?: readonly string[];
  /** How long ago the last full read was (ms). */
  readonly lastAgoMs?: number;
  readonly isShown?: boolean;
}

async function open({ records, users = [], ledger = [], lost = {}, kind = 'full', focus, ...world }: World) {
  const scene = await openPlanScene({ records: [], users, otherSyncs: ['guests'] });
  const { store, sync, io, clock } = scene;
  const before = await openRun(store, { id: 'run_0', sync: 'before', now: clock.now() });
  await store.ledger.put(before, ledger);
  for (const [by, names] of Object.entries(lost)) {
    const id = `run_${by}`;
    const owned = await openRun(store, { id, sync: by, now: clock.now() });
    const changes = names.map((name) => sampleChange(name));
    await writePlan(store, { id, owned, sync: by, madeAt: clock.now() }, changes);
    const batch = sampleBatch(owned, 1, { size: names.length, sentAt: clock.now(), finalAt: clock.now() });
    await store.batches.create(owned, [{ batch, identifications: names }]);
    const marks = names.map((identification) => ({ identification, state: 'unresolved' }) as const);
    await store.batches.update(owned, batch.id, { state: 'unresolved' }, { marks });
    await endRun(store, owned);
  }
  await endRun(store, before);
  clock.jumpTo(clock.now() + 1);
  const owned = world.isShown === true ? undefined : await openRun(store, { id: 'run_1', now: clock.now() });
  const { signal } = scene.stopping;
  const recorder =
    owned === undefined ? showPlan('run_1', sync, io) : recordRun({ owned, sync, signal, stopping: signal }, io);
  const spool = io.openSpool();
  onTestFinished(() => spool.close());
  const work = await openWork({ sync, scope: all, signal }, recorder, spool, io);
  const { find } = work.findings;
  const filing = openRecordFiling({ index: work.index, sync, find, blocked: undefined });
  for (const record of records) filing.file(record);
  filing.settle();
  const watermark = { at: clock.now() - hour, fullAt: clock.now() - hour, fullRun: 'run_0', fingerprint: 'f1' };
  const identifications = records.map(({ identification }) => identification);
  const readings: Readonly<Record<typeof kind, Reading>> = {
    full: { kind: 'full', reason: 'a test' },
    delta: { kind: 'delta', since: clock.now() - hour, from: watermark },
    point: { kind: 'point', identifications, readsAll: false },
  };
  const end = { complete: true, rows: records.length, evidence: 'all', stamp: 's1' } as const;
  const read = {
    snapshot: certifySnapshot({ kind, end, unreadable: 0, readAt: clock.now(), runAt: undefined }),
    reading: readings[kind],
    focus: focus === undefined ? undefined : new Set(focus),
    last: world.lastAgoMs === undefined ? undefined : { at: clock.now() - world.lastAgoMs },
  } as unknown as PlanRead;
  return {
    scene,
    work,
    compare: () => comparePeople(work, read, io),
    messages: () => work.findings.all().map(({ code, identification }) => `${code} ${identification}`),
  };
}

describe('users with a change of unknown outcome', () => {
  const records = ['ana', 'eva', 'leo'].map((name) => named(name));
  const lost = { people: ['ana', 'gone'], guests: ['eva', 'other', 'LEO'] };

  it('wait, and are counted where the change is our own or the source has the person', async () => {
    const plan = await open({ records, lost });
    const { unresolved, waits } = await plan.compare();
    expect([...unresolved.blocked.keys()].toSorted()).toEqual(['LEO', 'ana', 'eva', 'gone', 'other']);
    expect(waits).toHaveLength(3);
    expect(plan.scene.places).toEqual(['unresolved-seen']);
  });

  it.each([
    { isShown: true, state: 'unresolved', blocked: ['ana'] },
    { isShown: false, state: 'settled', blocked: [] },
  ])('are looked at again by a run alone; only shown: $isShown', async ({ isShown, state, blocked }) => {
    const user = account('ana', { fields: { area: 'After', firstName: 'Ana' } });
    const plan = await open({ records, users: [user], lost: { people: ['ana'] }, isShown });
    expect([...(await plan.compare()).unresolved.blocked.keys()]).toEqual(blocked);
    expect((await plan.scene.store.batches.get('run_people_b1'))?.state).toBe(state);
  });

  it('of a run in progress wait too, except those of the run itself', async () => {
    const plan = await open({ records });
    const { store, clock } = plan.scene;
    const send = async (id: string, name: string) => {
      const owned = await openRun(store, { id, sync: 'guests', now: clock.now() });
      await writePlan(store, { id, owned, sync: 'guests', madeAt: clock.now() }, [sampleChange(name)]);
      const batch = sampleBatch(owned, 1, { sentAt: clock.now(), state: 'sent' });
      await store.batches.create(owned, [{ batch, identifications: [name] }]);
      const marks = [{ identification: name, state: 'sent' }] as const;
      await store.batches.update(owned, batch.id, { state: 'sent' }, { marks });
    };
    await send('run_2', 'eva');
    const { unresolved, waits } = await plan.compare();
    expect([...unresolved.blocked].map(([name, { isOwn }]) => [name, isOwn])).toEqual([['eva', false]]);
    expect(waits).toEqual([]);
  });
});

describe('the users that count', () => {
  const users = [account('ana'), account('eva', { enabled: false }), account('other')];
  const ledger = [entry('ana'), entry('eva'), entry('leo', { disabledAt: 1 }), entry('foreign', { owner: 'guests' })];
  const records = [named('ana'), named('eva')];

  it('are those of the ledger, and of these the ones that a full scan shows as enabled', async () => {
    const plan = await open({ records, users, ledger });
    const { managed, enabled, users: seen } = await plan.compare();
    expect([managed, enabled, seen]).toEqual([3, 1, 3]);
    // What the platform has besides goes into the directory.
    expect(plan.work.others?.entries()).toHaveLength(4);
  });

  it.each(['delta', 'point'] as const)('are those that we have not disabled in a %s read', async (kind) => {
    const plan = await open({ records, users, ledger, kind });
    const { managed, enabled } = await plan.compare();
    expect([managed, enabled]).toEqual([3, 2]);
    expect(plan.work.others?.entries()).toHaveLength(0);
  });

  it('do not include accounts that a delta of many people shows besides', async () => {
    const many = Array.from({ length: 30 }, (_, i) => named(`p${100 + i}`));
    const plan = await open({ records: many, users: [account('p100'), account('other')], kind: 'delta' });
    await plan.compare();
    expect(plan.scene.calls.scan).toBe(1);
    expect(plan.work.others?.entries()).toHaveLength(0);
  });

  it('are those that we have not disabled where one person is explained', async () => {
    const { managed, enabled } = await (await open({ records, users, ledger, focus: ['ana'] })).compare();
    expect([managed, enabled]).toEqual([3, 2]);
  });
});

describe('one person who is explained', () => {
  const world = {
    records: [named('ana'), named('eva')],
    users: [account('ana'), account('eva')],
    ledger: [entry('ana'), entry('eva')],
  };

  it.each([
    { focus: undefined, known: [true, true] },
    { focus: ['ana'], known: [true, false] },
  ])('is the only one whose entry is recalled: $focus', async ({ focus, known }) => {
    const { compare, work } = await open({ ...world, ...(focus === undefined ? {} : { focus }) });
    await compare();
    const { index } = work;
    expect(['ana', 'eva'].map((name) => index.has(index.find(name).slot, mark.inLedger))).toEqual(known);
  });
});

describe('users who moved between syncs', () => {
  it.each<{ kind: 'full' | 'delta'; lastAgoMs: number | undefined; found: readonly string[] }>([
    { kind: 'full', lastAgoMs: 2 * hour, found: ['handed-over left'] },
    { kind: 'full', lastAgoMs: 1, found: [] },
    { kind: 'full', lastAgoMs: undefined, found: ['handed-over left'] },
    { kind: 'delta', lastAgoMs: 2 * hour, found: [] },
  ])(
    'since a $kind read before which the last one was $lastAgoMs ms ago: $found',
    async ({ kind, lastAgoMs, found }) => {
      const at = someInstant - hour;
      const left = entry('left', { owner: 'guests', taken: { from: 'people', at } });
      const came = entry('came', { taken: { from: 'guests', at } });
      const world = { records: [named('left'), named('came')], ledger: [left, came], kind };
      const plan = await open(lastAgoMs === undefined ? world : { ...world, lastAgoMs });
      await plan.compare();
      expect(plan.messages()).toEqual(found);
    },
  );

  it.each([
    { isShown: false, found: ['handed-over came'] },
    { isShown: true, found: [] },
  ])('to us while the run was interrupted are reported by it; only shown: $isShown', async ({ isShown, found }) => {
    const came = entry('came', { taken: { from: 'guests', at: someInstant + 1 } });
    const plan = await open({ records: [named('came')], ledger: [came], isShown });
    await plan.compare();
    expect(plan.messages()).toEqual(found);
  });
});

describe('people whom the read shows as gone', () => {
  it.each([
    { kind: 'delta', unconfirmed: 1, asked: 1 },
    { kind: 'full', unconfirmed: 0, asked: 0 },
    { kind: 'point', unconfirmed: 0, asked: 0 },
  ] as const)('are looked up again in a $kind read: $asked', async ({ kind, unconfirmed, asked }) => {
    const plan = await open({ records: [named('ana', { standing: 'leaver' })], users: [account('ana')], kind });
    plan.scene.source.records = [row('ana')];
    expect((await plan.compare()).unconfirmed).toBe(unconfirmed);
    expect(plan.scene.source.requests).toHaveLength(asked);
    expect(plan.messages()).toEqual(unconfirmed === 0 ? [] : ['gone-unconfirmed ana']);
  });
});
