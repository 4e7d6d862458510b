import { tmpdir } from 'node:os';
import { createExpressions } from '../../src/config/expressions.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import type { Change } from '../../src/core/plan/change.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { packRoster, saltedHash, standingCode } from '../../src/core/plan/roster.ts';
import {
  defaultDialect,
  defaultGuards,
  defaultLimits,
  type FieldRule,
  type SyncSettings,
} from '../../src/core/run/settings.ts';
import type { Delivery } from '../../src/ports/delivery.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { Source } from '../../src/ports/source.ts';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import type { EngineIo, Sync } from '../../src/run/engine-io.ts';
import { makePlan } from '../../src/run/make-plan.ts';
import type { Plan } from '../../src/run/plan-job.ts';
import { recordRun } from '../../src/run/recorder.ts';
import { type Explained, explain } from '../../src/run/why.ts';
import { openFileSpool } from '../../src/store/db/file-spool.ts';
import { openStore } from '../../src/store/index.ts';
import { openRun } from '../contracts/store-samples.ts';
import { fixedClock, someInstant } from '../support/fake-clock.ts';
import { silentLogger } from '../support/memory-logger.ts';
import type { World } from './naive-planner.ts';

const from = (path: string, whenEmpty: FieldRule['whenEmpty'] = 'keep'): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty };
};

const unlimited = { absolute: 1_000_000, percent: 100, cap: undefined };

/** A sync of a few fields of every sort, whose guards hold nothing. */
export const plainSettings: SyncSettings = {
  name: 'people',
  connection: 'acme',
  policy: 'sync',
  delivery: 'auto',
  batchRows: 1000,
  mapping: {
    identification: from('id'),
    fields: {
      email: from('email'),
      firstName: from('first'),
      lastName: from('last'),
      area: from('area', 'clear'),
      birthDate: from('born', 'clear'),
      job: from('job'),
      seniority: from('seniority', 'clear'),
    },
  },
  scope: "type != 'guest'",
  match: ['identification', 'email'],
  lifecycle: {
    status: 'status',
    active: ['active'],
    leaver: ['left'],
    hireDate: 'hired',
    leaveDate: 'leaves',
    dateFormat: undefined,
    leavesBy: undefined,
    timezone: undefined,
  },
  missing: { afterReads: 2, minAgeMs: 3_600_000 },
  outOfScope: 'ignore',
  firstSight: 'write',
  foreignDisable: 'report',
  protected: [],
  remove: 'never',
  handOver: { maxAgeMs: 86_400_000 },
  settle: {
    everyMs: 1000,
    deadlineMs: 1000,
    visibleWithinMs: 1000,
    unknownAfterMs: 1000,
    maxSplits: 1,
    proofWithinMs: 1000,
    lookWithinMs: 1000,
  },
  guards: {
    ...defaultGuards,
    creates: unlimited,
    updates: unlimited,
    emailChanges: unlimited,
    firstSight: unlimited,
    enables: unlimited,
    disables: unlimited,
    removes: unlimited,
    handOvers: unlimited,
  },
};

export function compilePlainMapping(settings: SyncSettings) {
  return compileMapping(settings.mapping, settings.lifecycle, settings, { expressions: createExpressions() });
}

/** Runs the engine's planner over a world that lies in memory, with a real store, and gives what it wrote. */
export async function planByIndex(
  world: World,
  settings: SyncSettings,
  otherSyncs: readonly string[],
): Promise<{ plan: Plan; changes: readonly Change[]; ledger: ReadonlyMap<string, LedgerEntry> }> {
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  try {
    const owned = await openRun(store, { id: 'run_1' });
    await store.ledger.put(owned, world.ledger);
    await putRoster(world, owned, store);
    const sync = syncOver(world, settings);
    const io = ioOver(store, syncsOver(world, settings, otherSyncs));
    const plan = await planRun(owned, sync, io);
    const changes = await store.plans.page(owned.run.id, { limit: 10_000 });
    const ledger = new Map<string, LedgerEntry>();
    for await (const entries of store.ledger.all(settings.connection)) {
      for (const entry of entries) ledger.set(entry.identification, entry);
    }
    return { plan, changes, ledger };
  } finally {
    await store.close();
  }
}

/** What `why` says about each of these people in the same world, before any plan was made. */
export async function explainByIndex(
  world: World,
  settings: SyncSettings,
  { otherSyncs, names }: { readonly otherSyncs: readonly string[]; readonly names: readonly string[] },
): Promise<ReadonlyMap<string, Explained>> {
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  try {
    const owned = await openRun(store, { id: 'run_1' });
    await store.ledger.put(owned, world.ledger);
    await putRoster(world, owned, store);
    const sync = syncOver(world, settings);
    const io = ioOver(store, syncsOver(world, settings, otherSyncs));
    const explained = new Map<string, Explained>();
    for (const name of names) explained.set(name, await explain(name, sync, io, new AbortController().signal));
    return explained;
  } finally {
    await store.close();
  }
}

function syncsOver(world: World, settings: SyncSettings, others: readonly string[]): ReadonlyMap<string, Sync> {
  return new Map([settings.name, ...others].map((name) => [name, syncOver(world, { ...settings, name })]));
}

/** Stores what the last accepted full read of the sync `other` showed. */
async function putRoster({ others }: World, owned: OwnedRun, store: Store): Promise<void> {
  if (others === undefined) return;
  const hash = saltedHash('s');
  const entries = [...others.standings].flatMap(([name, standing]) => {
    const { hi, lo } = hash.of(name.toLowerCase());
    return [hi, lo, hash.of(name).hi, standingCode(standing)];
  });
  const pages = packRoster('people', Int32Array.from(entries));
  const at = someInstant - others.ageMs;
  const counts = { people: pages.length, emails: 1 };
  const header = { sync: 'other', run: 'run_0', at, fingerprint: 'f1', salt: 's', rows: 1, pages: counts };
  await store.rosters.put(owned, header, pages);
}

function planRun(owned: OwnedRun, sync: Sync, io: EngineIo): Promise<Plan> {
  const { signal } = new AbortController();
  const context = { owned, sync, signal, stopping: signal };
  return makePlan({ sync, scope: { kind: 'all' }, signal }, recordRun(context, io), io);
}

const pageOf = 3;

function* pages<T>(all: readonly T[]): Generator<readonly T[], void> {
  for (let start = 0; start < all.length; start += pageOf) yield all.slice(start, start + pageOf);
}

const neverUsed = (): never => {
  throw new Error('planning everybody does not call this');
};

function syncOver(world: World, settings: SyncSettings): Sync {
  const source: Source = {
    kind: 'memory',
    capabilities: { delta: false, point: false, terminated: 'unknown', future: 'unknown' },
    async *read() {
      for (const records of pages(world.records)) yield { records, broken: [] };
      return world.end;
    },
    fields: async () => undefined,
  };
  const platform: Platform = {
    async *scan() {
      for (const users of pages(world.users)) yield { users, total: world.users.length };
    },
    find: neverUsed,
    create: neverUsed,
    update: neverUsed,
    rename: neverUsed,
    remove: neverUsed,
    upload: neverUsed,
    status: neverUsed,
  };
  const delivery = (kind: Delivery['kind']): Delivery => ({ kind, submit: neverUsed });
  const deliveries = { csv: delivery('csv'), direct: delivery('direct'), outbox: delivery('outbox') };
  const mapping = compilePlainMapping(settings);
  return {
    settings,
    source,
    mapping,
    platform,
    dialect: defaultDialect,
    limits: defaultLimits,
    fingerprint: 'f1',
    deliveries,
  };
}

function ioOver(store: Store, syncs: ReadonlyMap<string, Sync>): EngineIo {
  return {
    store,
    syncs,
    clock: fixedClock(someInstant),
    logger: silentLogger,
    newId: (prefix) => `${prefix}_1`,
    openSpool: () => openFileSpool(tmpdir()),
    retention: { runs: 7_776_000_000, audit: 34_560_000_000, ledgerOfGone: 34_560_000_000 },
    checkpoint: () => {},
    progress: () => {},
    countRequests: (_, work) => work(),
  };
}
