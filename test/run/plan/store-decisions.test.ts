import { describe, expect, it, onTestFinished } from 'vitest';
import type { Person } from '../../../src/core/person/person.ts';
import type { LedgerEntry } from '../../../src/core/plan/ledger.ts';
import type { RefusedCreate } from '../../../src/core/plan/refused-create.ts';
import { packRoster, saltedHash, standingCode } from '../../../src/core/plan/roster.ts';
import { certifySnapshot } from '../../../src/core/plan/snapshot.ts';
import { openStanding } from '../../../src/core/plan/standing.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import type { RunScope, Store } from '../../../src/ports/store.ts';
import type { PlanCompared } from '../../../src/run/compare/compare-people.ts';
import { decideChanges } from '../../../src/run/decide/decide-changes.ts';
import { openWork } from '../../../src/run/make-plan.ts';
import type { PlanJob, PlanWork } from '../../../src/run/plan-job.ts';
import type { PlanRead } from '../../../src/run/read/read-people.ts';
import { recordRun, showPlan } from '../../../src/run/recorder.ts';
import { approve, endRun, openRun, reject, sampleEntry, writePlan } from '../../contracts/store-samples.ts';
import { person } from '../../core/cases.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { fillIndex, type KnownPeople } from '../open-index.ts';
import { account, all, only, openPlanScene } from '../plan-scene.ts';

const fields = { firstName: 'Ana', lastName: 'Li', area: 'Sales' } as const;
const named = (identification: string, over: Partial<Person> = {}): Person =>
  person({ identification, fields, ...over });
const changed = { fields: { ...fields, area: 'IT' } };
const entry = (name: string, over: Partial<LedgerEntry> = {}) => sampleEntry(name, { accountId: `9${name}`, ...over });

interface World extends KnownPeople {
  readonly settings?: Partial<SyncSettings>;
  /** People whose earlier change has an outcome that stayed unknown for too long. */
  readonly released?: readonly string[];
  readonly focus?: readonly string[];
  readonly kind?: 'full' | 'delta';
  readonly identities?: PlanWork['findings']['identities'];
  readonly isShown?: boolean;
  readonly isRetry?: true;
  readonly scope?: RunScope;
  /** The creates that the platform refused. */
  readonly refused?: readonly RefusedCreate[];
  /** Decides before the plan is made. */
  readonly before?: (store: Store) => Promise<unknown>;
  /** Another sync, and the active employees of its last full read. */
  readonly roster?: { readonly sync: string; readonly names: readonly string[] };
}

/** Decides a plan of run_1 about these people, whom the platform shows as given. */
async function decide(world: World) {
  const { ledger = [], kind = 'full' } = world;
  const settings = { missing: { afterReads: 2, minAgeMs: 0 }, ...world.settings };
  const scene = await openPlanScene({ records: [], settings, otherSyncs: ['guests'] });
  const { store, sync, places } = scene;
  const refusedCreates = async () => new Map([['eva', world.refused ?? []]]);
  const io = { ...scene.io, store: { ...store, plans: { ...store.plans, refusedCreates } } };
  const before = await openRun(store, { id: 'run_0', sync: 'before' });
  await store.ledger.put(before, ledger);
  if (world.roster !== undefined) {
    const hash = saltedHash('s');
    const entries = world.roster.names.flatMap((name) => {
      const { hi, lo } = hash.of(name);
      return [hi, lo, hi, standingCode('active')];
    });
    const pages = packRoster('people', Int32Array.from(entries));
    const counts = { people: pages.length, emails: 0 };
    const header = {
      sync: world.roster.sync,
      run: 'run_0',
      at: now,
      fingerprint: 'f1',
      salt: 's',
      rows: 1,
      pages: counts,
    };
    await store.rosters.put(before, header, pages);
  }
  await endRun(store, before);
  await world.before?.(store);
  const { signal } = scene.stopping;
  const owned = world.isShown === true ? undefined : await openRun(store, { id: 'run_1', now });
  const recorder =
    owned === undefined ? showPlan('run_1', sync, io) : recordRun({ owned, sync, signal, stopping: signal }, io);
  const spool = io.openSpool();
  onTestFinished(() => spool.close());
  const retried = world.isRetry === true ? { isRetry: true } : {};
  const opened = await openWork(
    { sync, scope: world.scope ?? all, signal, ...retried } as PlanJob,
    recorder,
    spool,
    io,
  );
  const identities = world.identities ?? opened.findings.identities;
  const work = { ...opened, findings: { ...opened.findings, identities } };
  const compared = {
    ...fillIndex(work.index, spool, { ...world, sync }),
    asked: new Map(),
    standing: openStanding([]),
    unresolved: { blocked: new Map(), released: new Set(world.released ?? []) },
  } as unknown as PlanCompared;
  const end = { complete: true, rows: 9, evidence: 'all', stamp: 's1' } as const;
  const read = {
    snapshot: certifySnapshot({ kind, end, unreadable: 0, readAt: now, runAt: now }),
    reading: { kind },
    focus: world.focus === undefined ? undefined : new Set(world.focus),
  } as unknown as PlanRead;
  const decided = await decideChanges(work, { read, compared }, io);
  const page = await store.plans.page('run_1', { limit: 100 });
  return {
    store,
    decided,
    places,
    page,
    kinds: page.map((change) => `${change.kind} ${change.identification}`),
    findings: work.findings.all().map(({ code, message }) => `${code}: ${message}`),
    /** Reads what was kept in the spool. */
    kept: (some: readonly number[]) =>
      some.map((place) => (JSON.parse(spool.read(place)) as { identification: string }).identification),
  };
}

describe('the plan of a run', () => {
  const world = { records: [named('ana', changed), named('eva')], users: [account('ana')] };

  it('has a change for each person who needs one', async () => {
    const { kinds, decided } = await decide(world);
    expect(kinds).toEqual(['update ana', 'create eva']);
    expect(decided).toEqual({
      repeated: 0,
      access: { keep: 0, lack: 0 },
      misses: [],
      missing: { count: 0, wait: undefined },
      quiet: { unchanged: 0, outOfScope: 0, noAccount: 0 },
      needsFull: false,
      postponed: 0,
      expected: { places: [] },
      waits: new Map(),
      rejected: 0,
      leftOut: 0,
      hasApprovals: false,
      keptEmails: new Set(),
      notUndone: 0,
      respectedEdits: 0,
    });
  });

  it('counts the people who are missing and not disabled yet, with the wait that ends first', async () => {
    const dayMs = 86_400_000;
    const gone = (name: string, since: number) => entry(name, { misses: { count: 1, since, stamp: 's0' } });
    const { decided, kinds } = await decide({
      users: ['ana', 'eva', 'leo'].map((name) => account(name)),
      ledger: [gone('ana', now - 2), gone('eva', now - 3), gone('leo', now - 1)],
      settings: { missing: { afterReads: 2, minAgeMs: dayMs } },
    });
    expect(kinds).toEqual([]);
    expect(decided.missing).toEqual({ count: 3, wait: { afterReads: 2, from: now - 3 + dayMs } });
  });

  it('counts and reports the changes that are sent again', async () => {
    const { decided, findings } = await decide({ ...world, released: ['eva', 'leo'] });
    expect(decided.repeated).toBe(1);
    expect(findings).toEqual(['repeated: create is sent again: the outcome of an earlier one stayed unknown']);
  });

  it('counts who keeps and who lacks access', async () => {
    const unknown = { standing: 'unknown' } as const;
    const records = [named('ana', unknown), named('eva', unknown), named('leo', unknown)];
    expect((await decide({ records, users: [account('ana')] })).decided.access).toEqual({ keep: 1, lack: 2 });
  });

  it.each([
    { over: {}, postponed: 1 },
    { over: { isRetry: true }, postponed: 0 },
    { over: { scope: only('ana', 'eva') }, postponed: 0 },
  ] as const)(
    'lets a create wait that was refused, but not in a run that someone asked for: $over',
    async ({ over, postponed }) => {
      const hash = (await decide(world)).page.find(({ kind }) => kind === 'create')?.hash ?? '';
      const plan = await decide({ ...world, ...over, refused: [{ hash, tries: 2, lastAt: now }] });
      expect([plan.decided.postponed, plan.kinds.includes('create eva')]).toEqual([postponed, postponed === 0]);
    },
  );

  it('knows what was decided before', async () => {
    const moved = {
      records: [named('ana', { fields: { ...fields, area: 'IT', email: 'new@x.com' } })],
      users: [account('ana')],
    };
    const [made] = (await decide(moved)).page;
    const facts = async (before: NonNullable<World['before']>, over: object = {}) => {
      const { hasApprovals, rejected, leftOut, keptEmails, repeated } = (await decide({ ...moved, before, ...over }))
        .decided;
      return [hasApprovals, rejected, leftOut, [...keptEmails], repeated];
    };
    const some = made === undefined ? [] : [made];
    const part = some.map((one) => ({ ...one, changed: ['email'] as const }));
    expect(await facts(async () => {})).toEqual([false, 0, 0, [], 0]);
    expect(await facts((store) => approve(store, some, { at: now }))).toEqual([true, 0, 0, [], 0]);
    expect(await facts((store) => reject(store, some))).toEqual([false, 1, 0, [], 0]);
    expect(await facts((store) => reject(store, some), { released: ['ana'] })).toEqual([false, 1, 0, [], 0]);
    expect(await facts((store) => reject(store, part))).toEqual([false, 0, 0, ['ana'], 0]);
    const ended = async (store: Store) => {
      await approve(store, some, { at: now });
      const owned = await openRun(store, { id: 'run_9', sync: 'people' });
      await writePlan(store, { id: 'run_9', owned }, []);
      await store.decisions.end(owned, 'run_9', { identifications: ['ana'], keepsRejections: false }, now);
      await endRun(store, owned);
    };
    expect(await facts(ended)).toEqual([false, 0, 0, [], 0]);
  });

  it('knows which changes wait for another one', async () => {
    const mail = (name: string) => ({ ...fields, email: `${name}@x.com` });
    const { decided } = await decide({
      records: [named('ana', { fields: mail('eva') }), named('eva', { fields: mail('new') })],
      users: [account('ana', { fields: mail('ana') }), account('eva', { fields: mail('eva') })],
      claims: { ana: 'eva' },
    });
    expect(decided.waits).toEqual(new Map([['ana', 'eva']]));
  });

  it.each([
    { isShown: false, owner: 'people', places: ['ledger-written'] },
    { isShown: true, owner: 'guests', places: [] },
  ])('takes users over that another sync releases; only shown: $isShown', async ({ isShown, owner, places }) => {
    const plan = await decide({
      records: [named('ana', changed), named('eva')],
      users: [account('ana')],
      ledger: [entry('ana', { owner: 'guests' })],
      roster: { sync: 'guests', names: [] },
      isShown,
    });
    expect(plan.kinds).toEqual(['update ana', 'create eva']);
    expect(plan.findings).toEqual([expect.stringMatching(/^handed-over: taken over from sync guests/)]);
    expect((await plan.store.ledger.get('acme', 'ana'))?.owner).toBe(owner);
    expect(plan.places).toEqual(places);
  });

  it('leaves out and keeps the disable of a user whom another sync is expected to take over', async () => {
    const missed = { misses: { count: 1, since: now - 1, stamp: 's0' } };
    const plan = await decide({
      records: [named('eva')],
      users: [account('ana'), account('leo')],
      ledger: [entry('ana', missed), entry('leo', missed)],
      roster: { sync: 'guests', names: ['ana'] },
    });
    expect(plan.kinds).toEqual(['create eva', 'disable leo']);
    expect(plan.kept(plan.decided.expected.places)).toEqual(['ana']);
  });

  it.each([
    { focus: ['ana'], kinds: ['update ana', 'update leo'] },
    { focus: undefined, kinds: [] },
  ])('parks the account of a bystander only where one person is explained: $focus', async ({ focus, kinds }) => {
    const mail = (name: string) => ({ ...fields, email: `${name}@x.com` });
    const plan = await decide({
      records: [
        named('ana', { fields: mail('leo') }),
        named('leo', { fields: { ...mail('leo'), firstName: 'Leo', lastName: 'Paz' }, standing: 'leaver' }),
      ],
      users: [
        account('ana', { fields: mail('ana') }),
        account('leo', { fields: { ...mail('leo'), firstName: 'Leo', lastName: 'Paz' }, enabled: false }),
      ],
      ledger: [entry('ana'), entry('leo', { disabledAt: 1, goneSince: 1 })],
      claims: { ana: 'leo' },
      bystanders: ['leo'],
      settings: { parkEmail: '{identification}@parked.example' },
      ...(focus === undefined ? {} : { focus }),
    });
    expect(plan.kinds).toEqual(kinds);
  });
});

describe('the ledger', () => {
  const world = {
    records: [named('ana'), named('eva', { standing: 'leaver' })],
    users: [account('ana'), account('old')],
    ledger: [entry('old'), entry('eva')],
  };
  const adopted = async ({ store }: Awaited<ReturnType<typeof decide>>) =>
    [...(await store.ledger.getMany('acme', ['ana', 'old'])).values()].map(({ identification, misses }) => [
      identification,
      misses?.count,
    ]);

  it('gets adopted users at once, and absences only later, when no guard stops them', async () => {
    const plan = await decide(world);
    expect(await adopted(plan)).toEqual(
      expect.arrayContaining([
        ['ana', undefined],
        ['old', undefined],
      ]),
    );
    expect(plan.kept(plan.decided.misses)).toEqual(['old']);
  });

  it.each<{ name: string; over: World }>([
    { name: 'for a plan that is only shown', over: { isShown: true } },
    { name: 'for an outbox', over: { settings: { delivery: 'outbox' } } },
  ])('gets nothing $name', async ({ over }) => {
    const plan = await decide({ ...world, ...over });
    expect(await adopted(plan)).toEqual([['old', undefined]]);
  });
});

describe('the next read', () => {
  it.each([
    { kind: 'full', found: 0, notKept: 0, needsFull: false, isTold: false },
    { kind: 'full', found: 3, notKept: 0, needsFull: false, isTold: false },
    { kind: 'full', found: 3, notKept: 1, needsFull: true, isTold: false },
    { kind: 'delta', found: 0, notKept: 0, needsFull: false, isTold: false },
    { kind: 'delta', found: 1, notKept: 0, needsFull: true, isTold: true },
    { kind: 'delta', found: 0, notKept: 1, needsFull: true, isTold: true },
  ] as const)(
    'after a $kind read with $found conflicts, $notKept not kept, reads all: $needsFull',
    async ({ kind, found, notKept, needsFull, isTold }) => {
      const { decided, findings } = await decide({ kind, identities: { found, notKept } });
      expect(decided.needsFull).toBe(needsFull);
      const note =
        'source-note: two records claim the same user (see the next findings): the next run reads all employees';
      expect(findings).toEqual(isTold ? [note] : []);
    },
  );
});
