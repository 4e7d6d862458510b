import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBlockedTally } from '../../../src/core/guard/blocked.ts';
import type { VanishedField } from '../../../src/core/guard/field-visibility.ts';
import { leftOutOf } from '../../../src/core/guard/guard.ts';
import { leftOutReason } from '../../../src/core/plan/decision.ts';
import { certifySnapshot, type ReadEnd, type ReadKind } from '../../../src/core/plan/snapshot.ts';
import { formatInstant } from '../../../src/core/run/formats.ts';
import type { GuardSettings } from '../../../src/core/run/settings.ts';
import type { NewChange, ReadRecord } from '../../../src/ports/store.ts';
import { noOtherAccounts } from '../../../src/run/compare/other-accounts.ts';
import type { EngineIo, Sync } from '../../../src/run/engine-io.ts';
import { applierOf, countChanges } from '../../../src/run/judge/count-changes.ts';
import { judge } from '../../../src/run/judge/judge.ts';
import type { PlanWork } from '../../../src/run/plan-job.ts';
import { openFindings } from '../../../src/run/read/open-findings.ts';
import { type RecordInput, record } from '../../../src/run/record/record.ts';
import { recordRun, showPlan } from '../../../src/run/recorder.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';
import { openStore } from '../../../src/store/index.ts';
import { dayMs, openRun, sampleChange, sampleEntry } from '../../contracts/store-samples.ts';
import { fixedClock, someInstant as now } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { openIndex } from '../open-index.ts';
import { configured, plainSettings } from '../plain-settings.ts';
import { guards, openPlanScene, unlimited } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };
const disable = sampleChange('ana', 'disable');
const remove = sampleChange('eva', 'remove');
const update = sampleChange('leo');
const complete: ReadEnd = { complete: true, rows: 10, evidence: 'all', stamp: 's2' };
const incomplete: ReadEnd = { complete: false, rows: 10, reasons: ['a page failed'] };
const shrunk: ReadEnd = { ...incomplete, isShrunk: true };
/** The last accepted full read had 20 rows. */
const last = {
  rows: 20,
  fillRates: { area: 1 },
  blocked: { 'status-unknown': 1 },
} as Partial<ReadRecord> as ReadRecord;
const vanished: readonly VanishedField[] = [
  { read: 'area', readers: ['area'], reason: 'no record has area any longer' },
];

interface Plan {
  readonly changes?: readonly NewChange[];
  readonly limits?: Partial<GuardSettings>;
  readonly kind?: ReadKind;
  readonly end?: ReadEnd;
  readonly last?: ReadRecord;
  readonly fillRates?: Readonly<Record<string, number>>;
  readonly vanished?: readonly VanishedField[];
  /** Number of people with an unknown status. */
  readonly unknown?: number;
  /** The plan is only shown. */
  readonly isShown?: boolean;
}

/** A plan with these changes before the guards, and one person whose absence was counted. */
async function open(plan: Plan = {}) {
  const { limits = {}, kind = 'full', end = complete } = plan;
  const changes: readonly NewChange[] = plan.changes ?? [disable, update];
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  const spool = openFileSpool(tmpdir());
  onTestFinished(async () => {
    spool.close();
    await store.close();
  });
  const settings = { ...plainSettings, ...guards(limits) };
  const sync = { settings, ...configured(settings), fingerprint: 'f1' } as Sync;
  const log = memoryLogger();
  const places: string[] = [];
  const io = {
    store,
    clock: fixedClock(now),
    logger: log,
    syncs: new Map([['people', sync]]),
    checkpoint: (place: string) => void places.push(place),
  } as unknown as EngineIo;
  /** The reads that were stored, accepted or not. */
  const stored: ReadRecord[] = [];
  const put = store.reads.put.bind(store.reads);
  const keep: typeof put = async (owned, record) => {
    stored.push(record);
    await put(owned, record);
  };
  Object.assign(store.reads, { put: keep });
  const blocked = openBlockedTally();
  for (let i = 0; i < (plan.unknown ?? 0); i += 1) blocked.add({ kind: 'status-unknown', at: `line ${i}` });
  const findings = openFindings({ note: () => {}, watch: () => {} });
  const miss = sampleEntry('ida', { misses: { count: 1, since: now, stamp: 's2' } });
  const snapshot = certifySnapshot({ kind, end, unreadable: 0, readAt: now, runAt: now });
  const input = {
    read: {
      snapshot,
      fillRates: plan.fillRates ?? { area: 1 },
      cells: {},
      columns: { fields: [] },
      unreadable: {},
      visibility: { area: true },
      vanished: plan.vanished ?? [],
      last: plan.last,
    },
    compared: { managed: 100, enabled: 90, unresolved: { blocked: new Map(), released: new Set() } },
    decided: {
      misses: [spool.append(JSON.stringify(miss))],
      waits: new Map(),
      expected: { places: [] },
      rejected: 0,
      leftOut: changes.filter(({ verdict }) => verdict?.state === 'held').length,
      keptEmails: new Set(),
    },
  } as unknown as RecordInput;
  return {
    store,
    log,
    places,
    stored,
    async guard() {
      const owned = plan.isShown === true ? undefined : await openRun(store, { id: 'run_1', now });
      const { signal } = new AbortController();
      const recorder =
        owned === undefined ? showPlan('run_1', sync, io) : recordRun({ owned, sync, signal, stopping: signal }, io);
      const index = openIndex();
      const others = noOtherAccounts();
      const baseline = { accepted: undefined, measured: undefined };
      const parts = { index, others, spool, salt: 's', blocked, findings, baseline };
      const work = { sync, recorder, ...parts } as unknown as PlanWork;
      await recorder.begin();
      await recorder.changes(changes);
      const counts = await countChanges(work, input, io);
      const judged = judge(work, { ...input, counts });
      await record(work, { ...input, judged }, io);
      const { verdict, rejected, doubt, isReadDoubted } = judged;
      const guarded = { ...verdict, rejected, doubt, isReadDoubted };
      return { guarded, messages: findings.all().map(({ code, message }) => `${code}: ${message}`) };
    },
    async states() {
      const page = await store.plans.page('run_1', { limit: 100 });
      return page.map(({ identification, state }) => `${identification} ${state}`);
    },
    misses: async () => (await store.ledger.get('acme', 'ida'))?.misses?.count ?? 0,
    lastRead: () => store.reads.last('people'),
  };
}

describe('a plan that no guard holds', () => {
  it('of a run is sent as it is, and its read is the reference for later ones', async () => {
    const plan = await open({ last, unknown: 1 });
    const { guarded, messages } = await plan.guard();
    expect(guarded).toStrictEqual({
      holds: [],
      fields: [],
      areMissesHeld: false,
      rejected: 0,
      doubt: undefined,
      isReadDoubted: false,
    });
    expect([messages, plan.log.lines, plan.places]).toEqual([[], [], ['ledger-written']]);
    expect(await plan.states()).toEqual(['ana planned', 'leo planned']);
    expect(await plan.misses()).toBe(1);
    expect(await plan.lastRead()).toEqual({
      sync: 'people',
      run: 'run_1',
      at: now,
      rows: 10,
      stamp: 's2',
      fillRates: { area: 1 },
      visibility: { area: true },
      blocked: { 'status-unknown': 1 },
      isAccepted: true,
    });
    expect(await plan.store.rosters.open('people')).toMatchObject({ run: 'run_1', rows: 10, fingerprint: 'f1' });
  });

  it('stores nothing when it is only shown', async () => {
    const plan = await open({ isShown: true });
    await plan.guard();
    expect([await plan.misses(), await plan.lastRead(), await plan.states()]).toEqual([
      0,
      undefined,
      ['ana planned', 'leo planned'],
    ]);
  });
});

describe('what is held', () => {
  it('is a class of changes above its limit, which is reported and logged with its number', async () => {
    const plan = await open({ limits: { disables: none } });
    const { guarded, messages } = await plan.guard();
    const reason = '1 disable: the limit without approval is 0 in 24 hours (90 enabled managed users)';
    expect(guarded.holds).toEqual([{ sync: 'people', class: 'disables', reason, count: 1 }]);
    expect(messages).toEqual([`held: ${reason}`]);
    expect(plan.log.lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        message: 'held: disables',
        fields: { sync: 'people', class: 'disables', count: 1 },
      }),
    ]);
    expect(await plan.states()).toEqual(['ana held', 'leo planned']);
    expect(await plan.misses()).toBe(1);
    expect((await plan.lastRead())?.run).toBe('run_1');
    expect(await plan.store.decisions.of('people', 'ana')).toMatchObject([{ state: 'open', expiresAt: now + dayMs }]);
  });

  it.each([{ isShown: false }, { isShown: true }])(
    'is the update of a field that lost its values, and the misses go on; only shown: $isShown',
    async ({ isShown }) => {
      const plan = await open({ last, fillRates: { area: 0.5 }, limits: { fillRateDownPoints: 10 }, isShown });
      const { guarded, messages } = await plan.guard();
      expect(guarded.fields.map(({ field }) => field)).toEqual(['area']);
      expect(messages).toEqual([expect.stringMatching(/^held: .*area/)]);
      expect(await plan.states()).toEqual(['ana planned', 'leo held']);
      expect(await plan.misses()).toBe(isShown ? 0 : 1);
      // The read itself is doubted.
      expect(await plan.lastRead()).toBeUndefined();
      expect(plan.stored.map(({ isAccepted }) => isAccepted)).toEqual(isShown ? [] : [false]);
    },
  );

  it('are disables and removes when the rows fell, with one finding, and no absence is counted', async () => {
    const plan = await open({ changes: [disable, remove, update], last, limits: { rowsDownPercent: 10 } });
    const { guarded, messages } = await plan.guard();
    expect(guarded.areMissesHeld).toBe(true);
    expect(guarded.holds.map((hold) => hold.class)).toEqual(['disables', 'removes']);
    expect(messages).toEqual(['held: source rows fell from 20 to 10 (50.0 % down, 10 % allowed)']);
    expect(await plan.states()).toEqual(['ana held', 'eva held', 'leo planned']);
    expect([await plan.misses(), plan.stored.map(({ isAccepted }) => isAccepted)]).toEqual([0, [false]]);
    expect(await plan.store.rosters.open('people')).toBeUndefined();
  });

  it.each(['delta', 'point'] as const)(
    'are none of them for the rows of a %s read, which is not stored',
    async (kind) => {
      const plan = await open({ kind, last, limits: { rowsDownPercent: 10 } });
      expect((await plan.guard()).guarded).toMatchObject({ holds: [], areMissesHeld: false });
      expect(await plan.lastRead()).toBeUndefined();
      expect(await plan.states()).toEqual(['ana planned', 'leo planned']);
    },
  );

  it('are misses of a delta that is much shorter, which is not stored either', async () => {
    const plan = await open({ kind: 'delta', end: shrunk });
    expect((await plan.guard()).guarded.areMissesHeld).toBe(true);
    expect(plan.stored).toEqual([]);
  });

  it('are all changes when a field vanished', async () => {
    const plan = await open({ last, vanished });
    const { guarded } = await plan.guard();
    expect(guarded.areMissesHeld).toBe(true);
    expect(await plan.states()).toEqual(['ana held', 'leo held']);
    expect(await plan.misses()).toBe(0);
  });

  it('are the changes that an operator left out, beside the classes above their limit', async () => {
    const verdict = { state: 'held', reason: leftOutReason } as const;
    const left = [disable, update].map((change) => ({ ...change, verdict }));
    const changes = [...left, sampleChange('ida', 'disable'), sampleChange('new', 'create')];
    const plan = await open({ limits: { creates: none, disables: none }, changes });
    const { guarded, messages } = await plan.guard();
    expect(
      guarded.holds.map(({ class: name, count, reason }) => [name, count, reason === leftOutOf(undefined)]),
    ).toEqual([
      ['creates', 1, false],
      ['disables', 1, false],
      ['updates', 1, true],
    ]);
    expect(messages).toHaveLength(3);
    expect(await plan.states()).toEqual(['ana held', 'ida held', 'leo held', 'new held']);
  });
});

describe('an incomplete full read', () => {
  it('has no misses that could be held, and is not stored', async () => {
    const plan = await open({ end: incomplete, last, vanished });
    const { guarded } = await plan.guard();
    expect([guarded.areMissesHeld, guarded.holds.length]).toEqual([false, 2]);
    expect([await plan.misses(), plan.stored]).toEqual([0, []]);
  });

  it('that is only much shorter has misses that an operator can approve', async () => {
    const plan = await open({ end: shrunk });
    expect((await plan.guard()).guarded.areMissesHeld).toBe(true);
    expect(plan.stored).toMatchObject([{ run: 'run_1', rows: 10, stamp: '', isAccepted: false }]);
    expect(await plan.store.rosters.open('people')).toBeUndefined();
  });
});

describe('people without a decision', () => {
  const few = { blocked: { ...none, absolute: 1, oneInRows: 0 } };
  const reason = /^3 of 10 rows have a status.*\(3 people are blocked, 1 in the last accepted read\)$/;

  it.each<{ what: string; plan: Plan; isDoubted: boolean; isHeld: boolean }>([
    { what: 'a complete full read', plan: {}, isDoubted: true, isHeld: true },
    { what: 'a full read that is only shorter', plan: { end: shrunk }, isDoubted: true, isHeld: true },
    { what: 'an incomplete full read', plan: { end: incomplete }, isDoubted: true, isHeld: false },
    { what: 'a delta', plan: { kind: 'delta' }, isDoubted: true, isHeld: true },
    { what: 'a read of named people', plan: { kind: 'point' }, isDoubted: false, isHeld: false },
    { what: 'a read with no more of them than the last one', plan: { unknown: 2 }, isDoubted: false, isHeld: false },
    { what: 'a read without them', plan: { unknown: 0 }, isDoubted: false, isHeld: false },
  ])('doubt $what: $isDoubted; an operator can accept that: $isHeld', async ({ plan, isDoubted, isHeld }) => {
    const opened = await open({ unknown: 3, last, limits: few, ...plan });
    const { guarded, messages } = await opened.guard();
    expect(guarded.doubt).toEqual(isDoubted ? expect.stringMatching(reason) : undefined);
    expect(guarded.blocked).toEqual(isHeld ? guarded.doubt : undefined);
    expect('blocked' in guarded).toBe(isHeld);
    expect(messages.filter((message) => message.includes('blocked'))).toHaveLength(isDoubted ? 1 : 0);
    const lines = opened.log.lines.filter(({ message }) => message === 'held: too many people are blocked');
    expect(lines.map(({ fields }) => fields)).toEqual(isDoubted ? [{ sync: 'people', 'status-unknown': 3 }] : []);
    if (isDoubted) expect(await opened.lastRead()).toBeUndefined();
    expect(await opened.states()).toEqual(['ana planned', 'leo planned']);
  });

  it.each([
    { kind: 'full', isDoubted: true },
    { kind: 'delta', isDoubted: false },
  ] as const)('doubt a $kind read by their share of its rows: $isDoubted', async ({ kind, isDoubted }) => {
    const plan = await open({ kind, unknown: 6, limits: { blocked: { ...unlimited, oneInRows: 2 } } });
    expect((await plan.guard()).guarded.doubt !== undefined).toBe(isDoubted);
  });
});

describe('a restored store', () => {
  it.each([
    { agoMs: dayMs - 1, isHeld: true },
    { agoMs: dayMs, isHeld: false },
  ])('holds disables $agoMs ms after the restore: $isHeld', async ({ agoMs, isHeld }) => {
    const plan = await open();
    const at = now - agoMs;
    // Only a restore writes this record.
    Object.assign(plan.store.restores, { last: async () => ({ at, madeAt: at - dayMs }) });
    const { guarded } = await plan.guard();
    const [from, to] = [at - dayMs, at].map(formatInstant);
    expect(guarded.holds.map((hold) => hold.reason)).toEqual(
      isHeld ? [expect.stringContaining(`was restored at ${to} from a backup of ${from}`)] : [],
    );
    expect(await plan.states()).toEqual([isHeld ? 'ana held' : 'ana planned', 'leo planned']);
  });
});

it('changes count for the sync and the others that are configured on its connection', async () => {
  const { sync, io } = await openPlanScene({ records: [], otherSyncs: ['guests', 'interns'] });
  const robots = { ...sync, settings: { ...sync.settings, name: 'robots', connection: 'globex' } };
  const syncs = new Map([...io.syncs, ['robots', robots]]);
  expect(applierOf(sync, { ...io, syncs })).toEqual({
    sync: 'people',
    connection: 'acme',
    others: ['guests', 'interns'],
  });
  expect(applierOf(robots, { ...io, syncs })).toEqual({ sync: 'robots', connection: 'globex', others: [] });
});
